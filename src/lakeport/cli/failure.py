"""What a person and a program see when a command fails: `core/status.py` decides the exit code.

Anything that is not a `LakeportError` is a bug of ours: one sentence, and the traceback in a private
file, or on stderr with `--debug`. An exception's own text is not shown, for it may hold row data.
"""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
import traceback
from collections.abc import Mapping
from typing import Any

import typer

from lakeport.cli.output import json
from lakeport.cli.output.pipe import tolerate_a_closed_pipe
from lakeport.core.errors import InternalError, InvalidRequestError, LakeportError
from lakeport.core.status import status_of

INTERRUPTED = 130


def report(error: BaseException, arguments: list[str]) -> int:
    """Say what happened and give the exit code."""
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return INTERRUPTED
    ours = _as_ours(error, debug=_given("--debug", arguments))
    if _given("--json", arguments):
        with tolerate_a_closed_pipe():
            json.write({"error": ours.as_dict()}, indent=0)
    _say(ours)
    return status_of(ours).exit


def _as_ours(error: BaseException, *, debug: bool) -> LakeportError:
    if isinstance(error, LakeportError):
        return error
    if isinstance(error, typer.TyperException):
        return UsageError(error)
    kind = type(error).__name__
    if debug:
        traceback.print_exception(error)
        return InternalError(f"an internal error: {kind}", hint="this is a bug of Lakeport")
    return InternalError(
        f"an internal error: {kind}",
        hint=f"this is a bug of Lakeport; {_keep_traceback(error)}--debug shows the traceback",
    )


def _keep_traceback(error: BaseException) -> str:
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="lakeport-", suffix=".log", delete=False
        ) as log:
            traceback.print_exception(error, file=log)
    except OSError:  # a full disk may be what went wrong in the first place
        return ""
    return f"see {log.name}; "


class UsageError(InvalidRequestError):
    """Words on the command line that mean nothing."""

    code = "usage"

    def __init__(self, wrong: typer.TyperException) -> None:
        context = getattr(wrong, "ctx", None)
        path = context.command_path if context is not None else "lakeport"
        message = wrong.format_message().rstrip(".")
        meant = None if context is None else _selectors(message, context.params)
        super().__init__(message[:1].lower() + message[1:], hint=meant or f"{path} --help")


_EXTRA = re.compile(r"unexpected extra argument\S* \((?P<words>.+)\)")
_SELECTING = {"select": "-s", "exclude": "--exclude"}


def _selectors(message: str, given: Mapping[str, Any]) -> str | None:
    """For `run -s a b` and `run a`: an option takes one word, however many models that means."""
    extra = _EXTRA.search(message)
    if extra is None or not _SELECTING.keys() <= given.keys():
        return None
    held = [name for name in _SELECTING if given[name]]
    if len(held) > 1:
        return f"each option takes one word: write -s or --exclude before {extra['words']}, too"
    option = _SELECTING[held[0]] if held else "-s"
    words = [*(given[held[0]] if held else ()), *extra["words"].split()]
    each = shlex.join(part for word in words for part in (option, word))
    whole = shlex.join((option, " ".join(words)))
    return f"write {each}" if len(words) == 1 else f"write {each}, or {whole}"


def _given(option: str, arguments: list[str]) -> bool:
    """Whether an option stands anywhere before `--`; the error may have come before any parsing."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return option in arguments[:end]


def _say(error: LakeportError) -> None:
    from lakeport.cli.output.text import Page  # noqa: PLC0415  only a failure pays for rich

    page = Page(sys.stderr)
    page.line(page.bad("error: "), error.message)
    if error.hint:
        page.line(page.name("hint: "), error.hint)

"""Running a template that may do anything: every way it can fail becomes one."""

from __future__ import annotations

import traceback
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from jinja2 import Template, TemplateSyntaxError, nodes

from lakeport.lineage.templating.rendering import redacted
from lakeport.lineage.templating.sandbox import Sandbox, bounded

EXTENSIONS = ("jinja2.ext.do", "jinja2.ext.loopcontrols")


class TemplateFailureError(Exception):
    """A template that could not be rendered, and the line it stopped at."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


@contextmanager
def failing_softly(secrets: Collection[str] = ()) -> Iterator[None]:
    """Every way a template can fail becomes one, whose message shows none of the secrets."""
    try:
        yield
    except TemplateSyntaxError as error:
        raise TemplateFailureError(error.message or "syntax error", error.lineno) from None
    except Exception as error:  # noqa: BLE001 - a template can make any Python error happen
        message = redacted(_described(error), secrets)
        raise TemplateFailureError(message, _line_of(error)) from None


def output_of(environment: Sandbox, text: str | nodes.Template, values: Mapping[str, Any]) -> str:
    """What a template prints, with its marks."""
    return printed_by(environment, environment.from_string(text), values)


def printed_by(environment: Sandbox, template: Template, values: Mapping[str, Any]) -> str:
    """What a compiled template prints, with its marks."""
    pieces: list[str] = []
    length = 0
    for piece in template.generate(values):
        environment.budget.tick()
        length += len(piece)
        bounded(length)
        pieces.append(piece)
    return "".join(pieces)


def _described(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error) or type(error).__name__


def _line_of(error: Exception) -> int | None:
    """The innermost line of the template itself; jinja puts its lines into the traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == "<template>"]
    return lines[-1] if lines else None

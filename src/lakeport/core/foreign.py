"""Code of others that runs for a caller: functions, tables, actions. Whatever it raises ends the call alone.

A caller is told whose code failed, the exception's type and its message, which are the author's own words.
The traceback goes to the log. Nothing it raises ends a thread or the server: not SystemExit, not a stack
that overflows, not memory that it cannot have.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from types import TracebackType
from typing import TypeVar

from lakeport.core.errors import FunctionError, InvalidRequestError, LakeportError, LimitError

_log = logging.getLogger(__name__)
_MOST_CHARACTERS = 600

T = TypeVar("T")


class foreign:  # noqa: N801  it reads as `with foreign(…)`; a generator would cost as much as a small function
    """`what` is how the user calls it: "function `geo.area`". Errors of ours pass as they are."""

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        return

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None or isinstance(error, LakeportError | GeneratorExit | KeyboardInterrupt):
            return
        _log.warning("foreign.raised", extra={"what": self._what}, exc_info=True)
        raise told(error, self._what) from error


def told(error: BaseException, what: str) -> LakeportError:
    """A wrong argument is the caller's to mend, anything else is the author's."""
    words = _words(error)
    text = f"{what} raised {type(error).__name__}" + (f": {words}" if words else "")
    if isinstance(error, ValueError | TypeError):
        return InvalidRequestError(text)
    if isinstance(error, MemoryError):
        return LimitError(text, hint="ask for less at once", details={"limit": "memory"})
    return FunctionError(text)


def each(values: Iterator[T], what: str, close: Callable[[], object] | None = None) -> Iterator[T]:
    """What an iterator of others gives. Closed with this one, whose end never shows what that raises."""
    try:
        while True:
            with foreign(what):
                try:
                    value = next(values)
                except StopIteration:
                    return
            yield value
    finally:
        dismiss(values.close if isinstance(values, Generator) else None, what)
        dismiss(close, what)


def dismiss(close: Callable[[], object] | None, what: str) -> None:
    """Let go of what others made. Whether that works is for the log."""
    if close is None:
        return
    try:
        close()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  as above
        _log.warning("foreign.close_raised", extra={"what": what}, exc_info=True)


def _words(error: BaseException) -> str:
    """No path: those of an OSError are where the server's files lie."""
    try:
        text = (error.strerror or "") if isinstance(error, OSError) else str(error)
    except BaseException:  # noqa: BLE001  even its `__str__` is somebody else's
        return ""
    line = " ".join(text.split())
    return line if len(line) <= _MOST_CHARACTERS else line[:_MOST_CHARACTERS] + "…"

"""A line on the terminal that counts while something long goes on; nothing in a pipe, nor for programs.

It appears after a second, so that quick work stays quiet, and goes away at the end: what was done
is the answer's to say.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from lakeport.cli.output.sizes import counted, size_text

PATIENCE = 1.0
INTERVAL = 0.2
_CLEAR = "\r\x1b[2K"


@contextmanager
def counting(
    what: str, clock: Callable[[], float] = monotonic, *, is_shown: bool = True
) -> Iterator[Callable[[int, int], None]]:
    """Gives what to call with the numbers of rows and of bytes sent so far."""
    with telling(clock, is_shown=is_shown) as tell:

        def count(rows: int, sent: int = 0) -> None:
            moved = f", {size_text(sent)} sent" if sent else ""
            tell(f"{what}: {counted(rows, 'row')}{moved}")

        yield count


@contextmanager
def telling(
    clock: Callable[[], float] = monotonic, *, is_shown: bool = True
) -> Iterator[Callable[[str], None]]:
    """Gives what to call with the line as it is now."""
    if not is_shown or not sys.stderr.isatty():
        yield lambda _: None
        return
    due = clock() + PATIENCE
    shown = False

    def tell(line: str) -> None:
        nonlocal due, shown
        if clock() >= due:
            due, shown = clock() + INTERVAL, True
            sys.stderr.write(f"{_CLEAR}{line}")
            sys.stderr.flush()

    try:
        yield tell
    finally:
        if shown:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()

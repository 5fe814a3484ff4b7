"""A line on the terminal that counts while something long goes on; nothing in a pipe.

It appears after a second, so that quick work stays quiet, and goes away at the end: what was done
is the answer's to say.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

PATIENCE = 1.0
INTERVAL = 0.2
_CLEAR = "\r\x1b[2K"


@contextmanager
def counting(what: str, clock: Callable[[], float] = monotonic) -> Iterator[Callable[[int], None]]:
    """Gives what to call with the number of rows so far."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    due = clock() + PATIENCE
    shown = False

    def tell(rows: int) -> None:
        nonlocal due, shown
        if clock() >= due:
            due, shown = clock() + INTERVAL, True
            sys.stderr.write(f"{_CLEAR}{what}: {rows:,} rows")
            sys.stderr.flush()

    try:
        yield tell
    finally:
        if shown:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()

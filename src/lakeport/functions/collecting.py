"""Functions as they are declared, for whoever loads a module: a second one of the same name is an overload,
though Python remembers the last alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

_collected: ContextVar[list[object] | None] = ContextVar("lakeport_collected", default=None)


@contextmanager
def collecting() -> Iterator[list[object]]:
    """All that is declared in the block, whichever module declares it."""
    found: list[object] = []
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)


def declares(function: T) -> T:
    found = _collected.get()
    if found is not None:
        found.append(function)
    return function

"""One look at a catalog for a whole request.

A request that only describes asks the same catalog several times: for the namespace, the table, its
state, the version. Within a moment the question whether anything has changed is asked once, so all
answers are of one moment, and a crowd of callers does not queue for it again and again. Nothing
that changes the catalog, and nothing that tries again after a change, belongs into one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

_answers: ContextVar[dict[object, Any] | None] = ContextVar("answers", default=None)


@contextmanager
def one_moment() -> Iterator[None]:
    """For what this thread asks inside; a moment inside another one is part of it."""
    if _answers.get() is not None:
        yield
        return
    token = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(token)


def within_moment(asker: object, ask: Callable[[], T]) -> T:
    """What `ask` says, or said already to this asker in this moment."""
    known = _answers.get()
    if known is None:
        return ask()
    if asker not in known:
        known[asker] = ask()
    answer: T = known[asker]
    return answer

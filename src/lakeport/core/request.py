"""What a call was asked for, to code that serves it: tables of others, functions, actions.

Set by a door for as long as it works on one call, and seen by whatever runs in that call's thread. Code that
runs elsewhere on its behalf (another thread, another process) is given the value and sets it there with
`serving`. Outside of a call there is nothing to see: `current_request` gives None.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """`session_id` and `trace_id` are the client's own words, where it sent any. Never a token."""

    identity: str
    catalog: str | None = None
    session_id: str | None = None
    trace_id: str | None = None
    transaction_id: str | None = None


_current: ContextVar[Request | None] = ContextVar("lakeport_request", default=None)


def current_request() -> Request | None:
    return _current.get()


@contextmanager
def serving(request: Request | None) -> Iterator[None]:
    token = _current.set(request)
    try:
        yield
    finally:
        _current.reset(token)

"""What a call was asked for, to code that serves it: tables of others, functions, actions.

Set by a door for as long as it works on one call, and seen by whatever runs in that call's thread. Code that
runs elsewhere on its behalf (another thread, another process) is given the value and sets it there with
`serving`. Outside of a call there is nothing to see: `current_request` gives None.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType


class Ending:
    """What is to be stopped when the call ends before it. Told by the door, in a thread of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stops: list[Callable[[], None]] = []
        self._is_over = False

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Iterator[None]:
        """While the block runs, `stop` is called once if the call ends; at once if it has."""
        with self._lock:
            is_over = self._is_over
            self._stops.append(stop)
        try:
            if is_over:
                stop()
            yield
        finally:
            with self._lock:
                self._stops.remove(stop)

    def end(self) -> None:
        with self._lock:
            self._is_over = True
            stops = tuple(self._stops)
        for stop in stops:
            stop()


@dataclass(frozen=True, slots=True)
class Request:
    """`session_id` and `trace_id` are the client's own words, where it sent any. Never a token.

    `ending` is there where the call can end while it is worked on.
    """

    identity: str
    catalog: str | None = None
    session_id: str | None = None
    trace_id: str | None = None
    transaction_id: str | None = None
    ending: Ending | None = field(default=None, compare=False, repr=False)


_current: ContextVar[Request | None] = ContextVar("lakeport_request", default=None)


def current_request() -> Request | None:
    return _current.get()


class serving:  # noqa: N801  it reads as `with serving(…)`; a generator would cost more in every step of a stream
    """While the block runs, this is the request. May be entered again once it was left."""

    __slots__ = ("_request", "_token")

    def __init__(self, request: Request | None) -> None:
        self._request = request

    def __enter__(self) -> None:
        self._token = _current.set(self._request)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _current.reset(self._token)

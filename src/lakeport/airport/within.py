"""The call that code works for, set around every piece of work that is done for it (`core.request`).

An answer that is an iterator is made piece by piece, in a thread that serves other calls before and after it:
the request is set for each piece alone, and never left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from lakeport.airport.caller import Caller
from lakeport.core.errors import NotFoundError
from lakeport.core.request import Ending, Request, serving
from lakeport.flight.call import Call
from lakeport.flight.service import Outgoing

S = TypeVar("S")
T = TypeVar("T")
P = ParamSpec("P")


def request_of(call: Call) -> Request | None:
    """None before anybody was asked who calls."""
    caller = call.caller
    if not isinstance(caller, Caller):
        return None
    ending = Ending()
    call.on_end(ending.end)
    return Request(
        caller.identity.name,
        _catalog(caller),
        call.header("airport-client-session-id"),
        call.header("airport-trace-id"),
        call.header("airport-transaction-id"),
        ending,
    )


def _catalog(caller: Caller) -> str | None:
    try:
        return caller.visible.wanted()
    except NotFoundError:
        return None  # there is none at all


def within(
    method: Callable[Concatenate[S, Call, P], T],
) -> Callable[Concatenate[S, Call, P], T]:
    """A method whose answer is a value."""

    @wraps(method)
    def answer(self: S, call: Call, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with serving(request_of(call)):
            return method(self, call, *args, **kwargs)

    return answer


def each_within(
    method: Callable[Concatenate[S, Call, P], Iterable[T]],
) -> Callable[Concatenate[S, Call, P], Iterable[T]]:
    """A method whose answer is made while it is sent."""

    @wraps(method)
    def answer(self: S, call: Call, /, *args: P.args, **kwargs: P.kwargs) -> Iterable[T]:
        request = request_of(call)
        with serving(request):
            made = method(self, call, *args, **kwargs)
        return _steps(request, made)

    return answer


def rows_within(
    method: Callable[Concatenate[S, Call, P], Outgoing],
) -> Callable[Concatenate[S, Call, P], Outgoing]:
    """A method that answers with rows. Whoever closes them may be another thread."""

    @wraps(method)
    def answer(self: S, call: Call, /, *args: P.args, **kwargs: P.kwargs) -> Outgoing:
        request = request_of(call)
        with serving(request):
            made = method(self, call, *args, **kwargs)
        close = None if made.close is None else _closing(request, made.close)
        return replace(made, chunks=_steps(request, made.chunks), close=close)

    return answer


def _closing(request: Request | None, close: Callable[[], None]) -> Callable[[], None]:
    def closed() -> None:
        with serving(request):
            close()

    return closed


def _steps(request: Request | None, made: Iterable[T]) -> Iterator[T]:
    over = object()
    work = serving(request)
    with work:
        steps = iter(made)
    try:
        while True:
            with work:
                step = next(steps, over)
            if step is over:
                return
            yield step  # type: ignore[misc]  # all but `over` is a T
    finally:
        if isinstance(steps, Generator):
            with work:
                steps.close()

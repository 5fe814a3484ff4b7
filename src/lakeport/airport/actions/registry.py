"""An action is one entry: name, description, decoder, handler, encoder.

ListActions and the dispatch both come from the same entries, so nothing can be listed that is not
there. An entry yields exactly one Result, for some actions DuckDB dies of an empty stream; only what
encodes to None yields none: `drop_*`, and whatever was told to ignore that something is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lakeport.airport.caller import Caller
from lakeport.airport.exchange import Statements
from lakeport.airport.flights import Flights
from lakeport.airport.transactions import Outcomes, TransactionManager
from lakeport.core.errors import AlreadyExistsError, UnsupportedError
from lakeport.core.names import nearest, quoted
from lakeport.flight.messages import Action, ActionType

Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Desk:
    """What handlers work with. `existing_schema_ok`: creating a namespace that is there is success,
    because DuckDB does not transmit IF NOT EXISTS.
    """

    flights: Flights
    statements: Statements
    outcomes: Outcomes | None = None
    existing_schema_ok: bool = False
    transactions: TransactionManager | None = None


@dataclass(frozen=True, slots=True)
class Entry(Generic[Q, A]):
    """`decode` gets the body and how to call it in a complaint."""

    name: str
    description: str
    decode: Callable[[bytes, str], Q]
    handle: Callable[[Desk, Caller, Q], A]
    encode: Callable[[A], bytes | None]

    def answer(self, desk: Desk, caller: Caller, body: bytes) -> tuple[bytes, ...]:
        request = self.decode(body, f"action {quoted(self.name)}")
        result = self.encode(self.handle(desk, caller, request))
        return () if result is None else (result,)


class Registry:
    """`with_entry` gives another one: a server's own actions are of that server alone."""

    def __init__(self, entries: Iterable[Entry[Any, Any]]) -> None:
        self._entries = {entry.name: entry for entry in entries}
        self._types = [ActionType(each.name, each.description) for each in self._entries.values()]

    def __iter__(self) -> Iterator[ActionType]:
        return iter(self._types)

    def with_entry(self, entry: Entry[Any, Any]) -> Registry:
        if entry.name in self._entries:
            raise AlreadyExistsError(
                f"there is already an action {quoted(entry.name)}", hint="choose another name"
            )
        return Registry((*self._entries.values(), entry))

    def answer(self, desk: Desk, caller: Caller, action: Action) -> tuple[bytes, ...]:
        """The bodies of the Results: one, or none."""
        entry = self._entries.get(action.type)
        if entry is None:
            close = nearest(action.type, self._entries)
            hint = (
                f"did you mean {quoted(close)}?" if close else "ListActions names those there are"
            )
            raise UnsupportedError(f"there is no action {quoted(action.type)}", hint=hint)
        caller.call.action = entry.name
        return entry.answer(desk, caller, action.body)


def as_is(answer: bytes) -> bytes:
    return answer

"""The table a statement changes, opened for it: the caller may, the columns held are there, and what
was opened is what was looked at.

A statement is bound to the table it was opened on; if another one stands under the name when it is
committed the catalog aborts it (decision 7).
"""

from __future__ import annotations

from dataclasses import dataclass

from lakeport.access import Ability
from lakeport.airport.caller import Caller
from lakeport.airport.exchange.kinds import Kind, begin
from lakeport.airport.requested import Layout, Requested
from lakeport.airport.scans.layouts import held_layout, state_of_schema
from lakeport.airport.scans.pins import Pins
from lakeport.airport.scans.readings import Reading
from lakeport.airport.scans.resolve import require_same_table
from lakeport.airport.visible import Found
from lakeport.catalog.ports import TableState, Write, WriteContext
from lakeport.core.errors import ConflictError, InvalidRequestError
from lakeport.core.names import quoted

_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Target:
    """`reading` is the table as it was opened, in the columns that its caller holds."""

    reading: Reading
    kind: Kind
    write: Write

    @property
    def state(self) -> TableState:
        return self.reading.rows


def open_target(
    caller: Caller, wanted: Requested, kind: Kind, pins: Pins, *, returning: bool = False
) -> Target:
    _require_now(wanted)
    found = caller.visible.table(wanted, Ability.WRITE)
    if kind is Kind.DELETE and returning:
        # The rows that are shown need not be the caller's own.
        name = found.table.name
        caller.identity.require(Ability.READ, found.catalog.name, name.namespace, name.table)
    context = WriteContext(actor=caller.identity.name, statement=str(kind))
    for _ in range(_ATTEMPTS):
        state = found.table.state()
        require_same_table(caller.call, found, state, pins)
        reading = Reading(found, state, _held(caller, wanted, found, state))
        _require_columns(reading)
        write = begin(kind, found.table, context)
        if _is_same(found.table.state(), state):
            return Target(reading, kind, write)
        write.abort()
    raise ConflictError(
        f"table {quoted(str(found.table.name))} was altered while the statement began",
        hint="run the statement again",
    )


def require_uuid(state: TableState, uuid: str) -> None:
    """`uuid` is the whole of it, or the digits that a layout has."""
    if uuid.lower() not in {state.uuid.lower(), Layout.of(state).uuid}:
        raise ConflictError(
            f"table {quoted(str(state.name))} was replaced by another table",
            hint="DETACH the catalog, ATTACH it again and run the statement again",
        )


def _require_now(wanted: Requested) -> None:
    asked = (wanted.at, wanted.columns, wanted.filter, wanted.limit)
    if any(value is not None for value in asked):
        raise InvalidRequestError(
            "a statement changes a table as it is now",
            hint="leave `ts`, `ts_ns`, `columns`, `filter` and `limit` out",
        )


def _held(caller: Caller, wanted: Requested, found: Found, state: TableState) -> TableState:
    held = held_layout(caller.call, wanted, found)
    if held is None:
        return state
    require_uuid(state, held.uuid)
    return state_of_schema(found, held.schema_id, state)


def _require_columns(reading: Reading) -> None:
    """A client with older columns is served as long as all of them are still what they were."""
    if reading.layout is not reading.rows:
        for index in range(len(reading.layout.definition.schema)):
            reading.column(index)


def _is_same(now: TableState, before: TableState) -> bool:
    """Types and constraints of ours may change without a new schema id."""
    return (now.uuid, now.schema_id) == (before.uuid, before.schema_id) and (
        now.definition is before.definition or now.definition == before.definition
    )

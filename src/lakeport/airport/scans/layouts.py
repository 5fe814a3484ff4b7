"""The columns a client was told of, which may be older than the table's: found again, or refused.

DuckDB's client never reloads a catalog, and a stream in other columns than it holds crashes it
(chapter 2.1). Its descriptor names the schema it holds; every schema change of ours leaves a snapshot
that carries the schema, so any replica finds it without having been there.
"""

from __future__ import annotations

from lakeport.airport.requested import Layout, Requested
from lakeport.airport.visible import Found
from lakeport.catalog.ports import TableState, Travelable
from lakeport.core.errors import LakeportError, PreconditionError
from lakeport.core.names import quoted
from lakeport.core.timepoint import AtSnapshot, AtVersion
from lakeport.flight.call import Call

_ATTACHED = ("airport-catalog", "airport-transaction-id")


def held_layout(call: Call, requested: Requested, found: Found) -> Layout | None:
    """None: whoever asks takes the table as it is.

    DuckDB holds a path without a layout only of a table it created itself, in its first columns
    (contract 000). Ad-hoc calls of its functions come without an attached catalog.
    """
    if requested.layout is not None or requested.at is not None or not is_attached(call):
        return requested.layout
    first = _first(found)
    return None if first is None else Layout.of(first)


def is_attached(call: Call) -> bool:
    return call.is_airport and any(call.header(name) is not None for name in _ATTACHED)


def layout_state(found: Found, held: Layout | None, current: TableState) -> TableState:
    """A state whose columns are the ones held; `current` is what is about to be read."""
    if held is None or held == Layout.of(current):
        return current
    if held.uuid != Layout.of(current).uuid:
        raise _stale(found, "was replaced by another table")
    return state_of_schema(found, held.schema_id, current)


def state_of_schema(found: Found, schema_id: int, current: TableState) -> TableState:
    table = found.table
    for state in (current, table.state()):
        if state.schema_id == schema_id:
            return state
    if isinstance(table, Travelable):
        for snapshot in reversed(table.history()):
            if snapshot.schema_id == schema_id:
                return table.state_at(AtSnapshot(snapshot.snapshot_id))
        first = _first(found)
        if first is not None and first.schema_id == schema_id:
            return first
    raise _stale(found, "has other columns now than this client was told of")


def lost_column(found: Found, column: str) -> PreconditionError:
    return _stale(found, f"no longer has the column {quoted(column)} as this client was told of it")


def _first(found: Found) -> TableState | None:
    if not isinstance(found.table, Travelable):
        return None
    try:
        return found.table.state_at(AtVersion(0))
    except LakeportError:
        return None  # what format 1 wrote has no versions


def _stale(found: Found, why: str) -> PreconditionError:
    return PreconditionError(
        f"table {quoted(str(found.table.name))} {why}",
        hint="DETACH the catalog and ATTACH it again",
    )

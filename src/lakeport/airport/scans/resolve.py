"""From a descriptor or a ticket to the state that is read and the columns that are shown.

The point in time comes from the request, from the transaction's pin, or is the head. What a ticket
names is found again by name, uuid and snapshot: a table made anew under the same name is not it.
"""

from __future__ import annotations

from lakeport.airport.requested import Requested
from lakeport.airport.scans.layouts import held_layout, layout_state, state_of_schema
from lakeport.airport.scans.pins import Pins
from lakeport.airport.scans.readings import Reading
from lakeport.airport.scans.tickets import ScanTicket
from lakeport.airport.transactions import require_transaction_id
from lakeport.airport.visible import Found, Visible
from lakeport.catalog.ports import TableState, Travelable
from lakeport.core.errors import (
    ConflictError,
    ExpiredError,
    InvalidRequestError,
    NotFoundError,
)
from lakeport.core.names import TableName, quoted
from lakeport.core.timepoint import AtRef, AtSnapshot, AtVersion, TimePoint
from lakeport.flight.call import Call

_TRANSACTION = "airport-transaction-id"


def resolve(call: Call, visible: Visible, requested: Requested, pins: Pins) -> Reading:
    """What a scan of this request reads, in the columns its client holds."""
    found = visible.table(requested)
    rows, at = _rows(call, found, requested.at, pins)
    require_same_table(call, found, rows, pins)
    return Reading(found, rows, layout_state(found, held_layout(call, requested, found), rows), at)


def declare(call: Call, visible: Visible, requested: Requested) -> Reading:
    """What is told of the table: at a point in time its columns then, whatever the client held."""
    found = visible.table(requested)
    if requested.at is not None:
        rows = _at(found, requested.at)
        return Reading(found, rows, rows, requested.at)
    rows = found.table.state()
    return Reading(found, rows, layout_state(found, held_layout(call, requested, found), rows))


def resolve_ticket(call: Call, visible: Visible, ticket: ScanTicket, pins: Pins) -> Reading:
    name = TableName(ticket.namespace, ticket.table)
    found = visible.table(Requested(name, catalog=ticket.catalog))
    head = found.table.state()
    if head.uuid != ticket.uuid:
        raise ConflictError(
            f"table {quoted(str(name))} was replaced since the scan began",
            hint="run the query again",
        )
    require_same_table(call, found, head, pins)
    rows, at = head, None
    if not _is_head(found, ticket, head):
        at = _point(ticket.snapshot)
        rows = found.state(at)
    return Reading(found, rows, state_of_schema(found, ticket.layout, rows), at)


def transaction_of(call: Call) -> str | None:
    text = call.header(_TRANSACTION)
    return require_transaction_id(text) if text else None


def require_same_table(call: Call, found: Found, state: TableState, pins: Pins) -> None:
    """A standard client goes by names alone: one that others gave to a new table aborts its
    transaction, because row ids that it has read are of the old one.

    DuckDB's descriptors say which table they mean, and what it drops and creates itself inside a
    transaction comes without the transaction's id.
    """
    transaction = transaction_of(call)
    if transaction is not None and not call.is_airport:
        pins.require_same(transaction, found.catalog.name, state)


def _rows(
    call: Call, found: Found, at: TimePoint | None, pins: Pins
) -> tuple[TableState, TimePoint | None]:
    if at is not None:
        return _at(found, at), at
    head = found.table.state()
    transaction = transaction_of(call)
    if transaction is None or not isinstance(found.table, Travelable):
        return head, None
    pinned = pins.hold(transaction, found.catalog.name, head)
    if pinned == head.snapshot_id:
        return head, None
    at = _point(pinned)
    state = _state_at(found.table, at)
    if state is not None and state.schema_id == head.schema_id:
        return state, at
    # Its columns were not the head's even then, or it has expired: the transaction begins anew.
    pins.move(transaction, found.catalog.name, head)
    return head, None


def _at(found: Found, at: TimePoint) -> TableState:
    """Chapter 8: a `snapshot` is an id, a tag or a branch; any other text is a wrong argument."""
    try:
        return found.state(at)
    except NotFoundError as error:
        if not isinstance(at, AtRef):
            raise
        found.table.state()  # unless it is the table that is not there
        raise InvalidRequestError(error.message, hint=error.hint) from error


def _state_at(table: Travelable, at: TimePoint) -> TableState | None:
    try:
        return table.state_at(at)
    except (NotFoundError, ExpiredError):
        return None


def _point(snapshot_id: int | None) -> TimePoint:
    return AtVersion(0) if snapshot_id is None else AtSnapshot(snapshot_id)


def _is_head(found: Found, ticket: ScanTicket, head: TableState) -> bool:
    """A table without a past is read as it is."""
    if not isinstance(found.table, Travelable):
        return True
    return ticket.is_head and ticket.snapshot == head.snapshot_id

"""Reading over the wire: what is declared of a table, `endpoints`, DoGet, `column_statistics`.

A scan is planned once, by `endpoints`, and carried in tickets; DoGet needs nothing that an earlier call
left behind, so any replica serves it. The pins of transactions are all that is kept here.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from msgspec.structs import replace

from lakeport.airport.announce import announced_schema
from lakeport.airport.flags import is_set
from lakeport.airport.requested import Requested, from_json
from lakeport.airport.scans.asked import Asked, asked_again, asked_of, scan_request
from lakeport.airport.scans.groups import grouped
from lakeport.airport.scans.pins import Pins
from lakeport.airport.scans.planning import plan_of, require_unmoved, steadily
from lakeport.airport.scans.readings import Reading
from lakeport.airport.scans.references import Lends, lends_none, reference_endpoints, runs_only
from lakeport.airport.scans.resolve import declare, resolve, resolve_ticket, transaction_of
from lakeport.airport.scans.statistics import (
    encode_statistics,
    is_vouched_for,
    outdates,
    produces_statistics,
)
from lakeport.airport.scans.stream import Pieces, empty_stream, stream
from lakeport.airport.scans.tickets import ScanTicket, decode_ticket, is_scan_ticket
from lakeport.airport.scans.totals import KnownTotals, Totals
from lakeport.airport.visible import Found, Visible
from lakeport.airport.wire.bodies import ScanParameters
from lakeport.airport.wire.sealed import MAX_BYTES
from lakeport.catalog.definition import require_column
from lakeport.catalog.delegation import Delegating, Lending
from lakeport.catalog.ports import (
    ColumnStatistics,
    Measurable,
    Scannable,
    ScanPlan,
    ScanRequest,
    TableState,
    Travelable,
    require,
)
from lakeport.core.errors import LimitError, NotFoundError, UnsupportedError
from lakeport.core.names import quoted
from lakeport.flight.call import Call
from lakeport.flight.messages import REUSE_CONNECTION, FlightEndpoint
from lakeport.flight.service import Outgoing

_MAX_ANSWER = 2 * MAX_BYTES
_SKIP = "airport-skip-producing-results"


@dataclass(frozen=True, slots=True)
class Announced:
    """`state` has the columns declared; `schema` is how they are."""

    found: Found
    state: TableState
    schema: pa.Schema


@dataclass(frozen=True, slots=True)
class Whole:
    """All of a request as one ticket; -1 is unknown."""

    announced: Announced
    ticket: bytes
    rows: int
    bytes: int


class Scans:
    """`public` is where other connections than the caller's own reach this server.

    `lends` says by which functions airport clients may read a table from storage themselves.
    """

    def __init__(
        self, public: str | None = None, pins: Pins | None = None, lends: Lends = lends_none
    ) -> None:
        self._lends = lends
        self._location = public or REUSE_CONNECTION
        self._pins = Pins() if pins is None else pins
        self._totals = KnownTotals()

    def changed(self, catalog: str, uuid: str) -> None:
        """The table's definition is another one: every transaction reads it anew (decision 20)."""
        self._pins.drop(catalog, uuid)

    # -- what is declared ------------------------------------------------------------------------

    def described(self, found: Found, state: TableState) -> Announced:
        """As DDL left it: no grant is asked for, who changed it was granted that."""
        return _announced(Reading(found, state, state))

    def announced(self, call: Call, visible: Visible, requested: Requested) -> Announced:
        return _announced(declare(call, visible, requested))

    def reading(self, call: Call, visible: Visible, requested: Requested) -> Reading:
        """What `whole` is told of."""
        if requested.at is None:
            return resolve(call, visible, requested, self._pins)
        return declare(call, visible, requested)

    def whole(self, reading: Reading, requested: Requested) -> Whole:
        """Planned when its ticket comes back: GetFlightInfo reads no manifest."""
        asked = asked_of(reading, requested)
        request, is_exact = scan_request(reading, asked)
        ticket = replace(_address(reading), **_wanted(asked))
        unfiltered = request.predicate is None and request.expression is None and is_exact
        known = self._totals.of(reading, asked.limit) if unfiltered else Totals()
        return Whole(_announced(reading), ticket.encode(), known.rows, known.bytes)

    # -- rows ------------------------------------------------------------------------------------

    def endpoints(
        self, call: Call, visible: Visible, requested: Requested, parameters: ScanParameters
    ) -> tuple[FlightEndpoint, ...]:
        requested = requested.at_point(parameters.at_unit, parameters.at_value)

        def attempt() -> tuple[FlightEndpoint, ...]:
            reading = resolve(call, visible, requested, self._pins)
            asked = asked_of(reading, requested, parameters)
            request, _ = scan_request(reading, asked)
            if isinstance(reading.found.table, Delegating) and _by_client(call, reading):
                return _delegated(reading.found.table, reading, asked, request)
            # Without ids it asks for no columns in particular, and DuckDB names those that it needs.
            row_ids = asked.row_ids and bool(parameters.column_ids)
            lent = None if row_ids else self._lent(call, reading, asked, request)
            if lent is not None:
                return lent
            table = _readable(reading.found)
            plan = plan_of(table, request, reading, same_rows=_minds_newer(call))
            return self._tickets(reading, asked, plan)

        return steadily(attempt)

    def _lent(
        self, call: Call, reading: Reading, asked: Asked, request: ScanRequest
    ) -> tuple[FlightEndpoint, ...] | None:
        """The same rows from the table's files; None if the server has to read them.

        It has to for row ids, so that a table stays one that can be changed, for columns as a client
        held them earlier, and for what nobody would apply again.
        """
        table = reading.found.table
        if not (call.is_airport and isinstance(table, Lending)):
            return None
        functions = self._lends(table.name)
        if not functions:
            return None
        if asked.own or asked.limit is not None or not asked.columns:
            return None
        if reading.layout is not reading.rows:
            return None
        lent = table.lend(dataclasses.replace(request, row_ids=False))
        if lent is None or not runs_only(lent.references, functions):
            return None
        require_unmoved(lent.state, reading, same_rows=_minds_newer(call))
        endpoints = reference_endpoints(lent.references)
        size = sum(len(each.locations[0]) for each in endpoints)
        return endpoints if size <= _MAX_ANSWER else None

    def _tickets(
        self, reading: Reading, asked: Asked, plan: ScanPlan
    ) -> tuple[FlightEndpoint, ...]:
        # A limit counts rows of the whole scan, so one reader must count them.
        groups = grouped(plan) if asked.limit is None else grouped(plan, 1)
        if not groups:
            return ()
        ticket = replace(
            _address(reading),
            snapshot=plan.splits[0].snapshot_id,
            is_exact=plan.exact,
            **_wanted(asked),
        )
        if asked.pushed and not _fits(ticket, len(groups)):
            # Files were chosen by it already, and the client applies it again.
            ticket = replace(ticket, filters=asked.own)
        tickets = (replace(ticket, parts=parts, share=rows) for parts, rows in groups)
        return tuple(FlightEndpoint(each.encode(), (self._location,)) for each in tickets)

    def do_get(self, call: Call, visible: Visible, ticket: bytes) -> Outgoing:
        """Tickets of ours, and contract 001's JSON."""
        if not is_scan_ticket(ticket) and ticket.lstrip().startswith(b"{"):
            requested = from_json(ticket, "the ticket")

            def asked_for() -> Outgoing:
                reading = resolve(call, visible, requested, self._pins)
                asked = asked_of(reading, requested)
                return _streamed(call, reading, asked, None, same_rows=_minds_newer(call))

            return steadily(asked_for)
        found = decode_ticket(ticket)

        def named() -> Outgoing:
            reading = resolve_ticket(call, visible, found, self._pins)
            asked = asked_again(reading, found)
            return _streamed(call, reading, asked, _pieces(found), same_rows=True)

        return steadily(named)

    # -- statistics ------------------------------------------------------------------------------

    def column_statistics(
        self, call: Call, visible: Visible, requested: Requested, column: str
    ) -> bytes:
        reading = resolve(call, visible, requested, self._pins)
        schema = reading.layout.definition.schema
        index = require_column(schema, column, where=_what(reading.found))
        return encode_statistics(schema.field(index), self._known(call, reading, column))

    def _known(self, call: Call, reading: Reading, column: str) -> ColumnStatistics:
        """Of the head alone, and only while it is sure that the scan will read the head.

        DuckDB asks first and scans later: without a transaction's pin it may find other rows then.
        """
        table = reading.found.table
        is_pinned = transaction_of(call) is not None and isinstance(table, Travelable)
        is_head = reading.at is None and reading.layout is reading.rows
        if not isinstance(table, Measurable) or not is_head:
            return ColumnStatistics()
        is_told = is_pinned and outdates(reading.found.catalog.version())
        if call.is_airport and not (is_told or is_vouched_for(table)):
            return ColumnStatistics()
        try:
            known = table.statistics(column)
        except NotFoundError:
            return ColumnStatistics()  # it went since it was looked for, as the scan will say
        unchanged = table.state().snapshot_id == reading.rows.snapshot_id
        return known if unchanged else ColumnStatistics()


def _by_client(call: Call, reading: Reading) -> bool:
    """Who cannot run a reference is served what we can read ourselves."""
    return call.is_airport or not isinstance(reading.found.table, Scannable)


def _delegated(
    table: Delegating, reading: Reading, asked: Asked, request: ScanRequest
) -> tuple[FlightEndpoint, ...]:
    if asked.own or asked.limit is not None:
        raise UnsupportedError(
            f"{_what(reading.found)} is read by its client, so nothing can be left out of it here",
            hint="leave out `filter` and `limit`, and put them into the query",
        )
    return reference_endpoints(table.references(request))


def _readable(found: Found) -> Scannable:
    if isinstance(found.table, Delegating) and not isinstance(found.table, Scannable):
        raise not_here(found)
    return require(found.table, Scannable, _what(found))


def _announced(reading: Reading) -> Announced:
    """Statistics are of the head alone: `column_statistics` tells of no point in time."""
    table, state = reading.found.table, reading.layout
    is_head = reading.at is None and reading.layout is reading.rows
    version = reading.found.catalog.version()
    statistics = is_head and produces_statistics(version, table, state)
    return Announced(reading.found, state, announced_schema(table, state, statistics=statistics))


def _streamed(
    call: Call, reading: Reading, asked: Asked, pieces: Pieces | None, *, same_rows: bool
) -> Outgoing:
    has_rows = reading.rows.snapshot_id is not None or not isinstance(
        reading.found.table, Travelable
    )
    _readable(reading.found)
    if is_set(call, _SKIP) or not has_rows:
        return empty_stream(reading)
    return stream(call, reading, asked, pieces, same_rows=same_rows)


def _pieces(ticket: ScanTicket) -> Pieces | None:
    if ticket.parts is None or ticket.snapshot is None:
        return None
    return Pieces(ticket.snapshot, ticket.parts, ticket.share, ticket.is_exact)


def _address(reading: Reading) -> ScanTicket:
    rows = reading.rows
    return ScanTicket(
        reading.found.catalog.name,
        rows.name.namespace,
        rows.name.table,
        rows.uuid,
        reading.layout.schema_id,
        rows.snapshot_id,
        is_head=reading.at is None,
    )


def _wanted(asked: Asked) -> dict[str, Any]:
    return {
        "columns": asked.columns,
        "row_ids": asked.row_ids,
        "filters": asked.filters,
        "limit": asked.limit,
    }


def _fits(ticket: ScanTicket, count: int) -> bool:
    try:
        return len(ticket.encode()) * count <= _MAX_ANSWER
    except LimitError:
        return False


def _minds_newer(call: Call) -> bool:
    """Whoever is in no transaction may as well read what was committed a moment later."""
    return transaction_of(call) is not None


def not_here(found: Found) -> UnsupportedError:
    return UnsupportedError(
        f"the rows of {_what(found)} are not read here: its client reads them itself",
        hint="attach the catalog in DuckDB, whose airport extension does, or ask for `endpoints`",
    )


def _what(found: Found) -> str:
    return f"table {quoted(str(found.table.name))}"

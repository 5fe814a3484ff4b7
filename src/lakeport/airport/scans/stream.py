"""DoGet: a ticket's rows, opened split by split and sent in the declared columns.

Everything a ticket says is looked up again: the table under its name, as its caller sees it, its uuid,
the snapshot, the columns. Batches have the size the scan gives them, 1 to 2 MB; whoever closes the
stream half-way, as DuckDB does for LIMIT, frees files and threads at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lakeport.airport.scans.asked import Asked, scan_request
from lakeport.airport.scans.conform import Conform, places_of
from lakeport.airport.scans.doubt import doubt_of
from lakeport.airport.scans.planning import plan_of
from lakeport.airport.scans.readings import Reading
from lakeport.airport.scans.tickets import Ranges, parts_of
from lakeport.airport.wire.packing import pack
from lakeport.catalog.ports import (
    Scannable,
    ScanPlan,
    ScanRequest,
    Split,
    TableState,
    require,
)
from lakeport.catalog.reading import read
from lakeport.catalog.requests import bind_request
from lakeport.catalog.streams import BatchStream
from lakeport.core.names import TableName, quoted
from lakeport.flight.call import Call
from lakeport.flight.service import Chunk, Outgoing


@dataclass(frozen=True, slots=True)
class Pieces:
    """Some of a snapshot's parts, as an earlier plan chose them; `rows` is how many there may be."""

    snapshot_id: int
    parts: Ranges
    rows: int | None
    is_exact: bool


def stream(
    call: Call, reading: Reading, asked: Asked, pieces: Pieces | None, *, same_rows: bool = True
) -> Outgoing:
    """Without pieces everything is planned here and now."""
    request, _ = scan_request(reading, asked)
    source = _Planned(reading, pieces, same_rows=same_rows)
    declared = reading.schema
    wanted = bind_request(request, reading.rows.definition.schema).schema
    conform = Conform(
        declared,
        places_of(asked.columns, row_ids=asked.row_ids, declared=len(declared)),
        str(reading.found.table.name),
        doubt=doubt_of(reading.found.table, wanted),
        with_null_type=call.is_airport,
    )
    batches = read(source, request)
    expected = source.expected if call.is_airport else None
    chunks = _chunks(batches, conform, expected)
    return Outgoing(conform.schema, chunks, batches.close)


def empty_stream(reading: Reading) -> Outgoing:
    """The declared columns, and no row."""
    return Outgoing(reading.schema, ())


def merged(plan: ScanPlan) -> tuple[Split, ...]:
    """One split of all parts: its reader's threads never wait between two of them."""
    if not plan.splits:
        return ()
    parts = tuple(part for split in plan.splits for part in split.parts)
    return (Split(plan.splits[0].snapshot_id, parts),)


class _Planned:
    """A table of which only the pieces of a ticket are read, each row of them once."""

    def __init__(self, reading: Reading, pieces: Pieces | None, *, same_rows: bool) -> None:
        self._reading = reading
        self._pieces = pieces
        self._same_rows = same_rows
        self._source = require(
            reading.found.table, Scannable, f"table {quoted(str(reading.found.table.name))}"
        )
        self.expected: int | None = None if pieces is None else pieces.rows

    @property
    def name(self) -> TableName:
        return self._reading.found.table.name

    def state(self) -> TableState:
        return self._reading.rows

    def plan(self, request: ScanRequest) -> ScanPlan:
        pieces = self._pieces
        if pieces is None:
            plan = plan_of(self._source, request, self._reading, same_rows=self._same_rows)
            self.expected = plan.rows
            return ScanPlan(
                plan.state, plan.schema, merged(plan), plan.rows, plan.bytes, plan.exact
            )
        schema = bind_request(request, self._reading.rows.definition.schema).schema
        splits = (Split(pieces.snapshot_id, tuple(parts_of(pieces.parts))),)
        return ScanPlan(self._reading.rows, schema, splits, pieces.rows, exact=pieces.is_exact)

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        return self._source.open(request, split)


def _chunks(batches: BatchStream, conform: Conform, expected: int | None) -> Iterator[Chunk]:
    sent = 0
    for batch in batches:
        sent += batch.num_rows
        yield Chunk(conform.batch(batch), progress(sent, expected))


def progress(sent: int, expected: int | None) -> bytes | None:
    """The share of this endpoint alone; the client divides by the number of endpoints itself."""
    return pack({"progress": min(1.0, sent / expected)}) if expected else None

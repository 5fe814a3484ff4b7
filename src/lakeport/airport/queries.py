"""A reading in a person's words: SQL as the condition, any point in time, columns in their own order.

What `lakeport read` does here, its `--server` asks for there, with the same parser and the same
refusals. The stream carries the columns asked for and no others, in the catalog's own types: who asks
is not DuckDB, whose client needs every declared column (chapter 0).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from lakeport.airport.named import named_table
from lakeport.airport.scans.conform import Conform
from lakeport.airport.scans.doubt import doubt_of
from lakeport.airport.visible import Visible
from lakeport.airport.wire.questions import TableQuery
from lakeport.catalog.query import open_query
from lakeport.catalog.streams import BatchStream
from lakeport.flight.service import Chunk, Outgoing


def read_query(visible: Visible, wanted: TableQuery) -> Outgoing:
    table = named_table(visible, wanted.table, wanted.catalog)
    stream = open_query(table, wanted.query)
    conform = Conform(
        stream.schema,
        tuple(range(len(stream.schema))),
        str(table.name),
        doubt=doubt_of(table, stream.schema),
    )
    return Outgoing(stream.schema, _chunks(stream, conform), stream.close)


def query_schema(visible: Visible, wanted: TableQuery) -> pa.Schema:
    """Checked like a reading, of which no row is wanted."""
    table = named_table(visible, wanted.table, wanted.catalog)
    with open_query(table, replace(wanted.query, limit=0)) as stream:
        return stream.schema


def _chunks(stream: BatchStream, conform: Conform) -> Iterator[Chunk]:
    for batch in stream:
        yield Chunk(conform.batch(batch))

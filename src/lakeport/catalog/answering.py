"""A scan request answered from batches that somebody else produces: functions, system tables.

Whoever makes rows need not know about projections, conditions and limits; the source is read lazily
and closed as soon as the limit is reached or the reader goes away.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

import pyarrow as pa

from lakeport.catalog.arrays.selection import keep_rows, with_columns
from lakeport.catalog.conditions import accepted
from lakeport.catalog.definition import require_column
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import bind
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import InvalidRequestError, UnsupportedError


def answer(
    schema: pa.Schema,
    batches: Iterator[pa.RecordBatch],
    request: ScanRequest,
    on_close: Callable[[], None] | None = None,
) -> BatchStream:
    """What of the batches, which all have this schema, the request asks for."""
    if request.row_ids:
        raise UnsupportedError("these rows have no row ids")
    if request.at is not None:
        raise UnsupportedError("these rows cannot be read as of an earlier point")
    if request.limit is not None and request.limit < 0:
        raise InvalidRequestError(f"a limit cannot be negative, got {request.limit}")
    names = schema.names if request.columns is None else request.columns
    indices = [require_column(schema, name) for name in names]
    wanted = pa.schema([schema.field(index) for index in indices]).with_metadata(schema.metadata)
    return BatchStream(wanted, _rows(schema, batches, request, indices, wanted), on_close)


def _rows(
    schema: pa.Schema,
    batches: Iterator[pa.RecordBatch],
    request: ScanRequest,
    indices: list[int],
    wanted: pa.Schema,
) -> Generator[pa.RecordBatch, None, None]:
    predicate = None if request.predicate is None else bind(request.predicate, schema)
    left = request.limit
    try:
        while left != 0:
            batch = next(batches, None)
            if batch is None:
                return
            mask = accepted(predicate, request.expression, batch)
            rows = batch if mask is None else keep_rows(batch, mask)
            if left is not None:
                rows = rows.slice(0, left)
                left -= rows.num_rows
            if rows.num_rows:
                columns = [rows.column(index) for index in indices]
                yield with_columns(columns, wanted, rows.num_rows)
    finally:
        if isinstance(batches, Generator):
            batches.close()

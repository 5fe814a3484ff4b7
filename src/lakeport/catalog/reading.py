"""Reading a whole table through its ports: plan, open the splits one after the other, stop early.

What a client does with tickets, this does in one process. It also makes good what an implementation
leaves undone: where a plan says its streams may hold rows that the conditions refuse, the conditions
are applied here, so the result is always exact.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import pyarrow as pa

from lakeport.catalog.arrays.selection import keep_rows, with_columns
from lakeport.catalog.conditions import accepted, columns_read
from lakeport.catalog.definition import column_index
from lakeport.catalog.ports import Scannable, ScanPlan, ScanRequest, Table, require
from lakeport.catalog.predicates import bind
from lakeport.catalog.streams import BatchStream
from lakeport.core.names import fold, quoted


def read(table: Table, request: ScanRequest | None = None) -> BatchStream:
    """All rows that the request asks for. Closing the stream closes the split it stands in."""
    source = require(table, Scannable, f"table {quoted(str(table.name))}")
    request = request or ScanRequest()
    plan = source.plan(request)
    if plan.exact or (request.predicate is None and request.expression is None):
        return BatchStream(plan.schema, _exact(source, request, plan))
    return BatchStream(plan.schema, _refined(source, request, plan))


def _exact(
    source: Scannable, request: ScanRequest, plan: ScanPlan
) -> Generator[pa.RecordBatch, None, None]:
    left = request.limit
    for split in plan.splits:
        with source.open(replace(request, limit=left), split) as stream:
            for batch in stream:
                rows = batch if left is None else batch.slice(0, left)
                if left is not None:
                    left -= rows.num_rows
                yield rows
                if left == 0:
                    return


def _refined(
    source: Scannable, request: ScanRequest, plan: ScanPlan
) -> Generator[pa.RecordBatch, None, None]:
    # The limit counts rows that are kept, so a split must not apply it before us.
    wider = replace(request, columns=_with_condition_columns(request, plan), limit=None)
    predicate = request.predicate
    if predicate is not None:
        predicate = bind(predicate, plan.state.definition.schema)
    left = request.limit
    for split in plan.splits:
        with source.open(wider, split) as stream:
            for batch in stream:
                mask = accepted(predicate, request.expression, batch)
                rows = batch if mask is None else keep_rows(batch, mask)
                if left is not None:
                    rows = rows.slice(0, left)
                    left -= rows.num_rows
                if rows.num_rows:
                    yield _narrowed(rows, plan.schema)
                if left == 0:
                    return


def _with_condition_columns(request: ScanRequest, plan: ScanPlan) -> tuple[str, ...] | None:
    if request.columns is None:
        return None
    held = {fold(name) for name in request.columns}
    read = {fold(name) for name in columns_read(request.predicate, request.expression)}
    names = plan.state.definition.schema.names
    return request.columns + tuple(name for name in names if fold(name) in read - held)


def _narrowed(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    indices = [column_index(batch.schema, name) for name in schema.names]
    columns = [batch.column(index) for index in indices if index is not None]
    return with_columns(columns, schema, batch.num_rows)

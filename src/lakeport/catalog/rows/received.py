"""What UPDATE … RETURNING shows: the values as stored, in the columns and order they were sent."""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.definition import ROW_ID_FIELD
from lakeport.catalog.rows.conform import Assignment
from lakeport.core.names import ROW_ID, fold


def as_received(batch: pa.RecordBatch, assignment: Assignment) -> pa.RecordBatch:
    """`batch` is what was sent, and the assignment what became of it."""
    values = assignment.values
    columns: list[Array] = []
    fields: list[Field] = []
    stored = iter(zip(values.schema, values.columns, strict=True))
    for received in batch.schema:
        if fold(received.name) == ROW_ID:
            fields.append(ROW_ID_FIELD)
            columns.append(assignment.row_ids)
        else:
            column, array = next(stored)
            fields.append(column.with_name(received.name))
            columns.append(array)
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))

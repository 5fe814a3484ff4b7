"""Rows through storage and a Parquet file, for tests of logical types."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.schema import Schema

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.iceberg.types import (
    Column,
    columns_for,
    describe,
    from_logical,
    read_annotations,
    to_logical,
    write_annotations,
)


def columns_of(schema: pa.Schema) -> tuple[Column, ...]:
    """The columns as a table created with this schema has them, its property read back from text."""
    description = describe(schema)
    words = read_annotations(write_annotations(description.annotations))
    assert words == description.annotations
    return columns_for(Schema(*description.fields), words)


def stored(rows: pa.RecordBatch, columns: Sequence[Column]) -> pa.RecordBatch:
    arrays = [
        from_logical(array, column) for array, column in zip(rows.columns, columns, strict=True)
    ]
    for array, column in zip(arrays, columns, strict=True):
        array.validate(full=True)
        assert array.type.equals(column.stored, check_metadata=True)
    fields = [pa.field(str(at), array.type) for at, array in enumerate(arrays)]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def through_parquet(table: pa.Table) -> pa.Table:
    """The table after it was stored and read in batches of seven rows."""
    columns = columns_of(table.schema)
    assert pa.schema([column.arrow for column in columns]).equals(table.schema, check_metadata=True)
    rows = stored(glue_rows(table.to_batches(), table.schema), columns)
    file = io.BytesIO()
    pq.write_table(pa.Table.from_batches([rows]), file)
    batches = [
        pa.RecordBatch.from_arrays(
            [
                to_logical(array.cast(column.stored), column)
                for array, column in zip(batch.columns, columns, strict=True)
            ],
            schema=table.schema,
        )
        for batch in pq.ParquetFile(file).iter_batches(7)
    ]
    return pa.Table.from_batches(batches, table.schema)

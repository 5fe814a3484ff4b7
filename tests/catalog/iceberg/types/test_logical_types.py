"""Every Arrow type through storage, Parquet and back: the same type, the same values."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.schema import Schema, assign_fresh_schema_ids

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
from tests.behaviours.exact import assert_same_rows, numbered
from tests.catalog.iceberg.types.visible import visible_table
from tests.strategies import ENCODED, LEAVES, random_schema, random_table, seeded


def columns_of(schema: pa.Schema) -> tuple[Column, ...]:
    """The columns as a table created with this schema has them, its property read back from text."""
    description = describe(schema)
    words = read_annotations(write_annotations(description.annotations))
    assert words == description.annotations
    return columns_for(Schema(*description.fields), words)


def through_parquet(table: pa.Table) -> pa.Table:
    columns = columns_of(table.schema)
    assert pa.schema([column.arrow for column in columns]).equals(table.schema, check_metadata=True)
    rows = glue_rows(table.to_batches(), table.schema)
    stored = [
        from_logical(array, column) for array, column in zip(rows.columns, columns, strict=True)
    ]
    for array, column in zip(stored, columns, strict=True):
        array.validate(full=True)
        assert array.type.equals(column.stored, check_metadata=True)
    fields = [pa.field(str(at), array.type) for at, array in enumerate(stored)]
    file = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(stored, schema=pa.schema(fields)), file)
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


@pytest.mark.parametrize("data_type", [*LEAVES, *ENCODED], ids=str)
def test_each_type_comes_back_exactly(data_type: pa.DataType) -> None:
    table = numbered(random_table(seeded(11), pa.schema([pa.field("x", data_type)]), 60))
    assert_same_rows(through_parquet(table), visible_table(table))


@pytest.mark.parametrize("seed", range(150))
def test_generated_schemas_come_back_exactly(seed: int) -> None:
    rng = seeded(seed)
    table = numbered(random_table(rng, random_schema(rng), rng.choice((0, 1, 40))))
    assert_same_rows(visible_table(through_parquet(table)), visible_table(table))


@pytest.mark.parametrize("seed", range(50))
def test_field_ids_are_those_a_catalog_gives(seed: int) -> None:
    described = Schema(*describe(random_schema(seeded(seed))).fields)
    assert assign_fresh_schema_ids(described) == described

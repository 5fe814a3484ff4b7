from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.definition import check_columns
from tests.arrow_rows import random_array
from tests.strategies import (
    ENCODED,
    LEAVES,
    arrow_types,
    random_schema,
    random_table,
    schemas,
    seeded,
    tables,
)


@pytest.mark.parametrize("data_type", [*LEAVES, *ENCODED], ids=str)
def test_arrays_of_every_type_are_valid(data_type: pa.DataType) -> None:
    for rows in (0, 1, 30):
        array = random_array(seeded(rows), data_type, rows)
        array.validate(full=True)
        assert (array.type, len(array)) == (data_type, rows)
        required = random_array(seeded(rows), data_type, rows, nullable=False)
        assert pa.types.is_null(data_type) or required.null_count == 0


def test_columns_that_are_not_null_hold_no_null() -> None:
    for seed in range(200):
        rng = seeded(seed)
        table = random_table(rng, random_schema(rng), 10)
        for field, column in zip(table.schema, table.columns, strict=True):
            # Also the member of a union: DuckDB calls a row NULL whose member is.
            assert field.nullable or not any(
                pc.is_null(chunk).true_count for chunk in column.chunks
            )


@settings(derandomize=True, max_examples=60, deadline=None)
@given(data=st.data())
def test_generated_tables_are_ones_that_a_catalog_accepts(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    check_columns(schema)
    table = data.draw(tables(schema))
    table.validate(full=True)
    assert table.schema.equals(schema, check_metadata=True)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(data_type=arrow_types())
def test_generated_types_can_be_columns(data_type: pa.DataType) -> None:
    check_columns(pa.schema([pa.field("x", data_type)]))


def test_one_seed_gives_one_table() -> None:
    def made() -> pa.Table:
        rng = seeded(42)
        return random_table(rng, random_schema(rng, 6), 20)

    assert str(made().to_batches()) == str(made().to_batches())
    assert made().schema == made().schema


def test_many_schemas_hold_every_type_between_them() -> None:
    seen = {str(field.type) for seed in range(400) for field in random_schema(seeded(seed), 6)}
    assert {str(leaf) for leaf in (*LEAVES, *ENCODED)} <= seen
    for nested in ("list<", "large_list<", "fixed_size_list<", "struct<", "map<", "sparse_union<"):
        assert any(name.startswith(nested) for name in seen)

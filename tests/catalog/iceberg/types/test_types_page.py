"""The page about types says what the code does, and what DuckDB's own reader sees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.arrays.containers import is_list_view, nulls
from tests.arrow_rows import random_field_array
from tests.catalog.iceberg.types.types_page import PAGE, ROWS, duckdb_type, types_page
from tests.catalog.iceberg.write.fresh import fresh_catalog
from tests.lakes.duckdb_reader import DuckDBReader
from tests.strategies import seeded


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[DuckDBReader]:
    found = DuckDBReader(tmp_path)
    yield found
    found.close()


def test_the_page_is_written_from_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == types_page(), (
        "run python -m tests.catalog.iceberg.types.types_page"
    )


def test_other_readers_open_every_storage_type(tmp_path: Path, reader: DuckDBReader) -> None:
    fields = [row.field.with_name(f"c{at}") for at, row in enumerate(ROWS)]
    schema = pa.schema(fields)
    arrays = [
        nulls(20, field.type)
        if is_list_view(field.type)
        else random_field_array(seeded(at), field, 20)
        for at, field in enumerate(fields)
    ]
    with fresh_catalog(tmp_path) as fresh:
        fresh.create(schema)
        fresh.insert([pa.RecordBatch.from_arrays(arrays, schema=schema)])
        native = fresh.load()
    assert native.scan().to_arrow().num_rows == 20
    kinds = ", ".join(f"typeof({name}) AS t_{name}, {name}" for name in schema.names)
    seen = reader.rows(native.metadata_location, kinds)
    assert {field.name: seen[f"t_{field.name}"].to_pylist() for field in fields} == {
        field.name: [duckdb_type(field.field_type)] * 20 for field in native.schema().fields
    }

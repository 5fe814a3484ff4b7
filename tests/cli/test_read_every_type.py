"""A table with a column of every type, stored as Iceberg, read from the shell in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import lakeport as library
from lakeport.app.lake.load.values import read_json
from lakeport.app.lake.rows.csv import csv_chunks
from lakeport.app.lake.rows.json import json_chunks
from lakeport.app.lake.writing import create_table, ensure_namespace
from lakeport.catalog.definition import Definition
from lakeport.catalog.streams import BatchStream
from lakeport.core.names import TableName
from tests.app.lake.test_rows_as_text import TYPES
from tests.arrow_rows import random_array
from tests.cli.conftest import Run
from tests.strategies import seeded

EVERY = (*TYPES, pa.json_(pa.string()))


@pytest.fixture
def batch(lakeport: Run) -> pa.RecordBatch:
    """Twelve rows, which `s.every` holds as well."""
    rng = seeded(11)
    names = [f"c{place}" for place in range(len(EVERY))]
    made = pa.RecordBatch.from_arrays([random_array(rng, kind, 12) for kind in EVERY], names=names)
    assert lakeport("init").code == 0
    with library.open() as lake:
        ensure_namespace(lake.catalog, "s")
        create_table(lake.catalog, TableName("s", "every"), Definition(made.schema))
        lake.table("s.every").append(made)
    return made


def test_json_and_csv_show_what_was_written(lakeport: Run, batch: pa.RecordBatch) -> None:
    def stream() -> BatchStream:
        return BatchStream(batch.schema, iter([batch]))

    shown = lakeport("read", "s.every", "--json").out
    assert read_json(shown) == read_json(b"".join(json_chunks(stream())).decode())
    shown = lakeport("read", "s.every", "--format", "csv").out
    assert shown == b"".join(csv_chunks(stream())).decode()


def test_arrow_has_the_same_types(lakeport: Run, batch: pa.RecordBatch) -> None:
    lakeport("read", "s.every", "--format", "arrow", "--output", "every.arrows")
    with pa.ipc.open_stream(Path("every.arrows").read_bytes()) as reader:
        assert [field.type for field in reader.schema] == [field.type for field in batch.schema]
        assert reader.read_all().num_rows == batch.num_rows


@pytest.mark.parametrize("output", ["json", "csv", "arrow"])
def test_what_was_read_can_be_loaded_again(
    lakeport: Run, batch: pa.RecordBatch, output: str
) -> None:
    with library.open() as lake:
        create_table(lake.catalog, TableName("s", "again"), Definition(batch.schema))
    lakeport("read", "s.every", "--format", output, "--output", f"rows.{output}")
    loaded = lakeport("load", "s.again", f"rows.{output}")
    assert (loaded.code, loaded.err) == (0, "")
    again, before = (lakeport("read", f"s.{name}", "--json").out for name in ("again", "every"))
    assert read_json(again) == read_json(before)


def test_show_names_every_type(lakeport: Run, batch: pa.RecordBatch) -> None:
    columns = json.loads(lakeport("show", "s.every", "--json").out)["columns"]
    assert [column["arrow"] for column in columns] == [str(kind) for kind in batch.schema.types]
    assert all(column["type"] for column in columns)

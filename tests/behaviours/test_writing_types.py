"""Rows of every type survive updates and deletes around them, and being written by row id."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.arrays.selection import take_rows
from lakeport.catalog.changes import AddColumn, RenameColumn
from lakeport.catalog.definition import ROW_ID_FIELD
from lakeport.catalog.ports import ScanRequest
from tests.behaviours.exact import POSITION, assert_same_rows, in_order, numbered
from tests.behaviours.lake import Lake
from tests.behaviours.test_reading_types import mixed_schema
from tests.strategies import random_batch, random_table, seeded


@pytest.mark.parametrize("seed", range(30))
def test_rows_survive_what_happens_around_them(lake: Lake, seed: int) -> None:
    rng = seeded(2_000 + seed)
    schema = mixed_schema(rng, 4)
    table = numbered(random_table(rng, schema, 120))
    subject = lake.create(table.schema)
    subject.insert(table.slice(0, 50))
    subject.insert(table.slice(50))
    subject.delete(subject.row_ids(f"{POSITION} % 3 = 0"))
    subject.alter(AddColumn(pa.field("extra", pa.int8())), RenameColumn(POSITION, "number"))
    subject.alter(RenameColumn("number", POSITION))
    ids = subject.row_ids(f"{POSITION} % 3 = 1")
    subject.update(ids, extra=[1] * len(ids))
    left = pa.array([at for at in range(120) if at % 3])
    expected = pa.Table.from_batches([take_rows(in_order(table), left)])
    found = subject.read(ScanRequest(columns=tuple(table.schema.names)))
    assert_same_rows(found, expected)


@pytest.mark.parametrize("seed", range(30))
def test_new_values_of_any_type_are_stored_exactly(lake: Lake, seed: int) -> None:
    rng = seeded(3_000 + seed)
    schema = mixed_schema(rng, 3)
    table = numbered(random_table(rng, schema, 100))
    subject = lake.create(table.schema)
    subject.insert(table)
    current = subject.read(ScanRequest(columns=(POSITION,), row_ids=True))
    fresh = random_batch(rng, schema, 100)
    assignment = pa.RecordBatch.from_arrays(
        [*fresh.columns, current["rowid"].combine_chunks()],
        schema=pa.schema([*schema, ROW_ID_FIELD]),
    )
    with subject.updatable.update() as write:
        write.add(assignment)
        write.commit()
    expected = pa.Table.from_batches([fresh]).append_column(
        pa.field(POSITION, pa.int64()), current[POSITION]
    )
    assert_same_rows(subject.read(), expected)

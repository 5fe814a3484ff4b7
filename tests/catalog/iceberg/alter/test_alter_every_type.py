"""Columns of every type stay exactly what they are while the columns around them change."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.changes import (
    AddColumn,
    Change,
    DropColumn,
    RelaxColumn,
    RenameColumn,
    SetComment,
)
from lakeport.catalog.definition import Definition, with_default
from lakeport.catalog.evolution.evolve import evolve
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.reading import read
from lakeport.catalog.statements import insert_rows
from lakeport.core.timepoint import AtVersion
from tests.behaviours.exact import POSITION, assert_same_rows, numbered
from tests.behaviours.test_reading_types import mixed_schema
from tests.catalog.iceberg.alter.ground import Ground
from tests.strategies import random_table, seeded

REWRITES = AddColumn(with_default(pa.field("extra", pa.int8()), "7"))


@pytest.mark.parametrize("seed", range(10))
def test_rows_of_every_type_survive_being_written_again(ground: Ground, seed: int) -> None:
    rng = seeded(5_000 + seed)
    table = numbered(random_table(rng, mixed_schema(rng, 5), 60))
    ware = ground.create(Definition(table.schema))
    insert_rows(ware.table, table)
    names = tuple(table.schema.names)
    changes: list[Change] = [
        REWRITES,
        SetComment(None, "seen"),
        RenameColumn(names[0], "first"),
    ]
    planned = evolve(ware.table.state().definition, changes).definition
    state = ware.alter(*changes)
    assert state.definition == planned
    assert state.definition.schema.equals(planned.schema, check_metadata=True)
    ware.alter(RenameColumn("first", names[0]))
    with read(ware.table, ScanRequest(columns=names)) as stream:
        assert_same_rows(stream.read_all(), table)
    with read(ware.table, ScanRequest(at=AtVersion(1))) as stream:
        assert_same_rows(stream.read_all(), table)


@pytest.mark.parametrize("seed", range(5))
def test_a_column_of_any_type_is_added_relaxed_and_dropped(ground: Ground, seed: int) -> None:
    rng = seeded(6_000 + seed)
    added = [field for field in mixed_schema(rng, 6) if field.name != POSITION]
    ware = ground.create(pa.schema([pa.field("k", pa.int64())]))
    ware.alter(*(AddColumn(column) for column in added))
    assert ware.schema.equals(pa.schema([pa.field("k", pa.int64()), *added]), check_metadata=True)
    ware.alter(*(RelaxColumn((column.name,)) for column in added))
    ware.insert([{"k": 1}])
    kept, *dropped = added
    ware.alter(*(DropColumn(column.name) for column in dropped))
    assert ware.schema.names == ["k", kept.name]
    assert len(ware.rows()) == 1

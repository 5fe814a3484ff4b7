"""Tables written over the wire, as PyIceberg and DuckDB's own reader of Iceberg read them, at every snapshot.

What they read is what was sent, up to the documented storage types; the files are what Iceberg's
specification says.
"""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Field
from lakeport.catalog.changes import AddColumn, ChangeType, DropColumn, RenameColumn
from lakeport.catalog.definition import Definition
from tests.airport.readback.conftest import Telling
from tests.airport.types.duckdb_values import ROWS, Session
from tests.behaviours.lake import schema_of
from tests.catalog.iceberg.readback.program import Program
from tests.catalog.iceberg.readback.readers import KEY
from tests.catalog.iceberg.readback.test_readback_programs import generated, ruled
from tests.catalog.iceberg.readback.test_readback_types import TABLES
from tests.strategies import seeded

SHAPES = {"generated": generated, "ruled": ruled}
NORMAL, LONG = 1, 5


@pytest.mark.parametrize("setting", ["lossy", "lossless"])
def test_every_type_of_duckdbs_is_read_by_others(tell: Telling, setting: str) -> None:
    session = Session(lossless=setting == "lossless")
    rows, others = session.make("own"), session.make("other", shift=1)
    story = tell(Definition(rows.schema))
    story.insert(rows)
    story.update([*range(0, ROWS, 2)], _values(others, 2))
    story.delete([1])
    story.check_past()


def _values(rows: pa.Table, step: int) -> pa.RecordBatch:
    """Every so many rows, without their keys."""
    taken = pa.concat_tables([rows.slice(at, 1) for at in range(0, ROWS, step)])
    (batch,) = taken.drop_columns([KEY]).combine_chunks().to_batches()
    return batch


@pytest.mark.parametrize("name", ["alone", "in structs", "in unions", "deep"])
def test_values_of_every_arrow_type_are_read_by_others(tell: Telling, name: str) -> None:
    key: Field = pa.field(KEY, pa.int64(), nullable=False)
    story = tell(Definition(pa.schema([key, *TABLES[name]])))
    program = Program(seeded(11), story)
    story.insert(program.rows(20))
    new = program.rows(6).drop_columns([KEY]).combine_chunks().to_batches()[0]
    story.update(story.keys[5:11], new)
    story.delete(story.keys[::4])
    story.check_past()


def test_columns_altered_over_the_wire_are_read_by_others(tell: Telling) -> None:
    story = tell(Definition(schema_of(k=pa.int64(), name=pa.string(), n=pa.int32())))
    program = Program(seeded(5), story)
    for change in (
        AddColumn(pa.field("größe", pa.uint64())),
        RenameColumn("name", "Straße 1"),
        ChangeType("n", pa.string(), using="'n' || n"),
        DropColumn("größe"),
        AddColumn(pa.field("größe", pa.list_(pa.date32()))),
    ):
        program.insert()
        story.alter(change)
        story.check()
    program.insert()
    program.update()
    assert story.refusals == 0
    story.check_past()


@pytest.mark.parametrize("seed", range(NORMAL))
@pytest.mark.parametrize("shape", SHAPES)
def test_a_life_over_the_wire_is_read_by_others(tell: Telling, shape: str, seed: int) -> None:
    live(tell, shape, seed, steps=8)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(NORMAL, NORMAL + LONG))
@pytest.mark.parametrize("shape", SHAPES)
def test_many_lives_over_the_wire_are_read_by_others(tell: Telling, shape: str, seed: int) -> None:
    live(tell, shape, seed, steps=20)


def live(tell: Telling, shape: str, seed: int, steps: int) -> None:
    definition, special = SHAPES[shape](seed)
    program = Program(seeded(seed), tell(definition), special)
    program.run(steps)
    program.story.check_past()

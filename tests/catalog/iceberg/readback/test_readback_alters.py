"""Every change of columns, one after the other on one table with deleted rows, as others read it."""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    AddField,
    Change,
    ChangeType,
    DropColumn,
    DropConstraint,
    DropField,
    RelaxColumn,
    RenameColumn,
    RenameField,
    RequireColumn,
    SetComment,
    SetDefault,
    WidenColumn,
)
from lakeport.catalog.definition import Check, Definition, Unique, with_default
from tests.behaviours.lake import schema_of
from tests.catalog.iceberg.readback.conftest import Telling
from tests.catalog.iceberg.readback.program import Program
from tests.catalog.iceberg.readback.story import Story
from tests.catalog.iceberg.readback.test_readback_layouts import TEXTS, among, update
from tests.strategies import seeded

PLACE = pa.struct([pa.field("city", pa.string()), pa.field("zip", pa.int32())])
COLUMNS = schema_of(
    k=pa.int64(),
    i=pa.int32(),
    u=pa.uint8(),
    f=pa.float32(),
    d=pa.decimal128(9, 2),
    t=pa.timestamp("s"),
    s=pa.string(),
    home=PLACE,
    homes=pa.list_(PLACE),
    places=pa.map_(pa.string(), PLACE),
)
NUMBER, WORD = pa.field("n", pa.int32()), pa.field("w", pa.string(), nullable=False)
CHANGES: list[Change] = [
    AddColumn(pa.field("more", pa.uuid())),
    AddColumn(with_default(NUMBER, "42")),
    AddColumn(with_default(WORD, "'été'")),
    AddField(("home",), pa.field("street", pa.string())),
    AddField(("homes", "element"), pa.field("floor", pa.int16())),
    AddField(("places", "value"), pa.field("floor", pa.uint64())),
    WidenColumn(("i",), pa.int64()),
    WidenColumn(("u",), pa.uint16()),
    WidenColumn(("f",), pa.float64()),
    WidenColumn(("d",), pa.decimal128(20, 2)),
    WidenColumn(("home", "zip"), pa.int64()),
    WidenColumn(("homes", "element", "zip"), pa.int64()),
    RelaxColumn(("w",)),
    RequireColumn("n"),
    RenameColumn("s", "text"),
    RenameField(("home", "city"), "town"),
    RenameField(("places", "value", "city"), "town"),
    ChangeType("t", pa.timestamp("us", "UTC")),
    ChangeType("u", pa.string()),
    ChangeType("i", pa.uint32(), using="k % 7"),
    SetDefault("text", "'none'"),
    SetComment("text", "what it says"),
    SetComment(None, "all of it"),
    AddConstraint(Check("k >= 0", "counted")),
    AddConstraint(Unique(("k",), "once")),
    DropConstraint("once"),
    DropField(("home", "zip")),
    DropField(("homes", "element", "city")),
    DropColumn("d"),
    AddColumn(pa.field("d", pa.date32())),  # another column of an old name
    DropColumn("more"),
]


def filled(story: Story, special: Program) -> None:
    story.insert(special.rows(12))
    story.delete(story.keys[::4])


def test_every_change_of_columns_is_read_by_others(tell: Telling) -> None:
    program = Program(seeded(5), tell(COLUMNS))
    story = program.story
    filled(story, program)
    for step, change in enumerate(CHANGES):
        story.alter(change)
        if step % 6 == 0:
            story.insert(program.rows(2))
            update(program, story.keys[-3:])
        story.check()
    assert story.refusals == 0
    story.check_past()
    story.compact()
    story.expire(keep=1)
    story.check()


def test_a_partitioned_table_is_read_by_others_after_its_layout_changed(tell: Telling) -> None:
    schema = schema_of(k=pa.int64(), region=pa.string(), price=pa.int32(), v=pa.string())
    layout = Definition(schema, partitioned_by=("region", "bucket(2, k)"), sorted_by=("price",))
    program = Program(seeded(6), tell(layout), {"region": among(pa.string(), TEXTS)})
    story = program.story
    filled(story, program)
    for change in (
        WidenColumn(("price",), pa.int64()),
        RenameColumn("price", "amount"),
        DropColumn("amount", cascade=True),
        DropColumn("region", cascade=True),
    ):
        story.alter(change)
        story.check()
        story.insert(program.rows(5))
        story.check()
    story.compact()
    story.check()
    story.check_past()


def test_a_replaced_table_is_read_by_others(tell: Telling) -> None:
    layout = Definition(COLUMNS, partitioned_by=("bucket(2, k)",))
    program = Program(seeded(8), tell(layout))
    story = program.story
    filled(story, program)
    other = schema_of(k=pa.int64(), s=pa.uint64(), at=pa.date32())
    story.replace(Definition(other, sorted_by=("s desc",)))
    story.check()
    filled(story, program)
    story.check()
    story.check_past()

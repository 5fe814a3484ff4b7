"""Logical types have a history, although the property that keeps them has none."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.changes import (
    AddColumn,
    ChangeType,
    DropColumn,
    RenameColumn,
    WidenColumn,
)
from lakeport.catalog.iceberg.types import PAST, TYPES
from lakeport.catalog.iceberg.types.property import remember_types, types_at
from lakeport.catalog.ports import Ref, ScanRequest
from lakeport.catalog.reading import read
from lakeport.core.timepoint import AtRef, AtVersion
from tests.catalog.iceberg.alter.ground import Ground, Ware, schema_of

SCHEMA = schema_of(k=pa.int8(), name=pa.string())


def types(ware: Ware, version: int, column: str = "k") -> pa.DataType:
    found: pa.DataType = (
        ware.table.state_at(AtVersion(version)).definition.schema.field(column).type
    )
    return found


@pytest.fixture
def wares(ground: Ground) -> Ware:
    return ground.create(SCHEMA, [{"k": 1, "name": "10"}])


def test_each_version_has_the_type_of_its_time(wares: Ware) -> None:
    for to in (pa.int16(), pa.int32(), pa.int64()):
        wares.alter(WidenColumn(("k",), to))
        wares.insert([{"k": 2, "name": None}])
    found = [types(wares, version) for version in range(8)]
    int8, int16, int32, int64 = pa.int8(), pa.int16(), pa.int32(), pa.int64()
    assert found == [int8, int8, int16, int16, int32, int32, int64, int64]
    for version in range(1, 8):
        with read(wares.table, ScanRequest(at=AtVersion(version))) as stream:
            assert stream.read_all().schema.field("k").type == found[version]
    wares.check()


def test_a_narrower_type_leaves_the_past_as_it_was(wares: Ware) -> None:
    wares.alter(ChangeType("k", pa.uint8()))
    assert (types(wares, 1), types(wares, 2)) == (pa.int8(), pa.uint8())
    wares.alter(ChangeType("k", pa.timestamp("s"), using="make_timestamp(k * 1000000)"))
    assert [types(wares, at) for at in (1, 2, 3)] == [pa.int8(), pa.uint8(), pa.timestamp("s")]
    wares.check()


def test_a_dropped_column_keeps_its_type_in_history(wares: Ware) -> None:
    wares.alter(DropColumn("k"), AddColumn(pa.field("k", pa.uint64())))
    wares.alter(RenameColumn("k", "n"))
    assert types(wares, 1) == pa.int8()
    assert wares.rows("k", at=AtVersion(1)) == [(1,)]
    assert types(wares, 3, "n") == pa.uint64()


def test_a_tag_shows_the_type_of_its_snapshot(wares: Ware) -> None:
    snapshot = wares.table.state().snapshot_id
    assert snapshot is not None
    wares.table.create_ref(Ref("first", "tag", snapshot))
    wares.alter(WidenColumn(("k",), pa.int32()))
    then = wares.table.state_at(AtRef("first")).definition.schema
    assert then.field("k").type == pa.int8()


def test_a_table_that_was_rolled_back_has_the_types_of_now(wares: Ware) -> None:
    """The schema is the current one, so are the words: only the rows are those of before."""
    wares.alter(WidenColumn(("k",), pa.int16()))
    first = wares.native.metadata.snapshots[0].snapshot_id
    wares.native.manage_snapshots().rollback_to_snapshot(first).commit()
    assert wares.schema.field("k").type == pa.int16()
    wares.insert([{"k": 300, "name": None}])
    assert wares.rows("k") == [(1,), (300,)]
    assert types(wares, 3) == pa.int16()


def test_nothing_is_remembered_where_no_word_changed(wares: Ware) -> None:
    wares.alter(AddColumn(pa.field("more", pa.uint8())), RenameColumn("name", "label"))
    assert PAST not in wares.native.properties
    assert set(wares.native.properties) >= {TYPES}


@pytest.mark.parametrize("past", [None, "", "{}", "[1]", '[{"before": "x"}]', "[" * 10_000])
def test_a_past_that_cannot_be_read_says_nothing(past: str | None) -> None:
    assert types_at('{"1":"int8"}', past, 0) == '{"1":"int8"}'
    assert remember_types(past, 3, '{"1":"int8"}', "{}", 1) is not None

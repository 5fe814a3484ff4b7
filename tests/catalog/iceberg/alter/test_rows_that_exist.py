"""What a schema change reads of the rows that exist, and what it makes of deleted ones."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.changes import (
    AddColumn,
    AddConstraint,
    ChangeType,
    RelaxColumn,
    RequireColumn,
)
from lakeport.catalog.definition import Check, Definition, PrimaryKey, with_default
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import WriteContext
from lakeport.catalog.reading import read
from lakeport.core.errors import ConstraintViolationError, LakeportError
from tests.catalog.iceberg.alter.ground import Ground, Ware, schema_of
from tests.lakes.lake import Lake

SCHEMA = schema_of(k=pa.int64(), name=pa.string())


def data_files(ware: Ware) -> list[Path]:
    tasks = ware.native.scan().plan_files()
    return [Path(task.file.file_path.removeprefix("file://")) for task in tasks]


@pytest.fixture
def wares(ground: Ground) -> Ware:
    return ground.create(SCHEMA, [{"k": 1, "name": "1"}, {"k": 2, "name": None}])


def test_not_null_is_proven_by_manifests_without_opening_a_file(wares: Ware) -> None:
    for path in data_files(wares):
        path.unlink()
    wares.alter(RequireColumn("k"))
    assert not wares.schema.field("k").nullable
    with pytest.raises(LakeportError, match=r"\.parquet"):
        wares.alter(AddConstraint(Check("k > 0", "positive")))


def test_changes_that_ask_nothing_of_rows_open_no_file(wares: Ware) -> None:
    for path in data_files(wares):
        path.unlink()
    wares.alter(AddColumn(pa.field("z", pa.int8())), RelaxColumn(("name",)))
    assert wares.table.state().version == 2


def test_only_the_files_that_may_hold_a_null_are_opened(wares: Ware) -> None:
    (first,) = data_files(wares)
    wares.delete("name IS NULL")
    wares.insert([{"k": 3, "name": "3"}])
    (second,) = set(data_files(wares)) - {first}
    second.unlink()
    wares.alter(RequireColumn("name"))
    assert not wares.schema.field("name").nullable


def test_a_violation_shows_the_rows_as_a_person_knows_them(ground: Ground) -> None:
    ware = ground.create(Definition(SCHEMA, (PrimaryKey(("k",)),)), [{"k": 7, "name": None}])
    with pytest.raises(ConstraintViolationError, match="k = 7"):
        ware.alter(RequireColumn("name"))


def test_rows_deleted_by_comparison_are_left_out_of_what_is_rewritten(tmp_path: Path) -> None:
    """Equality deletes of another engine: gone with the files they were about."""
    lake = Lake(tmp_path)
    schema = Schema(NestedField(1, "k", LongType()), NestedField(2, "name", StringType()))
    table = lake.create("shop.wares", schema)
    table.append(pa.table({"k": [1, 2, 3], "name": ["1", "2", "x"]}))
    gone = pa.table({"k": pa.array([3], pa.int64())})
    table.commit(add=[table.equality_deletes(gone, [schema.find_field("k")])])
    with IcebergCatalog(lake.profile) as catalog:
        found = catalog.namespace("shop").table("wares")
        found.alter([ChangeType("name", pa.int64())])
        with read(found) as stream:
            assert stream.read_all().to_pylist() == [{"k": 1, "name": 1}, {"k": 2, "name": 2}]
        summary = found.history()[-1].summary
    assert (summary["total-delete-files"], summary["total-records"]) == ("0", "2")
    assert lake.load("shop.wares").scan().to_arrow().num_rows == 2


def test_a_change_keeps_who_asked_and_nothing_of_a_run(wares: Ware) -> None:
    context = WriteContext("ann", "s-1", {"run-id": "7"})
    wares.table.alter([AddColumn(pa.field("z", pa.int8()))], context)
    summary = wares.table.history()[-1].summary
    assert (summary["lakeport.actor"], summary["lakeport.statement"]) == ("ann", "s-1")
    assert summary["lakeport.changes"] == "AddColumn"
    assert "run-id" not in summary


@pytest.mark.parametrize(
    ("change", "operation"),
    [
        (AddColumn(pa.field("z", pa.int8())), "replace"),
        (AddColumn(with_default(pa.field("z", pa.int8()), "1")), "overwrite"),
        (ChangeType("k", pa.string()), "overwrite"),
        (RequireColumn("k"), "replace"),
    ],
)
def test_the_operation_says_whether_rows_were_written_again(
    wares: Ware, change: AddColumn | ChangeType | RequireColumn, operation: str
) -> None:
    wares.alter(change)
    assert wares.table.history()[-1].operation == operation


def test_a_failed_rewrite_leaves_no_file(wares: Ware) -> None:
    wares.insert([{"k": 3, "name": "three"}])
    with pytest.raises(LakeportError, match="three"):
        wares.alter(ChangeType("name", pa.int64()))
    assert list(wares.table.orphans(grace=0)) == []
    assert wares.table.state().version == 2


@pytest.mark.parametrize("version", [1, 3])
def test_formats_that_are_only_read_are_not_altered(tmp_path: Path, version: int) -> None:
    lake = Lake(tmp_path)
    schema = Schema(NestedField(1, "k", LongType()))
    lake.create("shop.wares", schema, version=1 if version == 1 else 3).append(pa.table({"k": [1]}))
    with IcebergCatalog(lake.profile) as catalog:
        namespace = catalog.namespace("shop")
        with pytest.raises(LakeportError, match="read-only") as refused:
            namespace.table("wares").alter([AddColumn(pa.field("z", pa.int8()))])
        assert refused.value.hint
        with pytest.raises(LakeportError, match="read-only"):
            namespace.create_table("wares", Definition(SCHEMA), on_conflict="replace")

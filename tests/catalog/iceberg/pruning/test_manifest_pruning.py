"""Manifests that their list rules out are not read: here they are gone, and nobody misses them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform, IdentityTransform, TruncateTransform
from pyiceberg.types import DoubleType, IntegerType, NestedField, StringType, TimestampType

from lakeport.catalog.iceberg.definition import columns_of
from lakeport.catalog.iceberg.pruning import matching_manifests
from lakeport.catalog.predicates import Compare, IsNull, Not, Op, Predicate
from lakeport.core.errors import CorruptDataError
from tests.catalog.iceberg.planning.planned import inventory, kept_paths, source_of
from tests.lakes.lake import Lake
from tests.lakes.manifests import FileEntry
from tests.lakes.table import LakeTable

SCHEMA = Schema(
    NestedField(1, "name", StringType(), required=False),
    NestedField(2, "n", IntegerType(), required=False),
    NestedField(3, "at", TimestampType(), required=False),
    NestedField(4, "x", DoubleType(), required=False),
)


def spec(source: int, transform: Any) -> PartitionSpec:
    return PartitionSpec(PartitionField(source, 1000, transform, "p"))


def partitions(tmp_path: Path, by: PartitionSpec, *values: Any) -> LakeTable:
    """A manifest for each partition, with one file that is called like its value."""
    table = Lake(tmp_path).create("s.t", SCHEMA, spec=by)
    files = [FileEntry(str(value), 0, (value,), 1, 10) for value in values]
    table.commit(add=files, manifests=len(files))
    return table


def readable(table: LakeTable, predicate: Predicate) -> set[str]:
    """The files that are kept, also once the manifests that list none of them are gone."""
    wanted = kept_paths(source_of(table), predicate)
    held = inventory(source_of(table))
    for index, listed in enumerate(held.listing.data):
        if not wanted.intersection(held.manifest(index).paths.to_pylist()):
            table.disk_path(listed.path).unlink()
    assert kept_paths(source_of(table), predicate) == wanted
    return wanted


def test_manifests_of_other_partitions_are_not_read(tmp_path: Path) -> None:
    table = partitions(tmp_path, spec(1, IdentityTransform()), "a", "b", None)
    assert readable(table, Compare("name", Op.EQ, pa.scalar("a"))) == {"a"}


def test_null_partitions_are_known_from_the_list(tmp_path: Path) -> None:
    table = partitions(tmp_path, spec(1, IdentityTransform()), "a", None)
    assert readable(table, IsNull("name")) == {"None"}
    table = partitions(tmp_path / "other", spec(1, IdentityTransform()), "a", None)
    assert readable(table, Not(IsNull("name"))) == {"a"}


def test_ranges_of_truncated_numbers_are_known_from_the_list(tmp_path: Path) -> None:
    table = partitions(tmp_path, spec(2, TruncateTransform(10)), 0, 10, 20)
    assert readable(table, Compare("n", Op.GE, pa.scalar(15))) == {"10", "20"}


def test_days_are_known_from_the_list(tmp_path: Path) -> None:
    table = partitions(tmp_path, spec(3, DayTransform()), 100, 101)
    day = pa.scalar(101 * 86_400 * 10**6, pa.timestamp("us"))
    assert readable(table, Compare("at", Op.LT, day)) == {"100"}


def test_a_manifest_with_nan_may_hold_the_largest(tmp_path: Path) -> None:
    table = partitions(tmp_path, spec(4, IdentityTransform()), float("nan"), 1.0)
    assert readable(table, Compare("x", Op.GT, pa.scalar(2.0))) == {"nan"}


def test_a_manifest_that_is_needed_and_gone_is_an_error(tmp_path: Path) -> None:
    table = partitions(tmp_path, spec(1, IdentityTransform()), "a", "b")
    for listed in inventory(source_of(table)).listing.data:
        table.disk_path(listed.path).unlink()
    with pytest.raises(CorruptDataError, match="missing"):
        kept_paths(source_of(table), Compare("name", Op.EQ, pa.scalar("a")))


def test_conditions_on_other_columns_keep_every_manifest(tmp_path: Path) -> None:
    table = partitions(tmp_path, spec(1, IdentityTransform()), "a", "b")
    source = source_of(table)
    predicate = Compare("n", Op.EQ, pa.scalar(1))
    columns = {one.arrow.name: one for one in columns_of(source, source.metadata.schema())}
    assert matching_manifests(inventory(source), predicate, columns) == [0, 1]

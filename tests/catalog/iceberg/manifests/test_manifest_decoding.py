"""Manifests decoded into columns hold what PyIceberg reads of them, in all three formats."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.manifest import DataFile, FileFormat, ManifestEntryStatus
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DoubleType, LongType, NestedField, StringType

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.manifests import Manifest
from lakeport.catalog.iceberg.parts import Source
from lakeport.core.names import TableName
from tests.catalog.iceberg.planning.planned import inventory, source_of
from tests.lakes.generated import Profile, random_lake_table
from tests.lakes.lake import Lake
from tests.lakes.manifests import FormatVersion
from tests.lakes.spark_tables import NAMES, unpack_spark_table
from tests.lakes.table import LakeTable
from tests.strategies import seeded

SCHEMA = Schema(
    NestedField(1, "k", LongType(), required=False),
    NestedField(2, "name", StringType(), required=False),
    NestedField(3, "x", DoubleType(), required=False),
)
BY_NAME = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "name"))


def rows(*keys: int, name: str | None = "a") -> pa.Table:
    return pa.table(
        {
            "k": pa.array(keys, pa.int64()),
            "name": pa.array([name] * len(keys), pa.string()),
            "x": pa.array([0.5] * len(keys), pa.float64()),
        }
    )


def manifests_of(table: LakeTable) -> list[Manifest]:
    held = inventory(source_of(table))
    return held.manifests(range(len(held.listing.data)))


def shown(manifest: Manifest) -> list[dict[str, object]]:
    """Each entry's facts, in the words of PyIceberg's data file."""
    metrics = manifest.metrics
    fields = {int(key) for key in metrics.values.keys} | {int(key) for key in metrics.lowers.keys}
    found = []
    for entry in range(len(manifest)):

        def held(column: object, entry: int = entry) -> dict[int, object]:
            values = {field: column.of(field)[entry].as_py() for field in fields}  # type: ignore[attr-defined] # either kind of map
            return {field: value for field, value in values.items() if value is not None}

        found.append(
            {
                "path": manifest.paths[entry].as_py(),
                "format": manifest.formats[entry],
                "rows": int(manifest.rows[entry]),
                "bytes": int(manifest.sizes[entry]),
                "sequence": int(manifest.sequences[entry]),
                "partition": manifest.partitions[int(manifest.partition[entry])],
                "values": held(metrics.values),
                "nulls": held(metrics.nulls),
                "nans": held(metrics.nans),
                "lowers": held(metrics.lowers),
                "uppers": held(metrics.uppers),
            }
        )
    return found


def shown_by_pyiceberg(file: DataFile, sequence: int | None) -> dict[str, object]:
    return {
        "path": file.file_path,
        "format": FileFormat(file.file_format).value,
        "rows": file.record_count,
        "bytes": file.file_size_in_bytes,
        "sequence": sequence,
        "partition": tuple(file.partition[at] for at in range(len(file.partition))),
        "values": dict(file.value_counts or {}),
        "nulls": dict(file.null_value_counts or {}),
        "nans": dict(file.nan_value_counts or {}),
        "lowers": dict(file.lower_bounds or {}),
        "uppers": dict(file.upper_bounds or {}),
    }


def assert_same_entries(loaded: Table) -> None:
    snapshot = loaded.metadata.current_snapshot()
    if snapshot is None:
        return
    source = Source(TableName("s", "t"), loaded.metadata, loaded.io, Caches())
    held = inventory(source)
    manifests = held.manifests(range(len(held.listing.data)))
    ours = [entry for manifest in manifests for entry in shown(manifest)]
    theirs = [
        shown_by_pyiceberg(entry.data_file, entry.sequence_number)
        for manifest in snapshot.manifests(loaded.io)
        if manifest.content == 0
        for entry in manifest.fetch_manifest_entry(loaded.io)
        if entry.status != ManifestEntryStatus.DELETED
    ]

    def path(entry: dict[str, object]) -> str:
        return str(entry["path"])

    assert sorted(ours, key=path) == sorted(theirs, key=path)


@pytest.mark.parametrize("seed", range(8))
def test_every_entry_is_what_pyiceberg_reads(tmp_path: Path, seed: int) -> None:
    lake = Lake(tmp_path)
    random_lake_table(seeded(seed), lake, "s.t", Profile(steps=4))
    assert_same_entries(lake.load("s.t"))


@pytest.mark.parametrize("name", NAMES)
def test_entries_of_spark_are_what_pyiceberg_reads(tmp_path: Path, name: str) -> None:
    lake = Lake(tmp_path)
    unpack_spark_table(lake, name)
    assert_same_entries(lake.load(f"spark.{name}"))


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_new_file_inherits_the_number_of_its_commit(
    tmp_path: Path, version: FormatVersion
) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA, version=version)
    table.append(rows(1))
    table.append(rows(2))
    sequences = [int(number) for manifest in manifests_of(table) for number in manifest.sequences]
    assert sequences == ([0, 0] if version == 1 else [1, 2])


def test_a_file_that_outlived_its_manifest_keeps_its_number(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA)
    first, second = table.data_files(rows(1)) + table.data_files(rows(2))
    table.commit(add=[first, second])
    table.commit(remove=[second])
    (manifest,) = manifests_of(table)
    assert manifest.paths.to_pylist() == [first.path]
    assert manifest.sequences.tolist() == [1]


def test_a_written_number_wins_over_the_inherited_one(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA)
    table.append(rows(1))
    (file,) = table.data_files(rows(2))
    table.commit(add=[dataclasses.replace(file, sequence=1)])
    sequences = [manifest.sequences.tolist() for manifest in manifests_of(table)]
    assert sequences == [[1], [1]]


def test_manifests_come_oldest_first(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA, spec=BY_NAME)
    for name in ("c", "a", "b"):
        table.append(rows(1, name=name))
    assert [manifest.partitions for manifest in manifests_of(table)] == [
        (("c",),),
        (("a",),),
        (("b",),),
    ]


@pytest.mark.parametrize("codec", ["null", "deflate", "zstd", "bzip2"])
def test_every_compression_of_manifests_is_read(tmp_path: Path, codec: str) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA, codec=codec)
    table.append(rows(1, 2))
    (manifest,) = manifests_of(table)
    assert manifest.rows.tolist() == [2]


def test_a_manifest_is_read_once(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA)
    table.append(rows(1))
    source = source_of(table)
    (first,) = inventory(source).manifests([0])
    (listed,) = inventory(source).listing.data
    table.disk_path(listed.path).unlink()
    (second,) = inventory(source).manifests([0])
    assert second is first
    assert len(source.caches.manifests) == len(source.caches.listings) == 1


def test_what_a_manifest_weighs_is_counted(tmp_path: Path) -> None:
    table = Lake(tmp_path).create("s.t", SCHEMA, spec=BY_NAME)
    table.commit(add=[file for name in "abcdefgh" for file in table.data_files(rows(1, name=name))])
    (manifest,) = manifests_of(table)
    assert 8 * 200 < manifest.nbytes < 8 * 2_000

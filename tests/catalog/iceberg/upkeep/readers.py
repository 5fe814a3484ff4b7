"""The same rows by everybody: our reader, PyIceberg's and DuckDB's, at the head and at each snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pyiceberg.manifest import DataFileContent, FileFormat, ManifestEntry
from pyiceberg.table import Table

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.parts import ReadOptions
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.reading import read
from lakeport.catalog.upkeep import Policy
from lakeport.core.timepoint import AtSnapshot, TimePoint
from tests.catalog.iceberg.differential.readers import pyiceberg_loses_nulls
from tests.lakes.conformance import Conformance
from tests.lakes.duckdb_reader import DuckDBReader
from tests.lakes.lake import Lake
from tests.lakes.texts import sorted_rows

SMALL = ReadOptions(split_bytes=4_096, batch_bytes=2_048, batch_rows=7)

EVERYTHING = Policy(force=True, keep_snapshots=1, keep_for=0)
"""Joins whatever can be joined, forgets whatever can be forgotten."""


@contextmanager
def opened(lake: Lake, name: str) -> Iterator[IcebergTable]:
    namespace, _, table = name.rpartition(".")
    with IcebergCatalog(lake.profile, options=SMALL) as catalog:
        yield catalog.namespace(namespace).table(table)


def rows(table: IcebergTable, at: TimePoint | None = None) -> list[tuple[str, ...]]:
    with read(table, ScanRequest(at=at)) as stream:
        return sorted_rows(stream.read_all())


def every_snapshot(table: IcebergTable) -> dict[int, list[tuple[str, ...]]]:
    found = {info.snapshot_id for info in table.history()}
    return {ident: rows(table, AtSnapshot(ident)) for ident in found}


def assert_others_agree(
    lake: Lake, name: str, duckdb_reader: DuckDBReader, expected: list[tuple[str, ...]]
) -> None:
    native = lake.load(name)
    files = [entry.data_file for entry in _entries(native)]
    # PyIceberg refuses equality deletes, and DuckDB all formats but one.
    has_equality = any(file.content == DataFileContent.EQUALITY_DELETES for file in files)
    if not pyiceberg_loses_nulls(native.schema()) and not has_equality:
        assert sorted_rows(native.scan().to_arrow()) == expected
    if all(file.file_format == FileFormat.PARQUET for file in files):
        assert sorted_rows(duckdb_reader.rows(native.metadata_location)) == expected


def _entries(native: Table) -> list[ManifestEntry]:
    snapshot = native.current_snapshot()
    manifests = [] if snapshot is None else snapshot.manifests(native.io)
    return [
        entry
        for manifest in manifests
        for entry in manifest.fetch_manifest_entry(native.io, discard_deleted=True)
    ]


def assert_conforming(lake: Lake, name: str, versions: Iterable[int]) -> None:
    """Our own snapshots of a table whose other ones were made by hand, and say little of themselves."""
    ours = tuple(f"snapshot {version}: " for version in versions)
    complaints = Conformance().complaints(lake.load(name).metadata_location)
    found = [told for told in complaints if told.startswith(ours) or "snapshot " not in told]
    assert [told for told in found if " is None, not " not in told] == []


def files_on_disk(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}

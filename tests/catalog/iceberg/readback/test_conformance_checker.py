"""The checker of what we write finds nothing wrong with a good table, and names each lie told in one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.statements import delete_where
from tests.behaviours.lake import schema_of
from tests.catalog.iceberg.write.fresh import Fresh, batch, fresh_catalog
from tests.lakes.conformance import Conformance, assert_conforms, unnamed_files
from tests.lakes.conforming.avro import local_path, read_avro

COLUMNS = schema_of(k=pa.int64(), name=pa.string(), x=pa.float64(), day=pa.date32())
Record = dict[str, Any]


def filled(fresh: Fresh) -> str:
    """Two inserts into two partitions, and rows deleted; where the table's metadata is."""
    fresh.create(Definition(COLUMNS, partitioned_by=("bucket(2, k)",)))
    for start in (0, 10):
        rows = ((start + n, f"name {n}" * 4, n / 2, None) for n in range(6))
        fresh.insert([batch(COLUMNS, *rows)])
    delete_where(fresh.table(), "k IN (2, 3)")
    return fresh.load().metadata_location


@pytest.fixture
def location(tmp_path: Path) -> str:
    with fresh_catalog(tmp_path) as fresh:
        return filled(fresh)


def test_a_good_table_has_nothing_wrong(location: str) -> None:
    assert_conforms(location)
    assert unnamed_files(location) == set()


def in_metadata(location: str, change: Callable[[Record], None]) -> None:
    path = local_path(location)
    raw = json.loads(path.read_text())
    change(raw)
    path.write_text(json.dumps(raw))


def newest_list(location: str) -> str:
    return str(json.loads(local_path(location).read_text())["snapshots"][-1]["manifest-list"])


def in_list(location: str, change: Callable[[Record], None]) -> None:
    """In the record of the newest manifest of data files."""
    path = newest_list(location)
    records = list(read_avro(path).records)
    change(newest(records, content=0))
    rewritten(path, records)


def newest(records: list[Record], *, content: int) -> Record:
    alike = (record for record in records if record["content"] == content)
    return max(alike, key=lambda record: int(record["sequence_number"]))


def in_manifest(location: str, change: Callable[[Record], None], *, content: int = 0) -> None:
    """In the first entry of the newest manifest."""
    records = list(read_avro(newest_list(location)).records)
    listed = newest(records, content=content)
    path = listed["manifest_path"]
    entries = list(read_avro(path).records)
    change(entries[0])
    rewritten(path, entries)
    listed["manifest_length"] = local_path(path).stat().st_size
    rewritten(newest_list(location), records)


def in_deletes(location: str, change: Callable[[Record], None]) -> None:
    in_manifest(location, change, content=1)


def rewritten(path: str, records: list[Record]) -> None:
    file = read_avro(path)
    header = {key: value for key, value in file.header.items() if not key.startswith("avro.")}
    with local_path(path).open("wb") as sink:
        fastavro.writer(sink, file.schema, records, metadata=header)


def total(raw: Record) -> None:
    raw["snapshots"][-1]["summary"]["total-records"] = "11"


def older(raw: Record) -> None:
    raw["snapshots"][-1]["timestamp-ms"] = raw["snapshots"][0]["timestamp-ms"] - 1


def column_id(raw: Record) -> None:
    raw["last-column-id"] = 2


def bound(entry: Record) -> None:
    entry["data_file"]["lower_bounds"][0]["value"] = b"\x7f" + b"\0" * 7


def place(entry: Record) -> None:
    (name,) = entry["data_file"]["partition"]
    entry["data_file"]["partition"][name] = 1 - entry["data_file"]["partition"][name]


@pytest.mark.parametrize(
    ("where", "change", "complaint"),
    [
        (in_metadata, total, "total-records is 11, not 12"),
        (in_metadata, older, "older than its parent"),
        (in_metadata, column_id, "an id above the last one"),
        (in_list, lambda one: one.update(added_rows_count=5), "added files and rows are"),
        (in_list, lambda one: one.update(min_sequence_number=9), "its least sequence number is"),
        (in_list, lambda one: one.update(manifest_length=7), "bytes, not 7"),
        (in_list, lambda one: one["partitions"][0].update(contains_null=True), "its summary of"),
        (in_manifest, lambda one: one.update(status=0), "lacks a sequence number"),
        (in_manifest, lambda one: one["data_file"].update(record_count=9), "rows, not 9"),
        (in_manifest, lambda one: one["data_file"].update(content=1), "has the content 1"),
        (in_manifest, lambda one: one["data_file"].update(split_offsets=[7]), "do not begin at"),
        (in_deletes, lambda one: one["data_file"].update(record_count=9), "rows, not 9"),
        (in_deletes, lambda one: one["data_file"].update(lower_bounds=None), "no bounds of file"),
        (in_deletes, place, "are in another partition"),
        (in_deletes, lambda one: one.update(sequence_number=0), "are older than the file"),
        (in_manifest, bound, "lower_bounds of 1 is 127"),
        (in_manifest, place, "a row belongs to partition"),
    ],
)
def test_a_lie_is_named(
    location: str,
    where: Callable[[str, Callable[[Record], None]], None],
    change: Callable[[Record], None],
    complaint: str,
) -> None:
    where(location, change)
    found = Conformance().complaints(location)
    assert any(complaint in told for told in found), found


def test_files_that_nothing_names_are_found(location: str) -> None:
    stray = local_path(location).parent / "stray.parquet"
    stray.write_bytes(b"")
    assert unnamed_files(location) == {str(stray)}

"""The rows of a manifest list, whole: reading takes a few of their fields, committing copies them all.

A list is the parent's with few changes, so rows keep the bytes they came as. Rows of other writers
are encoded anew, by the schema that PyIceberg has for format 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pyiceberg.manifest import MANIFEST_LIST_FILE_SCHEMAS
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.utils.schema_conversion import AvroSchemaConversion

from lakeport.catalog.iceberg.commit.avro import (
    NULL,
    PRESENT,
    container,
    number,
    optional_blob,
    optional_list,
    text,
)
from lakeport.catalog.iceberg.manifests.container import DamagedError, open_container
from lakeport.catalog.iceberg.manifests.layout import layout_of
from lakeport.catalog.iceberg.manifests.listing import Summary

DATA, DELETES = 0, 1

UNCOUNTED = -1
"""What all counts of a row are if one is missing, as format 1 allows: its manifest has to be read."""

# Field ids of Iceberg's specification, in the order of `ManifestRow` and of format 2.
_FIELDS = (500, 501, 502, 517, 515, 516, 503, 504, 505, 506, 512, 513, 514, 507, 519)


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One manifest. What it counts is about its own entries; files without a live one hold nothing."""

    path: str
    length: int
    spec_id: int
    content: int
    sequence: int
    min_sequence: int
    snapshot_id: int
    added_files: int
    existing_files: int
    deleted_files: int
    added_rows: int
    existing_rows: int
    deleted_rows: int
    summaries: tuple[Summary, ...] | None
    key_metadata: bytes | None = None

    @property
    def files(self) -> int:
        """How many files it holds for the snapshot."""
        return self.added_files + self.existing_files

    @property
    def rows(self) -> int:
        return self.added_rows + self.existing_rows

    def encoded(self) -> bytes:
        summaries = self.summaries
        return b"".join(
            (
                text(self.path),
                number(self.length),
                number(self.spec_id),
                number(self.content),
                number(self.sequence),
                number(self.min_sequence),
                number(self.snapshot_id),
                number(self.added_files),
                number(self.existing_files),
                number(self.deleted_files),
                number(self.added_rows),
                number(self.existing_rows),
                number(self.deleted_rows),
                optional_list(
                    None if summaries is None else [_summary(each) for each in summaries]
                ),
                optional_blob(self.key_metadata),
            )
        )


@dataclass(frozen=True, slots=True)
class ManifestRows:
    """A whole list, newest first, as every writer has it; `encoded` has the bytes of each row."""

    rows: tuple[ManifestRow, ...]
    encoded: tuple[bytes, ...]

    @property
    def nbytes(self) -> int:
        return sum(500 + 3 * len(each) for each in self.encoded)


def rows_of(rows: Iterable[ManifestRow]) -> ManifestRows:
    held = tuple(rows)
    return ManifestRows(held, tuple(row.encoded() for row in held))


def read_rows(data: bytes) -> ManifestRows:
    """`ValueError` and its like if the bytes are no manifest list."""
    records = open_container(data)
    return rows_of(_row(fields[:-1]) for fields in layout_of(records, _FIELDS).rows(records))


def list_file(listed: ManifestRows, snapshot: Snapshot, codec: str) -> bytes:
    parent = snapshot.parent_snapshot_id
    meta = {
        "snapshot-id": str(snapshot.snapshot_id),
        "parent-snapshot-id": "null" if parent is None else str(parent),
        "sequence-number": str(snapshot.sequence_number),
        "format-version": "2",
    }
    return container(_schema_text(), meta, listed.encoded, codec)


def _row(fields: Sequence[Any]) -> ManifestRow:
    path, length, spec_id, content, *rest = fields
    summaries, key_metadata = rest[-2:]
    if path is None or spec_id is None:
        message = "an entry names no manifest"
        raise DamagedError(message)
    if None in rest[3:9]:
        rest[3:9] = [UNCOUNTED] * 6
    shown = None if summaries is None else tuple(map(_read_summary, summaries))
    numbers = [value or 0 for value in (length, spec_id, content, *rest[:-2])]
    whole: Any = [path, *numbers, shown, key_metadata]
    return ManifestRow(*whole)


def _summary(summary: Summary) -> bytes:
    contains_nan = summary.contains_nan
    return b"".join(
        (
            _flag(summary.contains_null),
            NULL if contains_nan is None else PRESENT + _flag(contains_nan),
            optional_blob(summary.lower),
            optional_blob(summary.upper),
        )
    )


def _flag(value: bool) -> bytes:  # noqa: FBT001  it is a value
    return b"\x01" if value else b"\x00"


def _read_summary(fields: dict[int, Any]) -> Summary:
    return Summary(fields[509], fields.get(518), fields.get(510), fields.get(511))


@cache
def _schema_text() -> str:
    schema = MANIFEST_LIST_FILE_SCHEMAS[2]
    return json.dumps(AvroSchemaConversion().iceberg_to_avro(schema, schema_name="manifest_file"))

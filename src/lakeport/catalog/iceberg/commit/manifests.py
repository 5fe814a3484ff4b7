"""Reads and writes whole manifests of one state of a table, for those who commit.

What was written or read here is remembered by path, so that merging small manifests rarely reads any.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic_core import to_json
from pyiceberg.table.locations import load_location_provider
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot

from lakeport.catalog.iceberg.commit.avro import container
from lakeport.catalog.iceberg.commit.entries import (
    ADDED,
    DELETED,
    EXISTING,
    EntryCodec,
    FileEntry,
    entry_bytes,
)
from lakeport.catalog.iceberg.commit.files import Scratch
from lakeport.catalog.iceberg.commit.listed import (
    DELETES,
    UNCOUNTED,
    ManifestRow,
    ManifestRows,
    read_rows,
    rows_of,
)
from lakeport.catalog.iceberg.commit.partitions import partition_type, summaries_of
from lakeport.catalog.iceberg.failures import last_name, reading
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.storage import open_file
from lakeport.core.names import quoted

_CODEC = "write.avro.compression-codec"
_USUAL_CODEC = "gzip"


@dataclass(frozen=True, slots=True)
class Entries:
    """The live files of a manifest."""

    files: tuple[FileEntry, ...]

    @property
    def nbytes(self) -> int:
        return sum(300 + len(file.path) + len(file.encoded) for file in self.files)


@dataclass(frozen=True, slots=True)
class Marked:
    """An entry that is to be written, with the status it will have."""

    file: FileEntry
    status: int


class ManifestFiles:
    """For one attempt: `metadata` has the specs that files are written under."""

    def __init__(
        self, source: Source, metadata: TableMetadata, snapshot_id: int, scratch: Scratch
    ) -> None:
        self._source = source
        self._metadata = metadata
        self._specs = metadata.specs()
        self._snapshot_id = snapshot_id
        self._scratch = scratch
        self._run = uuid.uuid4()
        self._count = 0
        self._codecs: dict[int, EntryCodec] = {}
        self._written: list[tuple[ManifestRow, Sequence[Marked]]] = []
        self._locations = load_location_provider(metadata.location, metadata.properties)

    def codec(self, spec_id: int) -> EntryCodec:
        known = self._codecs.get(spec_id)
        if known is None:
            kinds = partition_type(self._metadata, self._specs[spec_id])
            known = self._codecs[spec_id] = EntryCodec(kinds)
        return known

    def has_sources(self, spec_id: int) -> bool:
        """Whether the current schema has every column that the spec partitions by."""
        known = self._metadata.schema().field_ids
        return all(field.source_id in known for field in self._specs[spec_id].fields)

    def listed(self, snapshot: Snapshot | None) -> ManifestRows:
        """What the snapshot's manifest list says."""
        if snapshot is None:
            return ManifestRows((), ())
        path = snapshot.manifest_list
        return self._source.caches.manifest_rows.get(path, lambda: self._read_rows(path))

    def entries(self, row: ManifestRow) -> Sequence[FileEntry]:
        """The live entries."""
        return self._source.caches.entries.get(row.path, lambda: self._read(row)).files

    def write(self, spec_id: int, content: int, marked: Sequence[Marked]) -> ManifestRow:
        codec = self.codec(spec_id)
        path = self._locations.new_metadata_location(f"{self._run}-m{self._count}.avro")
        self._count += 1
        records = [
            entry_bytes(
                each.file,
                each.status,
                each.file.snapshot_id if each.status == EXISTING else self._snapshot_id,
            )
            for each in marked
        ]
        data = container(codec.schema, self._meta(spec_id, content), records, self.compression)
        self._scratch.put(path, data)
        row = self._row(path, len(data), spec_id, content, marked)
        self._written.append((row, marked))
        return row

    @property
    def compression(self) -> str:
        return self._metadata.properties.get(_CODEC, _USUAL_CODEC)

    def adopted(self, row: ManifestRow) -> ManifestRow:
        """A manifest that somebody else wrote for this snapshot."""
        sequence = self._metadata.next_sequence_number()
        return replace(row, sequence=sequence, snapshot_id=self._snapshot_id)

    def list_path(self) -> str:
        return self._locations.new_metadata_location(f"snap-{self._snapshot_id}-0-{self._run}.avro")

    def remember(self, list_path: str, listed: ManifestRows) -> None:
        """Once committed: the next commit needs no file of this one."""
        self._source.caches.manifest_rows.put(list_path, listed)
        for row, marked in self._written:
            live = tuple(_inheriting(each.file, row) for each in marked if each.status != DELETED)
            self._source.caches.entries.put(row.path, Entries(live))

    # -- inside ----------------------------------------------------------------------------------

    def _row(
        self, path: str, length: int, spec_id: int, content: int, marked: Sequence[Marked]
    ) -> ManifestRow:
        sequence = self._metadata.next_sequence_number()
        live = [each.file for each in marked if each.status != DELETED]
        numbers = [sequence if file.sequence is None else file.sequence for file in live]

        def counted(status: int) -> tuple[int, int]:
            files = [each.file for each in marked if each.status == status]
            return len(files), sum(file.rows for file in files)

        (added, added_rows), (existing, existing_rows) = counted(ADDED), counted(EXISTING)
        deleted, deleted_rows = counted(DELETED)
        return ManifestRow(
            path,
            length,
            spec_id,
            content,
            sequence,
            min(numbers, default=sequence),
            self._snapshot_id,
            added,
            existing,
            deleted,
            added_rows,
            existing_rows,
            deleted_rows,
            summaries_of(self.codec(spec_id).partition, (each.file.partition for each in marked)),
        )

    def _meta(self, spec_id: int, content: int) -> dict[str, str]:
        return {
            "schema": self._metadata.schema().model_dump_json(),
            "partition-spec": to_json(self._specs[spec_id].fields).decode(),
            "partition-spec-id": str(spec_id),
            "format-version": "2",
            "content": "deletes" if content == DELETES else "data",
        }

    def _read_rows(self, path: str) -> ManifestRows:
        with reading(
            f"manifest list {quoted(last_name(path))} of table {quoted(str(self._source.name))}"
        ):
            listed = read_rows(_content(self._source, path))
        if all(row.added_files != UNCOUNTED for row in listed.rows):
            return listed
        return rows_of(
            self._counted(row) if row.added_files == UNCOUNTED else row for row in listed.rows
        )

    def _counted(self, row: ManifestRow) -> ManifestRow:
        live = self.entries(row)
        return replace(
            row,
            added_files=0,
            existing_files=len(live),
            deleted_files=0,
            added_rows=0,
            existing_rows=sum(file.rows for file in live),
            deleted_rows=0,
        )

    def _read(self, row: ManifestRow) -> Entries:
        with reading(
            f"manifest {quoted(last_name(row.path))} of table {quoted(str(self._source.name))}"
        ):
            data = _content(self._source, row.path)
            return Entries(tuple(self.codec(row.spec_id).live(data, row.sequence, row.snapshot_id)))


def _content(source: Source, path: str) -> bytes:
    with open_file(source.io, path) as opened:
        return opened.handle.read()


def _inheriting(file: FileEntry, row: ManifestRow) -> FileEntry:
    if file.sequence is not None and file.file_sequence is not None:
        return file
    return replace(
        file,
        snapshot_id=row.snapshot_id if file.snapshot_id is None else file.snapshot_id,
        sequence=row.sequence if file.sequence is None else file.sequence,
        file_sequence=row.sequence if file.file_sequence is None else file.file_sequence,
    )

"""Writes manifests and manifest lists of every format version, data and deletes.

PyIceberg gives the Avro encoding and the field ids; which entries there are, with which sequence
numbers, is the caller's word. PyIceberg itself can write neither delete manifests nor format 3.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from pyiceberg.avro.file import AvroOutputFile
from pyiceberg.io import FileIO
from pyiceberg.manifest import (
    DATA_FILE_TYPE,
    MANIFEST_ENTRY_SCHEMAS,
    MANIFEST_LIST_FILE_SCHEMAS,
    construct_partition_summaries,
    data_file_with_partition,
    manifest_entry_schema_with_data_file,
)
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.types import NestedField, StructType

from tests.lakes.metrics import UNMEASURED, Metrics

FormatVersion: TypeAlias = Literal[1, 2, 3]
Status: TypeAlias = Literal[0, 1, 2]
EXISTING: Status = 0
ADDED: Status = 1
DELETED: Status = 2
DATA, POSITION_DELETES, EQUALITY_DELETES = 0, 1, 2


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file as manifests name it. `sequence` is the data sequence number, None until committed.

    `everywhere` is what the partition spec of an equality delete implies, and is written nowhere.
    """

    path: str
    spec_id: int
    partition: tuple[Any, ...]
    rows: int
    bytes: int
    metrics: Metrics = UNMEASURED
    content: int = DATA
    format: str = "PARQUET"
    equality_ids: tuple[int, ...] | None = None
    everywhere: bool = False
    referenced: str | None = None
    offset: int | None = None
    length: int | None = None
    first_row_id: int | None = None
    split_offsets: tuple[int, ...] | None = None
    sequence: int | None = None
    snapshot_id: int | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """One manifest and what it lists. Entries of one kind and one partition spec."""

    path: str
    bytes: int
    spec_id: int
    deletes: bool
    sequence: int
    snapshot_id: int
    entries: tuple[tuple[Status, FileEntry], ...]
    first_row_id: int | None = None

    @property
    def live(self) -> list[FileEntry]:
        return [entry for status, entry in self.entries if status != DELETED]


def write_manifest(
    io: FileIO,
    path: str,
    version: FormatVersion,
    schema: Schema,
    spec: PartitionSpec,
    entries: Sequence[tuple[Status, FileEntry]],
    *,
    sequence: int,
    snapshot_id: int,
    deletes: bool = False,
    codec: str = "deflate",
) -> Manifest:
    """An added entry without a sequence number inherits the manifest's, as the specification says."""
    # PyIceberg makes a partition field required where its source is, which `void` cannot be.
    partition_type = StructType(
        *(
            NestedField(one.field_id, one.name, one.field_type, required=False)
            for one in spec.partition_type(schema).fields
        )
    )
    data_file = data_file_with_partition(partition_type, version)
    entry_schema = manifest_entry_schema_with_data_file(version, data_file)
    metadata = {
        "schema": schema.model_dump_json(),
        "schema-id": str(schema.schema_id),
        "partition-spec": json.dumps([field.model_dump(mode="json") for field in spec.fields]),
        "partition-spec-id": str(spec.spec_id),
        "format-version": str(version),
        "content": "deletes" if deletes else "data",
        "avro.codec": codec,
    }
    if version == 1:
        del metadata["content"]
    output = io.new_output(path)
    with AvroOutputFile[Record](output, entry_schema, "manifest_entry", metadata=metadata) as file:
        for status, entry in entries:
            file.write_block([_entry_record(version, status, entry, snapshot_id)])
    settled = tuple(
        (
            status,
            replace(
                entry,
                sequence=sequence if entry.sequence is None else entry.sequence,
                snapshot_id=entry.snapshot_id or snapshot_id,
            ),
        )
        for status, entry in entries
    )
    return Manifest(
        path, len(io.new_input(path)), spec.spec_id, deletes, sequence, snapshot_id, settled
    )


def write_manifest_list(
    io: FileIO,
    path: str,
    version: FormatVersion,
    manifests: Sequence[Manifest],
    specs: Mapping[int, PartitionSpec],
    schemas: Mapping[int, Schema],
    *,
    snapshot_id: int,
    parent_id: int | None,
    sequence: int,
    codec: str = "deflate",
) -> None:
    metadata = {
        "snapshot-id": str(snapshot_id),
        "parent-snapshot-id": "null" if parent_id is None else str(parent_id),
        "format-version": str(version),
        "avro.codec": codec,
    }
    if version > 1:
        metadata["sequence-number"] = str(sequence)
    output = io.new_output(path)
    list_schema = MANIFEST_LIST_FILE_SCHEMAS[version]
    with AvroOutputFile[Record](output, list_schema, "manifest_file", metadata=metadata) as file:
        records = [
            _list_record(version, one, specs[one.spec_id], schemas[one.spec_id])
            for one in manifests
        ]
        file.write_block(records)


def _entry_record(
    version: FormatVersion, status: Status, entry: FileEntry, snapshot_id: int
) -> Record:
    values: dict[str, Any] = {
        "content": entry.content,
        "file_path": entry.path,
        "file_format": entry.format,
        "partition": Record(*entry.partition),
        "record_count": entry.rows,
        "file_size_in_bytes": entry.bytes,
        "block_size_in_bytes": 67_108_864,  # format 1 demands it, nobody reads it
        "column_sizes": None,
        "value_counts": dict(entry.metrics.value_counts) or None,
        "null_value_counts": dict(entry.metrics.null_counts) or None,
        "nan_value_counts": dict(entry.metrics.nan_counts) or None,
        "lower_bounds": dict(entry.metrics.lower) or None,
        "upper_bounds": dict(entry.metrics.upper) or None,
        "equality_ids": None if entry.equality_ids is None else list(entry.equality_ids),
        "split_offsets": None if entry.split_offsets is None else list(entry.split_offsets),
        "first_row_id": entry.first_row_id,
        "referenced_data_file": entry.referenced,
        "content_offset": entry.offset,
        "content_size_in_bytes": entry.length,
    }
    data_file = _record(DATA_FILE_TYPE[version], values)
    outer = {
        "status": status,
        "snapshot_id": entry.snapshot_id or snapshot_id,
        "sequence_number": entry.sequence,
        "file_sequence_number": entry.sequence,
        "data_file": data_file,
    }
    return _record(MANIFEST_ENTRY_SCHEMAS[version].as_struct(), outer)


def _list_record(
    version: FormatVersion, manifest: Manifest, spec: PartitionSpec, schema: Schema
) -> Record:
    def total(status: int) -> tuple[int, int]:
        found = [entry.rows for held, entry in manifest.entries if held == status]
        return len(found), sum(found)

    (added, added_rows), (existing, existing_rows), (deleted, deleted_rows) = (
        total(ADDED),
        total(EXISTING),
        total(DELETED),
    )
    live = [entry.sequence for entry in manifest.live if entry.sequence is not None]
    partitions = [Record(*entry.partition) for _, entry in manifest.entries]
    values: dict[str, Any] = {
        "manifest_path": manifest.path,
        "manifest_length": manifest.bytes,
        "partition_spec_id": manifest.spec_id,
        "content": int(manifest.deletes),
        "sequence_number": manifest.sequence,
        "min_sequence_number": min(live, default=manifest.sequence),
        "added_snapshot_id": manifest.snapshot_id,
        "added_files_count": added,
        "existing_files_count": existing,
        "deleted_files_count": deleted,
        "added_rows_count": added_rows,
        "existing_rows_count": existing_rows,
        "deleted_rows_count": deleted_rows,
        "partitions": construct_partition_summaries(spec, schema, partitions),
        "first_row_id": manifest.first_row_id,
    }
    return _record(MANIFEST_LIST_FILE_SCHEMAS[version].as_struct(), values)


def _record(struct: StructType, values: dict[str, Any]) -> Record:
    return Record(*(values.get(field.name) for field in struct.fields))

"""A snapshot's manifest list and manifests against each other: statuses, sequence numbers, counts, summaries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.types import IcebergType

from tests.lakes.conforming.avro import (
    ENTRY_FIELDS,
    LIST_FIELDS,
    AvroFile,
    field_complaints,
    local_path,
    plain,
    read_avro,
)
from tests.lakes.conforming.values import decoded, is_nan, order

EXISTING, ADDED, DELETED = 0, 1, 2
_COUNTS = {ADDED: "added", EXISTING: "existing", DELETED: "deleted"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a snapshot, with what it inherits filled in."""

    status: int
    snapshot_id: int
    sequence: int
    manifest: str
    spec_id: int
    file: Mapping[str, Any]

    @property
    def path(self) -> str:
        return str(self.file["file_path"])

    @property
    def place(self) -> tuple[int, str]:
        """Which partition of which spec."""
        return self.spec_id, repr(tuple(self.file["partition"].values()))


@dataclass(frozen=True, slots=True)
class Contents:
    """What a snapshot has, and what its own manifests say that it added and took away."""

    live: dict[str, Entry] = field(default_factory=dict)
    added: dict[str, Entry] = field(default_factory=dict)
    deleted: dict[str, Entry] = field(default_factory=dict)


def read_snapshot(snapshot: Snapshot, metadata: TableMetadata, contents: Contents) -> Iterator[str]:
    """Complaints; `contents` is filled on the way."""
    listing = read_avro(snapshot.manifest_list)
    yield from field_complaints(listing, LIST_FIELDS)
    header = {
        "snapshot-id": str(snapshot.snapshot_id),
        "sequence-number": str(snapshot.sequence_number),
        "format-version": "2",
    }
    for key, value in header.items():
        if listing.header.get(key) != value:
            yield f"its list's header says {key} = {listing.header.get(key)}, not {value}"
    paths = [record["manifest_path"] for record in listing.records]
    if len(paths) != len(set(paths)):
        yield "a manifest is listed twice"
    for record in listing.records:
        name = record["manifest_path"].rpartition("/")[2]
        for complaint in _manifest(record, snapshot, metadata, contents):
            yield f"manifest {name}: {complaint}"


def _manifest(
    record: Mapping[str, Any], snapshot: Snapshot, metadata: TableMetadata, contents: Contents
) -> Iterator[str]:
    path = record["manifest_path"]
    size = local_path(path).stat().st_size
    if size != record["manifest_length"]:
        yield f"it has {size} bytes, not {record['manifest_length']}"
    file = read_avro(path)
    yield from field_complaints(file, ENTRY_FIELDS)
    yield from _header_complaints(file, record, metadata)
    own = record["added_snapshot_id"] == snapshot.snapshot_id
    sequence = snapshot.sequence_number or 0
    if record["sequence_number"] > sequence or (own and record["sequence_number"] != sequence):
        yield f"its sequence number is {record['sequence_number']} in snapshot {sequence}"
    entries = []
    for raw in file.records:
        entry = _entry(raw, record)
        entries.append(entry)
        yield from _entry_complaints(raw, record)
        if entry.status != DELETED:
            if entry.path in contents.live:
                yield f"{entry.path} is listed twice"
            contents.live[entry.path] = entry
        if entry.status == ADDED and own:
            contents.added[entry.path] = entry
        if entry.status == DELETED and own:
            contents.deleted[entry.path] = entry
    yield from _count_complaints(record, entries)
    if record["partition_spec_id"] in metadata.specs():
        yield from _summary_complaints(record, file, entries)


def _entry(raw: Mapping[str, Any], record: Mapping[str, Any]) -> Entry:
    sequence, snapshot_id = raw["sequence_number"], raw["snapshot_id"]
    data_file = {**raw["data_file"], "spec_id": record["partition_spec_id"]}
    return Entry(
        raw["status"],
        record["added_snapshot_id"] if snapshot_id is None else snapshot_id,
        record["sequence_number"] if sequence is None else sequence,
        record["manifest_path"],
        record["partition_spec_id"],
        data_file,
    )


def _entry_complaints(raw: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[str]:
    status, own = raw["status"], record["added_snapshot_id"]
    name = raw["data_file"]["file_path"].rpartition("/")[2]
    numbers = raw["sequence_number"], raw["file_sequence_number"]
    if status == ADDED:
        if raw["snapshot_id"] not in {None, own}:
            yield f"{name} was added by {raw['snapshot_id']}, the manifest by {own}"
        if raw["file_sequence_number"] not in {None, record["sequence_number"]}:
            yield f"{name} is new and has the file sequence number {raw['file_sequence_number']}"
    else:
        if None in numbers or raw["snapshot_id"] is None:
            yield f"{name} is not new and lacks a sequence number or snapshot id"
        if status == DELETED and raw["snapshot_id"] != own:
            yield f"{name} was deleted by {raw['snapshot_id']}, the manifest is of {own}"
        if numbers[0] is not None and numbers[0] > record["sequence_number"]:
            yield f"{name} has a later sequence number than its manifest"
    content = raw["data_file"]["content"]
    if (content > 0) != (record["content"] == 1):
        yield f"{name} has the content {content} in a manifest of content {record['content']}"


def _header_complaints(
    file: AvroFile, record: Mapping[str, Any], metadata: TableMetadata
) -> Iterator[str]:
    header = file.header
    content = "deletes" if record["content"] == 1 else "data"
    wanted = {
        "format-version": "2",
        "content": content,
        "partition-spec-id": str(record["partition_spec_id"]),
    }
    for key, value in wanted.items():
        if header.get(key) != value:
            yield f"its header says {key} = {header.get(key)}, not {value}"
    spec = metadata.specs().get(record["partition_spec_id"])
    if spec is None:
        yield f"its spec {record['partition_spec_id']} does not exist"
    elif [one["field-id"] for one in json.loads(header.get("partition-spec", "[]"))] != [
        one.field_id for one in spec.fields
    ]:
        yield "its header has another partition spec"
    schema = Schema.model_validate_json(header["schema"])
    known = {one.schema_id: one for one in metadata.schemas}.get(schema.schema_id)
    if known is not None and known.as_struct() != schema.as_struct():
        yield f"its header has another schema {schema.schema_id}"


def _count_complaints(record: Mapping[str, Any], entries: Sequence[Entry]) -> Iterator[str]:
    for status, word in _COUNTS.items():
        rows = [one.file["record_count"] for one in entries if one.status == status]
        told = record[f"{word}_files_count"], record[f"{word}_rows_count"]
        if told != (len(rows), sum(rows)):
            yield f"{word} files and rows are {len(rows)}, {sum(rows)}, not {told}"
    live = [one.sequence for one in entries if one.status != DELETED]
    if live and record["min_sequence_number"] != min(live):
        yield f"its least sequence number is {min(live)}, not {record['min_sequence_number']}"


# -- partition summaries -------------------------------------------------------------------------


def _summary_complaints(
    record: Mapping[str, Any], file: AvroFile, entries: Sequence[Entry]
) -> Iterator[str]:
    schema = Schema.model_validate_json(file.header["schema"])
    fields = json.loads(file.header.get("partition-spec", "[]"))
    spec = PartitionSpec.model_validate({"spec-id": 0, "fields": fields})
    told = record["partitions"] or []
    if len(told) != len(spec.fields):
        yield f"it has {len(told)} partition summaries for {len(spec.fields)} fields"
        return
    for at, (one, summary) in enumerate(zip(spec.fields, told, strict=True)):
        try:
            kind = one.transform.result_type(schema.find_type(one.source_id))
        except ValueError:
            continue  # the column is gone, and with it the way to read its bounds
        every = [plain(list(entry.file["partition"].values())[at]) for entry in entries]
        live = [
            value for value, entry in zip(every, entries, strict=True) if entry.status != DELETED
        ]
        right = [_summary(values) for values in (live, every)]
        if _told(summary, kind) not in right:
            yield f"its summary of {one.name} is {_told(summary, kind)}, not {right[0]}"


def _summary(values: Sequence[Any]) -> tuple[Any, ...]:
    numbers = sorted((one for one in values if one is not None and not is_nan(one)), key=order)
    ends = (repr(numbers[0]), repr(numbers[-1])) if numbers else (None, None)
    return None in values, any(map(is_nan, values)), *ends


def _told(summary: Mapping[str, Any], kind: IcebergType) -> tuple[Any, ...]:
    ends = [
        None if summary[name] is None else repr(decoded(kind, bytes(summary[name])))
        for name in ("lower_bound", "upper_bound")
    ]
    return summary["contains_null"], bool(summary.get("contains_nan")), *ends

"""Avro files of a table as Iceberg's specification describes them: records, header, ids of fields.

Read with fastavro and nothing of the product or of PyIceberg, whose readers forgive what others do not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any
from uuid import UUID

import fastavro

_EPOCH_DAY = date(1970, 1, 1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Every field that format 2 knows, by its id; those that must be there are in `_REQUIRED`.
_NAMES = {
    500: "manifest_path",
    501: "manifest_length",
    502: "partition_spec_id",
    517: "content",
    515: "sequence_number",
    516: "min_sequence_number",
    503: "added_snapshot_id",
    504: "added_files_count",
    505: "existing_files_count",
    506: "deleted_files_count",
    512: "added_rows_count",
    513: "existing_rows_count",
    514: "deleted_rows_count",
    507: "partitions",
    509: "contains_null",
    518: "contains_nan",
    510: "lower_bound",
    511: "upper_bound",
    519: "key_metadata",
    0: "status",
    1: "snapshot_id",
    3: "sequence_number",
    4: "file_sequence_number",
    2: "data_file",
    134: "content",
    100: "file_path",
    101: "file_format",
    102: "partition",
    103: "record_count",
    104: "file_size_in_bytes",
    108: "column_sizes",
    109: "value_counts",
    110: "null_value_counts",
    137: "nan_value_counts",
    125: "lower_bounds",
    128: "upper_bounds",
    131: "key_metadata",
    132: "split_offsets",
    135: "equality_ids",
    140: "sort_order_id",
    143: "referenced_data_file",
}
LIST_FIELDS = frozenset({500, 501, 502, 517, 515, 516, 503, 504, 505, 506, 512, 513, 514, 507})
ENTRY_FIELDS = frozenset({0, 1, 3, 4, 2, 134, 100, 101, 102, 103, 104})
_PARTITION = 102
_PAIRS = frozenset({"key", "value"})


@dataclass(frozen=True, slots=True)
class AvroFile:
    header: Mapping[str, str]
    records: tuple[dict[str, Any], ...]

    @property
    def schema(self) -> Any:
        return json.loads(self.header["avro.schema"])


def local_path(location: str) -> Path:
    return Path(location.removeprefix("file://"))


def read_avro(location: str) -> AvroFile:
    with local_path(location).open("rb") as file:
        reader = fastavro.reader(file)
        records = tuple(record for record in reader if isinstance(record, dict))
        return AvroFile(dict(reader.metadata), records)


def field_complaints(file: AvroFile, required: frozenset[int]) -> Iterator[str]:
    """Names and ids of the file's fields against the specification."""
    found = dict(_identified(file.schema))
    for ident in sorted(required - found.keys()):
        yield f"the field {_NAMES[ident]} ({ident}) is missing"
    for ident, name in found.items():
        if ident in _NAMES and name != _NAMES[ident]:
            yield f"field {ident} is called {name}, not {_NAMES[ident]}"


def _identified(schema: Any) -> Iterator[tuple[int, str]]:
    """Every field with an id, but those of partitions: their names and ids are the spec's."""
    if isinstance(schema, list):
        for choice in schema:
            yield from _identified(choice)
    if not isinstance(schema, dict):
        return
    for field in schema.get("fields", []):
        if "field-id" in field:
            yield int(field["field-id"]), field["name"]
        elif field["name"] not in _PAIRS:
            raise AssertionError(f"the field {field['name']} has no id")
        if field.get("field-id") != _PARTITION:
            yield from _identified(field["type"])
    if schema.get("type") == "array":
        yield from _identified(schema["items"])


def plain(value: Any) -> Any:
    """What readers make of logical types, as the integers or bytes that are stored."""
    match value:
        case UUID():
            return value.bytes
        case datetime():
            aware = value if value.tzinfo else value.replace(tzinfo=UTC)
            past = aware - _EPOCH
            return (past.days * 86_400 + past.seconds) * 1_000_000 + past.microseconds
        case date():
            return (value - _EPOCH_DAY).days
        case time():
            seconds = (value.hour * 60 + value.minute) * 60 + value.second
            return seconds * 1_000_000 + value.microsecond
    return value


def pairs(found: list[dict[str, Any]] | dict[int, Any] | None) -> dict[int, Any] | None:
    """Iceberg keeps maps with numbers for keys as lists of pairs."""
    if found is None or isinstance(found, dict):
        return found
    return {pair["key"]: pair["value"] for pair in found}

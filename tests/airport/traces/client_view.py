"""The client's view of our answers: decoded as strictly as DuckDB's extension depends on them.

It trusts the server: a missing number is uninitialised memory, an empty stream or a narrow one a crash.
So every key, type, length and hash is looked at, and nothing is given the benefit of the doubt.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from tests.airport.airport_server import fl

_METADATA = {
    "type",
    "catalog",
    "schema",
    "name",
    "comment",
    "description",
    "input_schema",
    "action_name",
    "extra_data",
}


@dataclass(frozen=True)
class Entry:
    """A table as it stands in the client's catalog."""

    schema: pa.Schema
    descriptor: bytes


def catalog_entries(body: bytes, catalog: str) -> dict[tuple[str, str], Entry]:
    root = _unwrap(body)
    assert set(root) == {"contents", "schemas", "version_info"}
    assert root["contents"]["sha256"] in {"", "0" * 64}
    assert root["contents"]["url"] is None
    assert root["contents"]["serialized"] is None
    version_of(msgpack.packb(root["version_info"]))
    entries: dict[tuple[str, str], Entry] = {}
    names = [schema["name"] for schema in root["schemas"]]
    assert len(set(names)) == len(names)
    for schema in root["schemas"]:
        assert schema["name"] not in {"", "main"}
        assert isinstance(schema["description"], str)
        assert all(isinstance(text, str) for pair in schema["tags"].items() for text in pair)
        assert schema["is_default"] in {None, True, False}
        contents = schema["contents"]
        assert contents["url"] is None
        assert hashlib.sha256(contents["serialized"]).hexdigest() == contents["sha256"]
        for each in _unwrap(contents["serialized"]):
            name, entry = table_entry(each, catalog)
            assert name[0] == schema["name"]
            assert name not in entries
            entries[name] = entry
    return entries


def table_entry(serialised: bytes, catalog: str) -> tuple[tuple[str, str], Entry]:
    assert isinstance(serialised, bytes)
    info = fl.FlightInfo.deserialize(serialised)
    metadata = msgpack.unpackb(info.app_metadata)
    assert set(metadata) == _METADATA
    assert metadata["type"] == "table"
    assert metadata["catalog"] == catalog
    assert metadata["comment"] is None or isinstance(metadata["comment"], str)
    assert metadata["input_schema"] is None
    assert len(set(info.schema.names)) == len(info.schema.names)
    row_ids = [f.name for f in info.schema if (f.metadata or {}).get(b"is_rowid")]
    assert row_ids == info.schema.names[-1:] == ["rowid"]
    # These are copied into a header.
    assert all(0x20 <= byte < 0x7F for part in info.descriptor.path or [] for byte in part)
    return (metadata["schema"], metadata["name"]), Entry(info.schema, info.descriptor.serialize())


def version_of(body: bytes) -> int:
    record = msgpack.unpackb(body)
    assert set(record) == {"catalog_version", "is_fixed"}
    assert type(record["is_fixed"]) is bool
    assert type(record["catalog_version"]) is int
    assert 0 <= record["catalog_version"] < 2**64
    return int(record["catalog_version"])


def transaction_of(body: bytes) -> str:
    record = msgpack.unpackb(body)
    assert set(record) == {"identifier"}
    identifier = record["identifier"]
    assert isinstance(identifier, str)
    assert identifier.isascii()
    return identifier


def tickets_of(body: bytes) -> list[bytes]:
    """Of endpoints, which must all have a location; the client looks at the first alone."""
    endpoints = msgpack.unpackb(body)
    assert isinstance(endpoints, list)
    tickets = []
    for each in endpoints:
        assert isinstance(each, bytes)
        endpoint = fl.FlightEndpoint.deserialize(each)
        assert endpoint.locations[0].uri == b"arrow-flight-reuse-connection://?"
        tickets.append(endpoint.ticket.ticket)
    return tickets


def rows_of(reader: Any, declared: pa.Schema) -> list[dict[str, Any]]:
    """A stream is as wide as the declared schema, in its order and types; Arrow's `null` is any type."""
    assert reader.schema.names == declared.names
    for sent, told in zip(reader.schema, declared, strict=True):
        assert pa.types.is_null(sent.type) or sent.type == told.type
    rows: list[dict[str, Any]] = []
    for chunk in reader:
        assert chunk.data is not None
        assert chunk.data.schema.names == declared.names
        chunk.data.validate(full=True)
        if chunk.app_metadata:
            progress = msgpack.unpackb(bytes(chunk.app_metadata))
            assert set(progress) == {"progress"}
            assert type(progress["progress"]) is float
            assert 0.0 <= progress["progress"] <= 1.0
        rows += chunk.data.to_pylist()
    return rows


def statistics_of(body: bytes, column: pa.DataType) -> dict[str, Any]:
    with pa.ipc.open_stream(body) as stream:
        table = stream.read_all()
    assert table.num_rows == 1
    names = ["has_not_null", "has_null", "distinct_count", "min", "max"]
    assert table.schema.names[:5] == names
    assert set(table.schema.names[5:]) <= {"max_string_length", "contains_unicode"}
    for name, kind in (
        ("has_not_null", pa.bool_()),
        ("has_null", pa.bool_()),
        ("distinct_count", pa.uint64()),
    ):
        assert table.schema.field(name).type == kind
    for name in table.schema.names:
        assert name in {"min", "max"} or table.column(name).null_count == 0
    for name in ("min", "max"):
        kept = table.schema.field(name).type
        assert kept == column or table.column(name).null_count == 1
    (row,) = table.to_pylist()
    return dict(row)


def _unwrap(wrapped: bytes) -> Any:
    """`[length, zstd]`: the client allocates the length and decompresses into it."""
    pair = msgpack.unpackb(wrapped)
    assert len(pair) == 2
    length, data = pair
    assert 0 < length < 2**31
    reader = pa.CompressedInputStream(pa.BufferReader(data), "zstd")
    unpacked = reader.read()
    assert len(unpacked) == length
    return msgpack.unpackb(unpacked)

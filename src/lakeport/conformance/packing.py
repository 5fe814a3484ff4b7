"""msgpack, zstd and Arrow IPC, packed as DuckDB's client packs them and read as it reads them.

The client packs binary as msgpack text, so requests are packed that way, too; in answers both are taken.
What it would misread, or read as uninitialised memory, is a broken rule here.
"""

from __future__ import annotations

from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.conformance.verdicts import broken

_MOST = 2**31 - 1
_DAMAGE = (pa.ArrowException, ValueError, TypeError, OSError, EOFError)


def pack(value: object) -> bytes:
    packed: bytes = msgpack.packb(value, use_bin_type=False)
    return packed


def unpack(body: bytes, rule: str, what: str) -> Any:
    """Text and binary both as bytes, keys as text."""
    try:
        value = msgpack.unpackb(body, raw=True, strict_map_key=True)
    except (ValueError, TypeError, msgpack.UnpackException):
        raise broken(rule, f"{what} is not msgpack: {shown(body)}") from None
    return _keyed(value)


def _keyed(value: Any) -> Any:
    if isinstance(value, dict):
        return {_key(key): _keyed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_keyed(item) for item in value]
    return value


def _key(key: Any) -> Any:
    return key.decode("utf-8", "replace") if isinstance(key, bytes) else key


def unwrap(body: bytes, rule: str, what: str) -> bytes:
    """`[length, zstd]`: the client allocates the length and decompresses into it."""
    pair = unpack(body, rule, what)
    if not isinstance(pair, list) or len(pair) != 2:
        raise broken(rule, f"{what} is not an array of a length and zstd bytes")
    length, data = pair
    if type(length) is not int or not isinstance(data, bytes) or not 0 <= length <= _MOST:
        raise broken(rule, f"{what} is not an array of a length and zstd bytes")
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            unpacked: bytes = stream.read()
    except _DAMAGE:
        raise broken(rule, f"{what} does not decompress as zstd") from None
    if len(unpacked) != length:
        said = f"{what} claims {length} bytes and decompresses to {len(unpacked)}"
        raise broken(
            rule, said, "it allocates what was claimed: the listing fails, or memory is broken"
        )
    return unpacked


def text_of(value: object, rule: str, what: str) -> str:
    if not isinstance(value, bytes):
        raise broken(rule, f"{what} is {_kind(value)}, not text")
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise broken(rule, f"{what} is no UTF-8") from None


def map_of(value: object, rule: str, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise broken(rule, f"{what} is {_kind(value)}, not a map")
    return value


def bool_of(value: object, rule: str, what: str) -> bool:
    if not isinstance(value, bool):
        raise broken(
            rule, f"{what} is {_kind(value)}, not a boolean", "it reads uninitialised memory"
        )
    return value


def uint_of(value: object, rule: str, what: str) -> int:
    if type(value) is not int or not 0 <= value < 2**64:
        raise broken(
            rule, f"{what} is {_kind(value)}, not a uint64", "it reads uninitialised memory"
        )
    return value


def schema_of(message: object, rule: str, what: str) -> pa.Schema:
    if not isinstance(message, bytes):
        raise broken(rule, f"{what} is {_kind(message)}, not an Arrow schema")
    try:
        schema = pa.ipc.read_schema(pa.py_buffer(message))
        _ = [field.name for field in schema]
    except _DAMAGE:
        raise broken(rule, f"{what} is not an Arrow IPC schema message") from None
    return schema


def one_row(body: bytes, rule: str, what: str) -> pa.RecordBatch:
    try:
        with pa.ipc.open_stream(body) as stream:
            batches = list(stream)
        for batch in batches:
            batch.validate(full=True)
    except _DAMAGE:
        raise broken(rule, f"{what} is not an Arrow IPC stream") from None
    if [batch.num_rows for batch in batches] != [1]:
        rows = [batch.num_rows for batch in batches]
        raise broken(rule, f"{what} has batches of {rows or 'no'} rows, not one batch of one row")
    return batches[0]


def stream_of(batch: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def schema_bytes(schema: pa.Schema) -> bytes:
    return schema.serialize().to_pybytes()


def shown(data: bytes, most: int = 40) -> str:
    return repr(data[:most]) + ("…" if len(data) > most else "")


def _kind(value: object) -> str:
    return "missing or nil" if value is None else f"of type {type(value).__name__}"

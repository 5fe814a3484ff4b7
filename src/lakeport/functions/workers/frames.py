"""Messages as bytes: the lengths of both parts, a head in msgpack, and rows as an Arrow stream."""

from __future__ import annotations

import struct
from typing import Any, TypeVar

import msgspec
import pyarrow as pa

LENGTHS = struct.Struct("<IQ")
M = TypeVar("M")

_encoder = msgspec.msgpack.Encoder()


def pieces(message: msgspec.Struct, rows: pa.RecordBatch | None = None) -> list[memoryview]:
    """What is to be written, in order."""
    head = _encoder.encode(message)
    body = b"" if rows is None else stream_of(rows)
    return [memoryview(LENGTHS.pack(len(head), len(body)) + head), memoryview(body)]


def stream_of(rows: pa.RecordBatch) -> Any:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_batch(rows)
    return sink.getvalue()


def rows_in(body: Any) -> pa.RecordBatch | None:
    if not len(body):
        return None
    with pa.ipc.open_stream(pa.py_buffer(body)) as reader:
        return reader.read_next_batch()

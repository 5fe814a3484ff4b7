"""The arguments of a function as they travel: an Arrow IPC stream with one row (chapter 6.3).

Whoever sends one is not trusted. As with rows, every message is weighed before pyarrow unpacks it, and the
batch is validated fully after.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lakeport.core.errors import InvalidRequestError, LimitError
from lakeport.flight.ipc import Head, Kind

_MARKER = b"\xff\xff\xff\xff"
_PREFIX = 8
_MAX_BYTES = 3 * 1024 * 1024
_MAX_UNPACKED = 16 * 1024 * 1024
_MAX_VALUES = 8 * _MAX_UNPACKED
_DAMAGE = (pa.ArrowException, ValueError, TypeError, OSError, StopIteration)
_ALIGNED = pa.lib.Alignment.DataTypeSpecific  # type: ignore[attr-defined]  # newer than the stubs
_OPTIONS = pa.ipc.IpcReadOptions(ensure_alignment=_ALIGNED, use_threads=False)  # type: ignore[call-arg]


def decode_arguments(stream: bytes, what: str) -> pa.RecordBatch:
    """`what` is how the user is told whose arguments are wrong."""
    _weigh(stream, what)
    try:
        with pa.ipc.open_stream(pa.py_buffer(stream), options=_OPTIONS) as reader:
            batch = reader.read_next_batch()
            batch.validate(full=True)
            names = [name.encode() for name in batch.schema.names]
            has_more = next(iter(reader), None) is not None
    except _DAMAGE:
        raise _malformed(what) from None
    if batch.num_rows != 1 or has_more or len(names) != batch.num_columns:
        raise InvalidRequestError(
            f"the arguments of {what} must be one row", hint="send one value for each parameter"
        )
    return batch


def encode_arguments(batch: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def decode_schema(message: bytes, what: str) -> pa.Schema:
    """The columns of the rows that a function takes."""
    try:
        schema = pa.ipc.read_schema(pa.py_buffer(message))
        for name in schema.names:
            name.encode()
    except _DAMAGE:
        raise InvalidRequestError(
            f"the columns that {what} is to take are no Arrow schema",
            hint="send the IPC message of a schema, as `schema.serialize()` gives it",
        ) from None
    return schema


def _weigh(stream: bytes, what: str) -> None:
    if len(stream) > _MAX_BYTES:
        raise _too_large(what, len(stream))
    for head, body in _messages(memoryview(stream), what):
        if head.kind == Kind.SCHEMA:
            continue
        claims = head.claims(body)
        if claims.size > _MAX_UNPACKED or claims.rows > _MAX_VALUES:
            raise _too_large(what, claims.size)


def _messages(stream: memoryview, what: str) -> Iterator[tuple[Head, memoryview]]:
    position = 0
    while position < len(stream):
        if stream[position : position + 4] != _MARKER:
            raise _malformed(what)
        length = int.from_bytes(stream[position + 4 : position + _PREFIX], "little")
        if length == 0:
            return
        start = position + _PREFIX + length
        head = Head.read(stream[position + _PREFIX : start])
        body = stream[start : start + head.body_length]
        if head.body_length < 0 or len(body) != head.body_length:
            raise _malformed(what)
        yield head, body
        position = start + head.body_length


def _malformed(what: str) -> InvalidRequestError:
    return InvalidRequestError(
        f"the arguments of {what} are no Arrow IPC stream", hint="send a stream with one row"
    )


def _too_large(what: str, size: int) -> LimitError:
    return LimitError(
        f"the arguments of {what} take {size:,} bytes, more than fits into a ticket",
        hint="put large values into a table, and give the function its name",
    )

"""Record batches ↔ FlightData messages with one copy: from the batch's buffers into the message.

pyarrow's stream writer hands its sink each buffer as it lies in memory. The sink only collects them, so
that they are joined once, into the very bytes that gRPC takes. The writer also sends dictionaries
before the batch that needs them, compresses, and cuts sliced arrays to their rows.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from lakeport.core.errors import InternalError, LimitError
from lakeport.flight import protobuf as wire
from lakeport.flight.ipc import Heads, Kind
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.service import Compression

_DESCRIPTOR, _HEADER, _METADATA, _BODY = 1, 2, 3, 1000
_HEADER_TAG, _METADATA_TAG, _BODY_TAG = wire.tag(_HEADER), wire.tag(_METADATA), wire.tag(_BODY)
_PREFIX = 8  # an IPC message in a stream: a marker and the length of its head

# A default gRPC client refuses more than 4 MB, and 1 to 2 MB at a time was measured as the fastest.
CUT_ABOVE = 3_500_000
CUT_INTO = 1_800_000
# Below it a second copy costs less than pyarrow's asking Python to take each piece.
_COPIED_BELOW = 256 << 10


class Frame(NamedTuple):
    """A received FlightData message; the body still lies in the bytes that gRPC gave."""

    descriptor: FlightDescriptor | None
    header: bytes
    metadata: bytes | None
    body: memoryview


def decode_frame(message: bytes) -> Frame:
    return _decoded(message)[0]


class Frames:
    """The messages of one stream. One that begins as the last did, up to its body, and is as long, is taken
    apart as that was: batches of as many rows mostly do.
    """

    def __init__(self) -> None:
        self._opening = b""
        self._length = 0
        self._last: Frame | None = None

    def repeats(self, message: bytes) -> bool:
        """Whether nothing but the body can differ from that of the last one."""
        return (
            self._last is not None
            and len(message) == self._length
            and message.startswith(self._opening)
        )

    def decode(self, message: bytes) -> Frame:
        last = self._last
        if last is not None and self.repeats(message):
            return Frame(
                None, last.header, last.metadata, memoryview(message)[len(self._opening) :]
            )
        frame, ending = _decoded(message)
        self._last = None
        if ending == _BODY and frame.descriptor is None:
            self._opening = message[: len(message) - len(frame.body)]
            self._length = len(message)
            self._last = frame._replace(body=memoryview(b""))
        return frame


def _decoded(message: bytes) -> tuple[Frame, int]:
    """And which field is the last one."""
    descriptor, header, metadata, body = None, b"", None, memoryview(b"")
    field = 0
    for field, value in wire.fields(message):
        if field == _DESCRIPTOR:
            descriptor = FlightDescriptor.decode(wire.as_view(value))
        elif field == _HEADER:
            header = wire.as_bytes(value)
        elif field == _METADATA:
            metadata = wire.as_bytes(value)
        elif field == _BODY:
            body = wire.as_view(value)
    return Frame(descriptor, header, metadata, body), field


def metadata_frame(metadata: bytes) -> bytes:
    """A message without rows. Never inside a DoGet: the DuckDB client takes it for the end."""
    return wire.put_message(_METADATA, metadata)


@dataclass(slots=True)
class _Part:
    """One IPC message in pieces, none of them copied yet."""

    kind: int
    head: bytes | memoryview
    body: list[bytes | memoryview | pa.Buffer]
    body_length: int

    def frame(self, metadata: bytes | None) -> bytes:
        about = [] if metadata is None else [_METADATA_TAG, wire.varint(len(metadata)), metadata]
        body = [_BODY_TAG, wire.varint(self.body_length), *self.body] if self.body_length else []
        return b"".join([_HEADER_TAG, wire.varint(len(self.head)), self.head, *about, *body])


class FrameEncoder:
    """The messages of one stream. `cut` allows a large batch to travel as several smaller ones."""

    def __init__(
        self,
        schema: pa.Schema,
        *,
        most_bytes: int,
        cut: bool,
        compression: Compression | None = None,
    ) -> None:
        self._most_bytes = most_bytes
        self._cut = cut
        self._heads = Heads()
        self._sink = _Sink()
        options = pa.ipc.IpcWriteOptions(compression=compression, use_threads=False)
        # PythonFile passes whole buffers on; a plain object would be asked through BufferedWriter.
        self._writer = pa.ipc.new_stream(pa.PythonFile(self._sink, "w"), schema, options=options)
        self._schema = bytes(schema.serialize())[_PREFIX:]
        is_whole = compression is None and not any(_has_dictionary(each.type) for each in schema)
        self._copied = schema if is_whole else None  # rows of this schema alone

    def schema(self, descriptor: FlightDescriptor | None = None) -> bytes:
        """A client's first message says what the rows are for, too."""
        about = b"" if descriptor is None else wire.put_message(_DESCRIPTOR, descriptor.encode())
        return about + _Part(Kind.SCHEMA, self._schema, [], 0).frame(None)

    def batch(self, batch: pa.RecordBatch, metadata: bytes | None = None) -> Iterator[bytes]:
        """Dictionaries first if they changed, then the rows; the metadata goes with the last of them."""
        if self._may_copy(batch):
            message = _copied(batch, metadata)
            if len(message) <= self._most_bytes:
                yield message
                return
        self._writer.write_batch(batch)
        for part in self._taken():
            if part.kind == Kind.BATCH:
                yield from self._rows(batch, part, metadata)
            elif part.kind == Kind.DICTIONARY:  # the writer sends the schema with the first batch
                yield self._checked(part).frame(None)

    def _may_copy(self, batch: pa.RecordBatch) -> bool:
        if self._copied is None or not batch.schema.equals(self._copied):
            return False  # of others the writer says what is wrong
        # Rows cut out of more share its buffers: `nbytes` says what is theirs, and takes longer.
        return batch.get_total_buffer_size() < _COPIED_BELOW or batch.nbytes < _COPIED_BELOW

    def _rows(self, batch: pa.RecordBatch, part: _Part, metadata: bytes | None) -> Iterator[bytes]:
        most = min(CUT_ABOVE, self._most_bytes)
        if not self._cut or part.body_length <= most or batch.num_rows < 2:
            yield self._checked(part).frame(metadata)
            return
        pieces = -(-part.body_length // min(CUT_INTO, most))
        step = max(1, batch.num_rows // pieces)
        for start in range(0, batch.num_rows, step):
            rows = batch.slice(start, step)
            yield from self.batch(rows, metadata if start + step >= batch.num_rows else None)

    def _checked(self, part: _Part) -> _Part:
        if part.body_length > self._most_bytes:
            raise LimitError(
                f"a message of {part.body_length:,} bytes is larger than the {self._most_bytes:,} allowed",
                hint="ask for fewer columns, or raise `server.limits.message_bytes`",
                details={"limit": "message_bytes"},
            )
        return part

    def _taken(self) -> Iterator[_Part]:
        pieces = iter(self._sink.take())
        for piece in pieces:
            head = bytearray(piece)
            while len(head) < _PREFIX or len(head) < _PREFIX + _length(head):
                head += next(pieces)
            flatbuffer = bytes(head[_PREFIX:])
            about = self._heads.read(flatbuffer)
            body: list[bytes | memoryview | pa.Buffer] = []
            missing = about.body_length
            while missing > 0:
                body.append(next(pieces))
                missing -= len(body[-1])
            if missing or len(head) != _PREFIX + _length(head):
                raise InternalError("pyarrow wrote an IPC message in unexpected pieces")
            yield _Part(about.kind, flatbuffer, body, about.body_length)


def _copied(batch: pa.RecordBatch, metadata: bytes | None) -> bytes:
    message = memoryview(batch.serialize())
    body = _PREFIX + _length(message)
    head = (_HEADER_TAG, wire.varint(body - _PREFIX), message[_PREFIX:body])
    about = () if metadata is None else (_METADATA_TAG, wire.varint(len(metadata)), metadata)
    if body == len(message):
        return b"".join((*head, *about))
    return b"".join((*head, *about, _BODY_TAG, wire.varint(len(message) - body), message[body:]))


def _has_dictionary(kind: pa.DataType) -> bool:
    """Whether its values need a message of their own before them."""
    if isinstance(kind, pa.BaseExtensionType):
        return _has_dictionary(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return True
    return any(_has_dictionary(kind.field(place).type) for place in range(kind.num_fields))


def _length(head: bytearray | memoryview) -> int:
    return int.from_bytes(head[4:8], "little")


class _Sink(io.RawIOBase):
    """Keeps what is written instead of copying it anywhere."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes | pa.Buffer] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: bytes | pa.Buffer) -> int:  # type: ignore[override]
        self._pieces.append(piece)
        return len(piece)

    def tell(self) -> int:
        return 0  # messages are aligned within themselves

    def take(self) -> list[bytes | pa.Buffer]:
        taken, self._pieces = self._pieces, []
        return taken

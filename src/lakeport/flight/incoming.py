"""Rows from a client that is not trusted: every message is weighed before pyarrow unpacks it, and every
batch is validated fully after.

Unvalidated batches crash the process as soon as anything reads them (measured: 25 of 840 mutated
streams), so no caller of this module ever sees one.
"""

from __future__ import annotations

import io
import sys
from collections import deque
from collections.abc import Iterator

import pyarrow as pa

from lakeport.catalog.arrays.vectors import Vectors
from lakeport.catalog.arrow import Field
from lakeport.core.errors import InvalidRequestError, LimitError
from lakeport.core.names import quoted
from lakeport.flight.call import Call
from lakeport.flight.framing import Frame, Frames
from lakeport.flight.ipc import Claims, Head, Heads, Kind, malformed
from lakeport.flight.limits import Limits
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.repeated import Places
from lakeport.flight.service import Chunk

_MARKER = b"\xff\xff\xff\xff"
# A body lies in its message wherever the fields before it end.
_ALIGNED = pa.lib.Alignment.DataTypeSpecific  # type: ignore[attr-defined]  # newer than the stubs
_OPTIONS = pa.ipc.IpcReadOptions(ensure_alignment=_ALIGNED, use_threads=False)  # type: ignore[call-arg]

_DAMAGE = (pa.ArrowException, ValueError, TypeError, OSError)

# DuckDB goes beyond what Arrow allows in these, without a word to its user.
_BEYOND_ARROW = {
    pa.time64("us").id: "Arrow's time of day ends before 24:00:00",
    pa.decimal128(
        1
    ).id: "for a HUGEINT of more than 38 digits create the column and send rows with "
    "`SET arrow_lossless_conversion = true`",
}


class IncomingStream:
    """The `Incoming` of DoPut and DoExchange. One thread reads it, once."""

    def __init__(self, call: Call, messages: Iterator[bytes], limits: Limits) -> None:
        self._call = call
        self._messages = messages
        self._limits = limits
        self._decoder = Frames()
        self._frames: deque[Frame] = deque()  # read ahead to find the descriptor and the schema
        self._heads = Heads()
        self._source = _Source()
        self._reader: pa.RecordBatchReader | None = None
        self._is_native = False
        self._descriptor: FlightDescriptor | None = None
        self._dictionaries: dict[int, int] = {}

    @property
    def descriptor(self) -> FlightDescriptor:
        if self._descriptor is None:
            first = self._receive()
            if first is None:
                raise InvalidRequestError("the stream ended before its flight descriptor")
            self._descriptor = first.descriptor or FlightDescriptor()
            self._frames.append(first)
        return self._descriptor

    @property
    def schema(self) -> pa.Schema:
        """Waits for the client's schema; metadata that comes before it is kept for the iteration."""
        before: list[Frame] = []
        while self._reader is None:
            frame = self._next()
            if frame is None:
                raise InvalidRequestError("the stream ended before its schema")
            if frame.header:
                if Head.read(frame.header).kind != Kind.SCHEMA:
                    raise InvalidRequestError("the stream does not begin with a schema")
                self._open(frame)
            before.append(frame._replace(header=b""))
        self._frames.extendleft(reversed(before))
        return self._reader.schema

    @property
    def opening(self) -> bytes | None:
        _ = self.schema
        kept = [frame for frame in self._frames if frame.metadata is None]
        said = [frame.metadata for frame in self._frames if frame.metadata is not None]
        self._frames = deque(kept)
        return said[0] if said else None

    def __iter__(self) -> Iterator[Chunk]:
        while (frame := self._next()) is not None:
            chunk = self._chunk(frame)
            if chunk is not None:
                yield chunk

    def vectors(self) -> Iterator[Chunk | Vectors]:
        _ = self.schema
        while self._frames:
            chunk = self._chunk(self._frames.popleft())
            if chunk is not None:
                yield chunk
        traffic = self._call.traffic
        places: Places | None = None
        is_sought = True  # once among messages that begin alike
        while (message := self._message()) is not None:
            vectors = None if places is None else places.read(message)
            if vectors is not None:
                traffic.rows_in += vectors.rows
                yield vectors
                continue
            is_repeated = self._decoder.repeats(message)
            frame = self._decoder.decode(message)
            chunk = self._chunk(frame)
            if not is_repeated:
                places, is_sought = None, True
            elif is_sought and chunk is not None and chunk.batch is not None:
                is_sought = False
                places = Places.of(message, frame, chunk.batch) if self._is_native else None
            if chunk is not None:
                yield chunk

    def skip(self, most_bytes: int) -> None:
        """Nothing can be iterated after it."""
        for message in self._messages:
            self._call.check()
            self._call.traffic.bytes_in += len(message)
            most_bytes -= len(message)
            if most_bytes <= 0:
                return

    def _next(self) -> Frame | None:
        """The descriptor's message may carry more than the descriptor: it is seen here as well."""
        if self._frames:
            return self._frames.popleft()
        return self._receive()

    def _receive(self) -> Frame | None:
        message = self._message()
        return None if message is None else self._decoder.decode(message)

    def _message(self) -> bytes | None:
        message = next(self._messages, None)
        if message is not None:
            self._call.check()
            self._call.traffic.bytes_in += len(message)
        return message

    def _chunk(self, frame: Frame) -> Chunk | None:
        """None where there is nothing to show for it."""
        if not frame.header:
            return None if frame.metadata is None else Chunk(None, frame.metadata)
        head = self._heads.read(frame.header)
        if head.kind == Kind.SCHEMA and self._reader is None:
            self._open(frame)
            self._frames.appendleft(frame._replace(header=b""))  # its metadata is still to come
        elif head.kind == Kind.DICTIONARY and self._reader is not None:
            self._keep(self._weighed(head, frame))
            self._source.feed(frame)
        elif head.kind == Kind.BATCH and self._reader is not None:
            self._weighed(head, frame)
            self._source.feed(frame)
            return Chunk(self._batch(self._reader), frame.metadata)
        else:
            raise malformed()
        return None

    def _open(self, frame: Frame) -> None:
        self._source.feed(frame)
        try:
            reader = pa.ipc.open_stream(pa.PythonFile(self._source, "r"), options=_OPTIONS)
            for column in reader.schema:
                _look_at_names(column)
        except _DAMAGE:
            raise malformed() from None
        self._reader = reader
        self._is_native = Head.read(frame.header).is_little_endian and sys.byteorder == "little"

    def _weighed(self, head: Head, frame: Frame) -> Claims:
        if head.body_length != len(frame.body):
            raise malformed()
        claims = self._heads.claims(head, frame.body)
        most = self._limits.decompressed_bytes
        if claims.size > most:
            raise LimitError(
                f"a batch unpacks to {claims.size:,} bytes, more than the {most:,} allowed",
                hint="send smaller batches, or raise `server.limits.decompressed_bytes`",
                details={"limit": "decompressed_bytes"},
            )
        # Eight values fit into a byte, and only arrays of NULLs need no bytes at all.
        if claims.rows > max(self._limits.batch_rows, 8 * claims.size):
            raise LimitError(
                f"a batch has {claims.rows:,} values in a column, more than the "
                f"{self._limits.batch_rows:,} allowed",
                hint="send smaller batches, or raise `server.limits.batch_rows`",
                details={"limit": "batch_rows"},
            )
        return claims

    def _keep(self, claims: Claims) -> None:
        """A dictionary stays for the batches after it; a delta makes it longer."""
        before = self._dictionaries.get(claims.dictionary, 0) if claims.is_delta else 0
        self._dictionaries[claims.dictionary] = before + claims.size
        if sum(self._dictionaries.values()) > self._limits.stream_bytes:
            raise LimitError(
                f"the dictionaries of the stream are larger than the "
                f"{self._limits.stream_bytes:,} bytes allowed",
                hint="send those columns without dictionaries, or raise `server.limits.stream_bytes`",
                details={"limit": "stream_bytes"},
            )

    def _batch(self, reader: pa.RecordBatchReader) -> pa.RecordBatch:
        try:
            batch = reader.read_next_batch()
        except (*_DAMAGE, StopIteration):
            raise malformed() from None
        try:
            batch.validate(full=True)
        except _DAMAGE:
            raise _beyond(batch) from None
        self._call.traffic.rows_in += batch.num_rows
        return batch


def _beyond(batch: pa.RecordBatch) -> InvalidRequestError:
    """Which column it is: its user may be able to help it."""
    for column, values in zip(batch.schema, batch.columns, strict=True):
        try:
            values.validate(full=True)
        except _DAMAGE:
            return InvalidRequestError(
                f"column {quoted(column.name)} holds what is no valid {column.type}",
                hint=_BEYOND_ARROW.get(column.type.id),
            )
    return malformed()


def _look_at_names(field: Field) -> None:
    """Names that are no UTF-8 raise only when somebody looks at them: here, not in the middle of work."""
    _ = field.name
    kind = field.type
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if isinstance(kind, pa.DictionaryType):
        kind = kind.value_type
    for place in range(kind.num_fields):
        _look_at_names(kind.field(place))


class _Source(io.RawIOBase):
    """What was received and not yet read, as the file that pyarrow's stream reader wants."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: deque[memoryview] = deque()

    def feed(self, frame: Frame) -> None:
        padding = -len(frame.header) % 8
        length = (len(frame.header) + padding).to_bytes(4, "little")
        self._pieces.append(memoryview(_MARKER + length + frame.header + bytes(padding)))
        if frame.body:
            self._pieces.append(frame.body)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> memoryview | bytes:
        """Never across two pieces: heads and bodies are read apart."""
        if not self._pieces:
            return b""
        piece = self._pieces.popleft()
        if len(piece) > size:
            self._pieces.appendleft(piece[size:])
        return piece[:size]

"""A client that changes rows as DuckDB's extension does: over bare gRPC, message by message.

It keeps to the frame of chapter 5.1 and holds the server to it: our schema before a row is sent, a batch
for every batch or none at all, the count in a message without rows, and then nothing.
"""

from __future__ import annotations

import queue
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.flight.call import Call, Method
from lakeport.flight.framing import FrameEncoder, decode_frame
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.ipc import Head, Kind
from lakeport.flight.limits import Limits
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.protobuf import put_message
from tests.flight.raw import AIRPORT, Failure, Headers, RawClient, failure_of

ATTACHED = (*AIRPORT, ("airport-catalog", "lake"))


@dataclass(frozen=True)
class Answer:
    schema: pa.Schema
    batches: list[pa.RecordBatch]
    changed: int

    @property
    def rows(self) -> list[dict[str, Any]]:
        return pa.Table.from_batches(self.batches, self.schema).to_pylist()


@dataclass
class Talk:
    """One exchange. `heard` are the server's messages so far."""

    raw: RawClient
    headers: Headers
    timeout: float = 30
    heard: list[bytes] = field(default_factory=list)
    _said: queue.SimpleQueue[bytes | None] = field(default_factory=queue.SimpleQueue)
    _encoder: FrameEncoder | None = None

    def __post_init__(self) -> None:
        messages = iter(self._said.get, None)
        self.call: Any = self.raw.start("DoExchange", messages, self.headers, self.timeout)

    def name(self, descriptor: FlightDescriptor) -> None:
        self.say(put_message(1, descriptor.encode()))

    def declare(self, schema: pa.Schema) -> None:
        self._encoder = FrameEncoder(schema, most_bytes=1 << 30, cut=False)
        self.say(self._encoder.schema())

    def send(self, batch: pa.RecordBatch) -> None:
        assert self._encoder is not None
        for message in self._encoder.batch(batch):
            self.say(message)

    def say(self, message: bytes) -> None:
        self._said.put(message)

    def half_close(self) -> None:
        self._said.put(None)

    def hear(self) -> int | None:
        """The kind of the next message of ours; None for one without rows. `StopIteration` at the end."""
        message = next(self.call)
        self.heard.append(message)
        header = decode_frame(message).header
        return Head.read(header).kind if header else None

    def hear_batch(self) -> None:
        while (kind := self.hear()) == Kind.DICTIONARY:
            pass
        assert kind == Kind.BATCH

    def hear_end(self) -> None:
        assert next(self.call, None) is None

    def answer(self) -> Answer:
        call = Call(Method.DO_EXCHANGE)
        stream = IncomingStream(call, iter(self.heard), Limits())
        schema = stream.schema
        *batches, last = list(stream)
        assert last.batch is None
        total = msgpack.unpackb(last.metadata)
        assert set(total) == {"total_changed"}
        return Answer(
            schema,
            [chunk.batch for chunk in batches if chunk.batch is not None],
            total["total_changed"],
        )


def descriptor_of(*path: str) -> FlightDescriptor:
    return FlightDescriptor(path=path)


@dataclass(frozen=True)
class Writer:
    """`headers` go with every statement."""

    raw: RawClient
    headers: Headers = ATTACHED

    def having(self, *headers: tuple[str, str]) -> Writer:
        return Writer(self.raw, (*self.headers, *headers))

    def open(self, operation: str, *, returning: bool = False, timeout: float = 30) -> Talk:
        own = (("airport-operation", operation), ("return-chunks", str(int(returning))))
        return Talk(self.raw, (*self.headers, *own), timeout)

    def run(
        self,
        operation: str,
        descriptor: FlightDescriptor,
        batches: Sequence[pa.RecordBatch],
        *,
        schema: pa.Schema | None = None,
        returning: bool = False,
    ) -> Answer:
        talk = self.open(operation, returning=returning)
        talk.name(descriptor)
        talk.declare(batches[0].schema if schema is None else schema)
        assert talk.hear() == Kind.SCHEMA
        for batch in batches:
            talk.send(batch)
            if returning:
                talk.hear_batch()
        talk.half_close()
        assert talk.hear() is None
        talk.hear_end()
        return talk.answer()

    def refused(
        self,
        operation: str,
        descriptor: FlightDescriptor,
        batches: Sequence[pa.RecordBatch],
        *,
        schema: pa.Schema | None = None,
        returning: bool = False,
    ) -> Failure:
        try:
            self.run(operation, descriptor, batches, schema=schema, returning=returning)
        except grpc.RpcError as error:
            return failure_of(error)
        raise AssertionError(f"{operation} was not refused")


def typed(failure: Failure) -> tuple[str, str] | None:
    """What DuckDB raises, where that is told it."""
    details = failure.trailers.get("grpc-status-details-bin")
    if details is None or "x-arrow-status" not in failure.trailers:
        return None
    found = msgpack.unpackb(details)
    return found["exception_type"], found["message"]


def batch_of(schema: pa.Schema, *rows: Iterable[object]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)

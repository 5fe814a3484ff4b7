"""Small services to ask: rows by ticket, errors on demand, exchanges that echo."""

# ruff: noqa: ARG002  a service gets more than it needs

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from lakeport.flight.call import Call
from lakeport.flight.messages import (
    Action,
    ActionType,
    FlightDescriptor,
    FlightEndpoint,
    FlightInfo,
    Handshake,
    PollInfo,
)
from lakeport.flight.service import Chunk, FlightService, Incoming, Outgoing

BATCH = pa.record_batch({"id": [1, 2, 3], "name": ["a", None, "c"]})
SCHEMA = BATCH.schema


class Complete(FlightService):
    """Answers all ten methods."""

    def handshake(self, call: Call, requests: Iterator[Handshake]) -> Iterator[Handshake]:
        call.answer_headers.append(("authorization", "Bearer of-the-day"))
        for request in requests:
            yield Handshake(request.payload[::-1], request.protocol_version)

    def list_flights(self, call: Call, criteria: bytes) -> Iterator[FlightInfo]:
        yield self.get_flight_info(call, FlightDescriptor(path=(criteria.decode(), "t")))

    def get_flight_info(self, call: Call, descriptor: FlightDescriptor) -> FlightInfo:
        endpoint = FlightEndpoint(b"rows")
        return FlightInfo(bytes(SCHEMA.serialize()), descriptor, (endpoint,), BATCH.num_rows)

    def poll_flight_info(self, call: Call, descriptor: FlightDescriptor) -> PollInfo:
        return PollInfo(self.get_flight_info(call, descriptor), progress=1.0)

    def get_schema(self, call: Call, descriptor: FlightDescriptor) -> pa.Schema:
        return SCHEMA

    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        return Outgoing(SCHEMA, [Chunk(BATCH, ticket)])

    def do_put(self, call: Call, incoming: Incoming) -> Iterator[bytes]:
        for batch, _ in incoming:
            yield str(batch.num_rows if batch is not None else None).encode()

    def do_exchange(self, call: Call, incoming: Incoming) -> Outgoing:
        return Outgoing(incoming.schema, _echo(incoming))

    def do_action(self, call: Call, action: Action) -> Iterator[bytes]:
        yield action.type.encode()
        yield action.body

    def list_actions(self, call: Call) -> Iterator[ActionType]:
        yield ActionType("echo", "Says what it was told")


def _echo(incoming: Incoming) -> Iterator[Chunk]:
    rows = 0
    for chunk in incoming:
        if chunk.batch is not None:
            rows += chunk.batch.num_rows
            yield chunk
    yield Chunk(None, f"{rows} rows".encode())


@dataclass
class Raising(FlightService):
    """Raises the same error from every method; streams raise it after their first rows."""

    error: Exception

    def get_flight_info(self, call: Call, descriptor: FlightDescriptor) -> FlightInfo:
        raise self.error

    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        return Outgoing(SCHEMA, self._rows())

    def do_action(self, call: Call, action: Action) -> Iterator[bytes]:
        raise self.error

    def _rows(self) -> Iterator[Chunk]:
        yield Chunk(BATCH)
        raise self.error


@dataclass
class Gauge:
    """An endless stream, and what became of it."""

    batch: pa.RecordBatch = field(default_factory=lambda: BATCH)
    given: int = 0
    started: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)

    def outgoing(self) -> Outgoing:
        return Outgoing(self.batch.schema, self._chunks(), self.closed.set)

    def _chunks(self) -> Iterator[Chunk]:
        try:
            while not self.closed.is_set():
                self.given += 1
                self.started.set()
                yield Chunk(self.batch)
        finally:
            self.finished.set()


@dataclass
class Endless(FlightService):
    gauge: Gauge = field(default_factory=Gauge)

    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        return self.gauge.outgoing()

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        return [action.body]


@dataclass
class Held(FlightService):
    """Calls that stay open until they are let go; exchanges wait for their client."""

    release: threading.Event = field(default_factory=threading.Event)
    inside: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def do_action(self, call: Call, action: Action) -> Iterator[bytes]:
        if action.type == "hold":
            self.inside.release()
            self.release.wait(60)
        yield action.body

    def do_exchange(self, call: Call, incoming: Incoming) -> Outgoing:
        self.inside.release()
        return Outgoing(SCHEMA, _echo(incoming))


@dataclass
class Log:
    """A watcher that remembers, and can be waited for."""

    calls: list[Call] = field(default_factory=list)
    ends: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def began(self, call: Call) -> None:
        self.calls.append(call)

    def ended(self, call: Call) -> None:
        self.ends.release()

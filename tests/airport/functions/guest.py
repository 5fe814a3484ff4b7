"""Calls functions as DuckDB's extension does, over bare gRPC, and holds the answers to chapter 6."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.airport.service import AirportService
from lakeport.catalog.ports import Catalog
from lakeport.flight import protobuf
from lakeport.flight.call import Call, Method
from lakeport.flight.framing import decode_frame
from lakeport.flight.incoming import IncomingStream
from lakeport.flight.ipc import Kind
from lakeport.flight.limits import Limits
from lakeport.flight.messages import (
    Action,
    FlightDescriptor,
    FlightEndpoint,
    FlightInfo,
    Ticket,
)
from lakeport.flight.protobuf import put_bytes
from lakeport.flight.server import FlightServer
from tests.airport.airport_server import People
from tests.airport.exchange.talk import Talk
from tests.flight.raw import AIRPORT, Failure, Headers, RawClient, failure_of

ATTACHED = (*AIRPORT, ("airport-catalog", "lake"))
CONTINUES, FINISHED = b"chunk_continues", b"chunk_finished"


@dataclass(frozen=True)
class Entry:
    """A function in the client's catalog."""

    kind: str
    output: pa.Schema
    parameters: pa.Schema
    descriptor: FlightDescriptor
    metadata: dict[str, Any]


def stream_of(batch: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def row(**values: Any) -> pa.RecordBatch:
    if not values:
        none = pa.StructArray.from_buffers(pa.struct([]), 1, [None])
        return pa.RecordBatch.from_struct_array(none)  # type: ignore[arg-type]
    return pa.record_batch({name: [value] for name, value in values.items()})


@dataclass(frozen=True)
class Guest:
    raw: RawClient
    headers: Headers = ATTACHED

    def having(self, *headers: tuple[str, str]) -> Guest:
        return Guest(self.raw, (*self.headers, *headers))

    # -- discovery -------------------------------------------------------------------------------

    def action(self, name: str, body: bytes) -> bytes:
        (answer,) = self.raw.ask("DoAction", Action(name, body).encode(), self.headers)
        return body_of_result(answer)

    def refused_action(self, name: str, body: bytes) -> Failure:
        return self.raw.failure("DoAction", Action(name, body).encode(), self.headers)

    def entries(self, catalog: str = "lake") -> dict[str, list[Entry]]:
        """By `namespace.name`: overloads have one name."""
        root = unwrap(self.action("list_schemas", msgpack.packb({"catalog_name": catalog})))
        found: dict[str, list[Entry]] = {}
        for schema in root["schemas"]:
            for each in unwrap(schema["contents"]["serialized"]):
                entry = entry_of(each)
                if entry.kind != "table":
                    assert entry.metadata["schema"] == schema["name"]
                    found.setdefault(f"{schema['name']}.{entry.metadata['name']}", []).append(entry)
        return found

    def entry(self, name: str) -> Entry:
        (found,) = self.entries()[name]
        return found

    # -- scalar functions ------------------------------------------------------------------------

    def open(self, operation: str, timeout: float = 30) -> Talk:
        own = (("airport-operation", operation), ("return-chunks", "1"))
        return Talk(self.raw, (*self.headers, *own), timeout)

    def call(
        self, descriptor: FlightDescriptor, declared: pa.Schema, batches: Sequence[pa.RecordBatch]
    ) -> list[pa.RecordBatch]:
        """One batch for each, of as many rows, and then the end without another word."""
        talk = self.open("scalar_function")
        talk.name(descriptor)
        talk.declare(batches[0].schema)
        assert talk.hear() == Kind.SCHEMA
        for batch in batches:
            talk.send(batch)
            talk.hear_batch()
        talk.half_close()
        talk.hear_end()
        stream = IncomingStream(Call(Method.DO_EXCHANGE), iter(talk.heard), Limits())
        assert stream.schema.equals(declared)
        given = [chunk.batch for chunk in stream if chunk.batch is not None]
        assert [each.num_rows for each in given] == [each.num_rows for each in batches]
        return given

    def values(self, name: str, *batches: pa.RecordBatch) -> list[Any]:
        entry = self.entry(name)
        answers = self.call(entry.descriptor, entry.output, batches)
        return [value for answer in answers for value in answer.column(0).to_pylist()]

    def refused(
        self,
        operation: str,
        descriptor: FlightDescriptor,
        *batches: pa.RecordBatch,
        opening: bytes = b"",
    ) -> Failure:
        talk = self.open(operation)
        try:
            talk.name(descriptor)
            if opening:
                talk.say(put_bytes(3, opening))
            talk.declare(batches[0].schema)
            for batch in batches:
                talk.send(batch)
            talk.half_close()
            for _ in talk.call:
                pass
        except grpc.RpcError as error:
            return failure_of(error)
        raise AssertionError(f"{operation} did not fail")

    # -- table functions -------------------------------------------------------------------------

    def bind(
        self, descriptor: FlightDescriptor, arguments: pa.RecordBatch, rows: pa.Schema | None = None
    ) -> FlightInfo:
        body = bind_body(descriptor, arguments, rows)
        info = FlightInfo.decode(self.action("table_function_flight_info", body))
        assert info.descriptor == descriptor  # or the client refuses it
        return info

    def endpoints(
        self,
        descriptor: FlightDescriptor,
        arguments: pa.RecordBatch,
        columns: Sequence[int] = (),
        filters: str = "",
    ) -> list[bytes]:
        body = endpoints_body(descriptor, arguments, columns, filters)
        tickets = []
        for each in msgpack.unpackb(self.action("endpoints", body)):
            endpoint = FlightEndpoint.decode(each)
            assert endpoint.locations[0] == "arrow-flight-reuse-connection://?"
            tickets.append(endpoint.ticket)
        return tickets

    def read(self, ticket: bytes) -> tuple[pa.Schema, list[tuple[pa.RecordBatch, bytes | None]]]:
        messages = self.raw.ask("DoGet", Ticket(ticket).encode(), self.headers)
        stream = IncomingStream(Call(Method.DO_EXCHANGE), iter(messages), Limits())
        schema = stream.schema
        chunks = list(stream)
        assert all(chunk.batch is not None for chunk in chunks)
        return schema, [
            (chunk.batch, chunk.metadata) for chunk in chunks if chunk.batch is not None
        ]

    def rows(
        self,
        name: str,
        arguments: pa.RecordBatch,
        columns: Sequence[int] = (),
        filters: str = "",
    ) -> list[dict[str, Any]]:
        """As a query runs: bound, planned, read; every stream as wide as it was told."""
        descriptor = self.entry(name).descriptor
        info = self.bind(descriptor, arguments)
        declared = pa.ipc.read_schema(pa.py_buffer(info.schema))
        found: list[dict[str, Any]] = []
        for ticket in self.endpoints(descriptor, arguments, columns, filters):
            schema, chunks = self.read(ticket)
            assert schema.names == declared.names
            for sent, told in zip(schema, declared, strict=True):
                assert pa.types.is_null(sent.type) or sent.type == told.type
            for batch, metadata in chunks:
                if metadata is not None:
                    assert 0.0 <= msgpack.unpackb(metadata)["progress"] <= 1.0
                found += batch.to_pylist()
        return found

    # -- functions that take rows ----------------------------------------------------------------

    def passed(
        self,
        name: str,
        arguments: pa.RecordBatch,
        batches: Sequence[pa.RecordBatch],
        schema: pa.Schema | None = None,
        operation: str = "table_function_in_out",
    ) -> list[list[pa.RecordBatch]]:
        """What came for each batch, and at last what trailed: in step, as the client does it."""
        rows = batches[0].schema if schema is None else schema
        descriptor = self.entry(name).descriptor
        info = self.bind(descriptor, arguments, rows)
        declared = pa.ipc.read_schema(pa.py_buffer(info.schema))
        talk = self.open(operation)
        talk.name(descriptor)
        talk.say(put_bytes(3, opening_of(arguments)))
        talk.declare(rows)
        assert talk.hear() == Kind.SCHEMA
        tags: list[bytes | None] = []

        def hear_chunk() -> bool:
            if talk.hear() != Kind.BATCH:
                return True
            tags.append(decode_frame(talk.heard[-1]).metadata)
            return tags[-1] != FINISHED

        for batch in batches:
            talk.send(batch)
            while hear_chunk():
                pass
        talk.half_close()
        for message in talk.call:
            talk.heard.append(message)
        stream = IncomingStream(Call(Method.DO_EXCHANGE), iter(talk.heard), Limits())
        assert stream.schema.equals(declared)
        groups: list[list[pa.RecordBatch]] = [[]]
        for given, tag in stream:
            assert given is not None
            assert tag in {CONTINUES, FINISHED}
            if tag == FINISHED:
                assert given.num_rows == 0  # or the client may wait for ever
                groups.append([])
            else:
                groups[-1].append(given)
        assert groups[-1] == []  # nothing is left unfinished
        return groups[:-1]


def opening_of(arguments: pa.RecordBatch, **more: object) -> bytes:
    said = {"json_filters": "", "column_ids": [], "parameters": stream_of(arguments), **more}
    return bytes(msgpack.packb({"at_unit": "", "at_value": "", **said}, use_bin_type=False))


def bind_body(
    descriptor: FlightDescriptor, arguments: pa.RecordBatch, rows: pa.Schema | None = None
) -> bytes:
    said = {
        "descriptor": descriptor.encode(),
        "parameters": stream_of(arguments),
        "table_input_schema": b"" if rows is None else rows.serialize().to_pybytes(),
        "at_unit": "",
        "at_value": "",
    }
    return bytes(msgpack.packb(said))


def endpoints_body(
    descriptor: FlightDescriptor,
    arguments: pa.RecordBatch,
    columns: Sequence[int] = (),
    filters: str = "",
    at: tuple[str, str] = ("", ""),
) -> bytes:
    said = {
        "json_filters": filters,
        "column_ids": list(columns),
        "table_function_parameters": stream_of(arguments),
        "table_function_input_schema": "",
        "at_unit": at[0],
        "at_value": at[1],
    }
    return bytes(msgpack.packb({"descriptor": descriptor.encode(), "parameters": said}))


def entry_of(serialised: bytes) -> Entry:
    info = FlightInfo.decode(serialised)
    metadata = msgpack.unpackb(info.app_metadata)
    assert info.descriptor is not None
    # These are copied into a header.
    path = info.descriptor.path or ()
    assert all(" " <= character <= "~" for part in path for character in part)
    output = pa.ipc.read_schema(pa.py_buffer(info.schema))
    if metadata["type"] == "table":
        return Entry("table", output, pa.schema([]), info.descriptor, metadata)
    assert metadata["type"] in {"table_function", "scalar_function"}
    parameters = pa.ipc.read_schema(pa.py_buffer(metadata["input_schema"]))
    if metadata["type"] == "scalar_function":
        assert len(output) == 1
        stability = msgpack.unpackb(metadata["extra_data"])["stability"]
        assert stability in {"consistent", "volatile", "consistent_within_query"}
    return Entry(metadata["type"], output, parameters, info.descriptor, metadata)


def body_of_result(result: bytes) -> bytes:
    """The body of a Result, which has it as its only field."""
    return b"".join(
        protobuf.as_bytes(value) for field, value in protobuf.fields(result) if field == 1
    )


def unwrap(wrapped: bytes) -> Any:
    length, data = msgpack.unpackb(wrapped)
    unpacked = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
    assert len(unpacked) == length
    return msgpack.unpackb(unpacked)


@contextmanager
def visiting(*catalogs: Catalog, people: People | None = None, **more: Any) -> Iterator[Guest]:
    service = AirportService(catalogs, people or People(), **more)
    with FlightServer(service) as server:
        target = server.address.removeprefix("grpc://")
        with RawClient(target) as raw:
            yield Guest(raw)

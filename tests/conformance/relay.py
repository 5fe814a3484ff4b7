"""A good server, and servers that are good but for one thing: each breaks one rule of the protocol.

A relay stands before the service of a real server and changes what goes through it.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.access import EVERYONE, Identity
from lakeport.airport.service import AirportService
from lakeport.catalog.arrays.vectors import Vectors
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import Catalog
from lakeport.conformance.examine import Request, examine
from lakeport.conformance.report import Report
from lakeport.core.errors import (
    AlreadyExistsError,
    ConflictError,
    NotFoundError,
    PermissionDeniedError,
    UnauthenticatedError,
    UnsupportedError,
)
from lakeport.flight.call import Call
from lakeport.flight.dial import Target
from lakeport.flight.messages import (
    Action,
    ActionType,
    FlightDescriptor,
    FlightEndpoint,
    FlightInfo,
)
from lakeport.flight.server import FlightServer
from lakeport.flight.service import Chunk, FlightService, Incoming, Outgoing
from tests.airport.airport_server import shop
from tests.airport.functions.made import RECORDED, add

_FUNCTIONS = ("add_one", "row_number0", "gen", "echo", "row_total")
TOKEN = "a-token-of-the-tests"  # noqa: S105


class Open:
    def authenticate(self, authorization: str | None) -> Identity:
        del authorization
        return EVERYONE

    def bearer(self, authorization: str | None) -> str:
        return authorization or ""


class Guarded(Open):
    def authenticate(self, authorization: str | None) -> Identity:
        if authorization != f"Bearer {TOKEN}":
            raise UnauthenticatedError("a valid token is needed")
        return EVERYONE


def stocked() -> MemoryCatalog:
    """Tables in `shop`, and functions of every kind in `fn`."""
    catalog = shop()
    add(catalog, "fn", *(each for each in RECORDED if each.signature.name in _FUNCTIONS))
    return catalog


def good(catalog: Catalog, *, guarded: bool = False) -> FlightService:
    return AirportService([catalog], Guarded() if guarded else Open())


@contextmanager
def serving(service: FlightService) -> Iterator[Target]:
    with FlightServer(service) as server:
        yield Target.parse(server.address)


def examined(service: FlightService, **asked: Any) -> Report:
    with serving(service) as target:
        return examine(Request(target, **{"catalog": "lake", **asked}))


class Relay(FlightService):
    def __init__(self, inner: FlightService) -> None:
        self.inner = inner

    def authenticate(self, call: Call) -> None:
        self.inner.authenticate(call)

    def list_flights(self, call: Call, criteria: bytes) -> Iterable[FlightInfo]:
        return self.inner.list_flights(call, criteria)

    def get_flight_info(self, call: Call, descriptor: FlightDescriptor) -> FlightInfo:
        return self.inner.get_flight_info(call, descriptor)

    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        return self.inner.do_get(call, ticket)

    def do_exchange(self, call: Call, incoming: Incoming) -> Outgoing:
        return self.inner.do_exchange(call, incoming)

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        return self.inner.do_action(call, action)

    def list_actions(self, call: Call) -> Iterable[ActionType]:
        return self.inner.list_actions(call)


class Unanswered(Relay):
    """Rule 1: an action without a Result."""

    def __init__(self, inner: FlightService, action: str) -> None:
        super().__init__(inner)
        self._action = action

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        found = list(self.inner.do_action(call, action))
        return [] if action.type == self._action else found


class WithoutTransactions(Relay):
    """Rule 2."""

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        if action.type == "create_transaction":
            raise UnsupportedError("there are no transactions here")
        return self.inner.do_action(call, action)


class Narrow(Relay):
    """Rule 3: only some of the declared columns, or all of them in other types."""

    def __init__(
        self, inner: FlightService, change: Callable[[pa.RecordBatch], pa.RecordBatch]
    ) -> None:
        super().__init__(inner)
        self._change = change

    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        rows = self.inner.do_get(call, ticket)
        empty = pa.RecordBatch.from_pylist([], schema=rows.schema)
        chunks = (Chunk(batch and self._change(batch), told) for batch, told in _chunks(rows))
        return Outgoing(self._change(empty).schema, chunks, rows.close)


def without_last(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch.select(batch.schema.names[:-1])


def in_other_order(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch.select(batch.schema.names[::-1])


def with_one_row_id(batch: pa.RecordBatch) -> pa.RecordBatch:
    at = batch.schema.get_field_index("rowid")
    if pa.types.is_null(batch.schema.field(at).type):
        return batch
    zeros = pa.array([0] * len(batch), batch.schema.field(at).type)
    return batch.set_column(at, batch.schema.field(at), zeros)


def with_small_numbers(batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = [
        column.cast(pa.int32()) if pa.types.is_int64(column.type) and name != "rowid" else column
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


class Relisted(Relay):
    """The listing with its objects, or its schemas, changed; hashes and lengths are right again."""

    def __init__(
        self,
        inner: FlightService,
        object_: Callable[[FlightInfo], FlightInfo] = lambda info: info,
        schemas: Callable[[list[Any]], list[Any]] = lambda schemas: schemas,
    ) -> None:
        super().__init__(inner)
        self._object = object_
        self._schemas = schemas

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        found = self.inner.do_action(call, action)
        return map(self._relisted, found) if action.type == "list_schemas" else found

    def _relisted(self, body: bytes) -> bytes:
        root = unwrap(body)
        for schema in root["schemas"]:
            infos = unwrap(schema["contents"]["serialized"])
            changed = [self._object(FlightInfo.decode(each)).encode() for each in infos]
            packed = wrap(changed)
            sha256 = hashlib.sha256(packed).hexdigest()
            schema["contents"] |= {"serialized": packed, "sha256": sha256}
        root["schemas"] = self._schemas(root["schemas"])
        return wrap(root)


def as_view(info: FlightInfo) -> FlightInfo:
    """Rule 4: a type that no client knows."""
    told = msgpack.unpackb(info.app_metadata)
    if told["name"] != "orders":
        return info
    return _replaced(info, app_metadata=msgpack.packb(told | {"type": "view"}))


def beyond_ascii(info: FlightInfo) -> FlightInfo:
    if b"orders" not in info.app_metadata:
        return info
    assert info.descriptor is not None
    path = (*(info.descriptor.path or ()), "ü")
    return _replaced(info, descriptor=FlightDescriptor(path=path))


def _replaced(info: FlightInfo, **changed: Any) -> FlightInfo:
    fields = {name: getattr(info, name) for name in FlightInfo.__dataclass_fields__}
    return FlightInfo(**fields | changed)


def without_parameters(info: FlightInfo) -> FlightInfo:
    """Rule 4: a function that does not say what it takes."""
    told = msgpack.unpackb(info.app_metadata)
    if told["type"] == "table":
        return info
    return _replaced(info, app_metadata=msgpack.packb(told | {"input_schema": None}))


def misnumbered(schemas: list[Any]) -> list[Any]:
    for schema in schemas:
        schema["contents"]["sha256"] = "0" * 63 + "1"
    return schemas


def without_contents(schemas: list[Any]) -> list[Any]:
    for schema in schemas:
        schema["contents"] = {"sha256": "", "url": None, "serialized": None}
    return schemas


def with_main(schemas: list[Any]) -> list[Any]:
    return [*schemas, schemas[0] | {"name": "main", "contents": _no_objects()}]


def _no_objects() -> dict[str, Any]:
    packed = wrap([])
    return {"sha256": hashlib.sha256(packed).hexdigest(), "url": None, "serialized": packed}


class Elsewhere(Relay):
    """Rule 5: endpoints without a location, or at one that no client knows."""

    def __init__(self, inner: FlightService, *locations: str) -> None:
        super().__init__(inner)
        self._locations = locations

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        found = self.inner.do_action(call, action)
        return map(self._moved, found) if action.type == "endpoints" else found

    def _moved(self, body: bytes) -> bytes:
        endpoints = (FlightEndpoint.decode(each) for each in msgpack.unpackb(body))
        moved = [FlightEndpoint(each.ticket, self._locations).encode() for each in endpoints]
        return bytes(msgpack.packb(moved))


class Twice(Relay):
    """Rule 1: more than one Result."""

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        found = list(self.inner.do_action(call, action))
        return found * 2 if action.type == "endpoints" else found


class Unreadable(Relay):
    """Plans scans, and refuses to run them."""

    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        del call, ticket
        raise ConflictError("the disk is gone\nTraceback (most recent call last):\n  line 7")


class Forgetful(Relay):
    """A schema that is there is made again, as if all were well."""

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        try:
            return list(self.inner.do_action(call, action))
        except AlreadyExistsError:
            return [bytes(msgpack.packb(_no_objects()))]


class OtherWays(Relay):
    """What works with DuckDB's client all the same, as airport-go has it: one flight for the whole catalog,
    GetFlightInfo without a location, and a table that is missed only when it is read.
    """

    def list_flights(self, call: Call, criteria: bytes) -> Iterable[FlightInfo]:
        del call, criteria
        return [FlightInfo(b"", endpoints=(FlightEndpoint(b"all of it"),))]

    def get_flight_info(self, call: Call, descriptor: FlightDescriptor) -> FlightInfo:
        info = self.inner.get_flight_info(call, descriptor)
        there = tuple(FlightEndpoint(each.ticket, ()) for each in info.endpoints)
        return _replaced(info, endpoints=there)

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        try:
            return list(self.inner.do_action(call, action))
        except NotFoundError:
            if action.type != "endpoints":
                raise
            ticket = b'{"schema_name": "shop", "table_name": "no_such_table"}'
            here = FlightEndpoint(ticket, ("arrow-flight-reuse-connection://?",))
            return [bytes(msgpack.packb([here.encode()]))]


class Late(Relay):
    """Rule 6: the schema comes when rows, or their end, have come."""

    def do_exchange(self, call: Call, incoming: Incoming) -> Outgoing:
        return self.inner.do_exchange(call, _Awaited(incoming))


class _Awaited:
    def __init__(self, incoming: Incoming) -> None:
        self.descriptor = incoming.descriptor
        self.schema = incoming.schema
        self.opening = incoming.opening
        self._skip = incoming.skip
        chunks = iter(incoming)
        first = next(chunks, None)
        self._chunks = chain(() if first is None else (first,), chunks)

    def __iter__(self) -> Iterator[Chunk]:
        return self._chunks

    def vectors(self) -> Iterator[Chunk | Vectors]:
        return self._chunks

    def skip(self, most_bytes: int) -> None:
        self._skip(most_bytes)


class Rechunked(Relay):
    """What comes back in an exchange of some operation, changed."""

    def __init__(
        self,
        inner: FlightService,
        operations: Sequence[str],
        change: Callable[[Iterable[Chunk]], Iterator[Chunk]],
        schema: Callable[[pa.Schema], pa.Schema] = lambda schema: schema,
    ) -> None:
        super().__init__(inner)
        self._operations = operations
        self._change = change
        self._schema = schema

    def do_exchange(self, call: Call, incoming: Incoming) -> Outgoing:
        rows = self.inner.do_exchange(call, incoming)
        if call.header("airport-operation") not in self._operations:
            return rows
        return Outgoing(self._schema(rows.schema), self._change(_chunks(rows)), rows.close)


def _chunks(rows: Outgoing) -> Iterator[Chunk]:
    """Vectors as the batches that they are."""
    for each in rows.chunks:
        yield Chunk(each.batch(rows.schema)) if isinstance(each, Vectors) else each


def halved(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Rule 7: two batches for one."""
    for batch, metadata in chunks:
        if batch is None or len(batch) < 2:
            yield Chunk(batch, metadata)
        else:
            yield Chunk(batch.slice(0, 1))
            yield Chunk(batch.slice(1), metadata)


def uncounted(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Rule 7: no metadata in the end."""
    return (chunk for chunk in chunks if chunk.batch is not None)


def table_order(schema: pa.Schema) -> pa.Schema:
    """Rule 8: that of the table, as its columns are called in alphabetical order, and the row id."""
    names = [*sorted(name for name in schema.names if name != "rowid")]
    names += [name for name in schema.names if name == "rowid"]
    return pa.schema([schema.field(name) for name in names])


def in_table_order(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    for batch, metadata in chunks:
        yield Chunk(batch and batch.select(table_order(batch.schema).names), metadata)


def lost(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Fewer rows than came."""
    return (Chunk(batch and batch.slice(1), metadata) for batch, metadata in chunks)


def with_last_word(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    yield from chunks
    yield Chunk(None, b"that was all")


def joined(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Rule 9: the rows of a chunk close it."""
    held: pa.RecordBatch | None = None
    for batch, tag in chunks:
        if tag == b"chunk_continues":
            held = batch
        else:
            yield Chunk(batch if held is None else held, tag)
            held = None


def untagged(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    return (Chunk(batch) for batch, _ in chunks)


def miscounted(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    for batch, metadata in chunks:
        wrong = msgpack.packb({"total_changed": 99})
        yield Chunk(batch, metadata if metadata is None else wrong)


class Mumbling(Relay):
    """Metadata beside the rows of a scan that are no progress."""

    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        rows = self.inner.do_get(call, ticket)
        chunks = (Chunk(batch, b"hello") for batch, _ in _chunks(rows))
        return Outgoing(rows.schema, chunks, rows.close)


class Standing(Relay):
    """A version that never grows."""

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        if action.type == "catalog_version":
            return [msgpack.packb({"catalog_version": 10**9, "is_fixed": False})]
        return self.inner.do_action(call, action)


class Talkative(Relay):
    """A refusal with the server's insides."""

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        try:
            return list(self.inner.do_action(call, action))
        except NotFoundError as error:
            told = f'{error}\nTraceback (most recent call last):\n  File "server.py", line 7'
            raise NotFoundError(told) from None


class Rude(Relay):
    """Strangers are told that they may not, instead of being asked who they are."""

    def authenticate(self, call: Call) -> None:
        try:
            super().authenticate(call)
        except UnauthenticatedError as error:
            raise PermissionDeniedError(error.message) from None


class Silent(Relay):
    """One action is never answered."""

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        if action.type == "catalog_version":
            gone = threading.Event()
            call.on_end(gone.set)
            gone.wait(60)
        return self.inner.do_action(call, action)


class Overcounted(Relay):
    """Rule 10: statistics that deny nulls."""

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        found = self.inner.do_action(call, action)
        return map(_denied, found) if action.type == "column_statistics" else found


def _denied(body: bytes) -> bytes:
    with pa.ipc.open_stream(body) as stream:
        told = stream.read_all()
    at = told.schema.get_field_index("has_null")
    changed = told.set_column(at, "has_null", pa.array([False]))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, changed.schema) as writer:
        writer.write_table(changed)
    return sink.getvalue().to_pybytes()


def unwrap(body: bytes) -> Any:
    length, data = msgpack.unpackb(body)
    return msgpack.unpackb(
        pa.decompress(data, decompressed_size=length, codec="zstd", asbytes=True)
    )


def wrap(value: object) -> bytes:
    payload = msgpack.packb(value)
    packed = pa.compress(payload, codec="zstd", asbytes=True)
    return bytes(msgpack.packb([len(payload), packed]))

"""A server with real tokens, and a client that calls any method of Flight with bare bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.access import Ability, Authenticator
from lakeport.access.grants import grants_for
from lakeport.access.tokens import create_token, revoke_token
from lakeport.airport.service import AirportService
from lakeport.catalog.definition import Definition
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.flight.limits import Limits
from lakeport.flight.messages import Action, FlightDescriptor, Ticket
from lakeport.flight.options import Options
from lakeport.flight.server import FlightServer
from lakeport.state import Store
from tests.airport.airport_server import shop

_ZSTD = b"\x28\xb5\x2f\xfd"
NOW = 1_700_000_000_000_000_000
SECRETS = ("customers", "vault", "payroll")
"""Names that nobody here may read."""
MOST_BYTES = 4_096
"""What a request may have here."""


@dataclass(frozen=True)
class Answer:
    code: grpc.StatusCode
    text: str
    messages: tuple[bytes, ...]
    trailers: tuple[tuple[str, str | bytes], ...]

    @property
    def everything(self) -> bytes:
        """All that came back."""
        told = [self.text.encode(), *self.messages]
        told += [value.encode() if isinstance(value, str) else value for _, value in self.trailers]
        return b"\n".join(told)

    @property
    def unpacked(self) -> bytes:
        """The same with what is packed in a listing of the whole catalog."""
        inner = (each for message in self.messages for each in _unpacked(message))
        return b"\n".join([self.everything, *inner])


@dataclass(frozen=True)
class Caller:
    channel: Any
    headers: tuple[tuple[str, str], ...] = ()

    def having(self, *headers: tuple[str, str]) -> Caller:
        return Caller(self.channel, (*self.headers, *headers))

    def call(self, method: str, message: bytes) -> Answer:
        # On the wire every kind of call is the same: some messages there, some back.
        path = f"/arrow.flight.protocol.FlightService/{method}"
        call = self.channel.stream_stream(path)(iter([message]), metadata=self.headers, timeout=60)
        messages: list[bytes] = []
        with suppress(grpc.RpcError):
            messages.extend(call)
        trailers = tuple((name, value) for name, value in call.trailing_metadata() or ())
        return Answer(call.code(), call.details() or "", tuple(messages), trailers)

    def action(self, name: str, body: bytes = b"") -> Answer:
        return self.call("DoAction", Action(name, body).encode())


@dataclass(frozen=True)
class House:
    caller: Caller
    tokens: dict[str, str]

    def who(self, kind: str) -> Caller:
        token = self.tokens[kind]
        return self.caller.having(("authorization", token)) if token else self.caller


@contextmanager
def house(folder: Path) -> Iterator[House]:
    with Store.open(f"sqlite:///{folder}/state.db") as store:
        tokens = _tokens(store)
        door = Authenticator(store.tokens, open_at_first=False, now_ns=lambda: NOW)
        options = Options(limits=Limits(action_bytes=MOST_BYTES))
        with (
            FlightServer(AirportService([_catalog()], door), options) as server,
            grpc.insecure_channel(server.address.removeprefix("grpc://")) as channel,
        ):
            # An exchange says by a header what it does; to other calls it means nothing.
            yield House(Caller(channel, (("airport-operation", "insert"),)), tokens)


def requests_for(namespace: str, table: str) -> dict[str, bytes]:
    """One message for each of the ten methods, about a table where the method is about one."""
    descriptor = FlightDescriptor(path=(namespace, table)).encode()
    ticket = json.dumps({"schema_name": namespace, "table_name": table}).encode()
    body = msgpack.packb({"descriptor": descriptor, "parameters": {}})
    return {
        "Handshake": b"",
        "ListFlights": b"",
        "GetFlightInfo": descriptor,
        "PollFlightInfo": descriptor,
        "GetSchema": descriptor,
        "DoGet": Ticket(ticket).encode(),
        "DoPut": b"\x0a" + bytes([len(descriptor)]) + descriptor,
        "DoExchange": b"\x0a" + bytes([len(descriptor)]) + descriptor,
        "DoAction": Action("endpoints", body).encode(),
        "ListActions": b"",
    }


def _catalog() -> MemoryCatalog:
    catalog = shop()
    vault = catalog.create_namespace(NamespaceInfo("vault"))
    vault.create_table("payroll", Definition(pa.schema([("salary", pa.int64())])))
    return catalog


def _tokens(store: Store) -> dict[str, str]:
    def make(name: str, on: str, lifetime_ns: int | None = None) -> str:
        grants = grants_for([Ability.READ], [on])
        made = NOW - 10**12
        secret, _ = create_token(store.tokens, name, grants, now_ns=made, lifetime_ns=lifetime_ns)
        return f"Bearer {secret}"

    found = {
        "none": "",
        "garbage": 'Bearer "};--',
        "no scheme": "secret",
        "expired": make("old", "shop.orders", 10**9),
        "revoked": make("gone", "shop.orders"),
        "wrong scope": make("eve", "elsewhere.*"),
        "right": make("ann", "shop.orders"),
    }
    revoke_token(store.tokens, "gone", now_ns=NOW - 1)
    return found


def _unpacked(message: bytes) -> Iterator[bytes]:
    """The contents of its zstd frame, which is the last thing in it, and of the frames in there."""
    place = message.find(_ZSTD)
    if place < 0:
        return
    with pa.CompressedInputStream(pa.BufferReader(message[place:]), "zstd") as reader:
        inner = bytes(reader.read())
    yield inner
    if not inner.startswith(b"\x83"):
        return
    for schema in msgpack.unpackb(inner)["schemas"]:
        yield from _unpacked(schema["contents"]["serialized"])

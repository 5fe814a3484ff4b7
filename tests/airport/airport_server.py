"""A real server over an in-memory catalog, and the two kinds of clients: standard Flight and raw gRPC."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.access import EVERYONE, AuditEntry, Identity
from lakeport.airport.addresses import Addresses
from lakeport.airport.service import AirportService
from lakeport.catalog.changes import AddColumn
from lakeport.catalog.definition import Check, Definition, with_comment, with_default
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import (
    Alterable,
    Catalog,
    DynamicCatalog,
    DynamicNamespace,
    Insertable,
    NamespaceInfo,
    Table,
    require,
)
from lakeport.core.errors import UnauthenticatedError
from lakeport.flight.messages import Action
from lakeport.flight.server import FlightServer

# The published types of the client differ from what it does.
fl: Any = importlib.import_module("pyarrow.flight")

AIRPORT = ("airport-user-agent", "airport/20250723")

ORDERS = pa.schema(
    [
        with_comment(pa.field("id", pa.int64(), nullable=False), "the key"),
        with_default(pa.field("name", pa.string()), "'zz'"),
        pa.field("v", pa.float64()),
    ]
)
ROWS = pa.record_batch(
    {"id": [1, 2, 3], "name": ["a", "b", "c"], "v": [1.5, 2.5, None]}, schema=ORDERS
)


@dataclass
class People:
    """Tokens by heart; without any, everyone is admin."""

    by_token: dict[str, Identity] = field(default_factory=dict)

    def authenticate(self, authorization: str | None) -> Identity:
        if not self.by_token:
            return EVERYONE
        found = self.by_token.get((authorization or "").removeprefix("Bearer "))
        if found is None:
            raise UnauthenticatedError("a valid token is needed")
        return found

    def bearer(self, authorization: str | None) -> str:
        return authorization or ""


@dataclass
class Audit:
    entries: list[AuditEntry] = field(default_factory=list)
    outcomes: dict[str, str] = field(default_factory=dict)

    def record(self, entry: AuditEntry) -> None:
        self.entries.append(entry)

    def last_outcome(self, transaction_id: str) -> str | None:
        return self.outcomes.get(transaction_id)


@dataclass(frozen=True)
class Client:
    """`headers` go with every call of either kind."""

    flight: Any
    channel: grpc.Channel
    headers: tuple[tuple[str, str], ...] = ()

    def having(self, *headers: tuple[str, str]) -> Client:
        return Client(self.flight, self.channel, (*self.headers, *headers))

    @property
    def options(self) -> Any:
        return fl.FlightCallOptions(headers=[(k.encode(), v.encode()) for k, v in self.headers])

    def action(self, name: str, body: bytes = b"") -> bytes:
        (result,) = self.flight.do_action(fl.Action(name, body), self.options)
        answer: bytes = result.body.to_pybytes()
        return answer

    def packed(self, name: str, **fields: object) -> Any:
        return msgpack.unpackb(self.action(name, msgpack.packb(fields)))

    def info(self, *path: str) -> Any:
        return self.flight.get_flight_info(fl.FlightDescriptor.for_path(*path), self.options)

    def rows(self, info: Any) -> pa.Table:
        (endpoint,) = info.endpoints
        rows: pa.Table = self.flight.do_get(endpoint.ticket, self.options).read_all()
        return rows

    def code_of(self, method: str, message: bytes) -> tuple[grpc.StatusCode, str]:
        """What a raw client sees of a call: the gRPC code and its text."""
        call: Any = self.channel.unary_stream(f"/arrow.flight.protocol.FlightService/{method}")
        try:
            for _ in call(message, metadata=self.headers, timeout=30):
                pass
        except grpc.RpcError as error:
            return error.code(), error.details() or ""
        return grpc.StatusCode.OK, ""

    def action_code(self, name: str, body: bytes = b"") -> tuple[grpc.StatusCode, str]:
        return self.code_of("DoAction", Action(name, body).encode())


def fill(table: Table) -> None:
    with require(table, Insertable, "the table").insert() as write:
        write.add(ROWS)
        write.commit()


def grow(table: Table, name: str) -> None:
    change = AddColumn(pa.field(name, pa.int8()))
    require(table, Alterable, "the table").alter([change])


def shop(name: str = "lake") -> MemoryCatalog:
    catalog = MemoryCatalog(name)
    stock(catalog)
    return catalog


def stock(catalog: DynamicCatalog) -> None:
    """A namespace `shop` with the tables `orders`, three rows, and `customers`, none."""
    made = catalog.create_namespace(NamespaceInfo("shop", "what we sell", {"team": "sales"}))
    namespace = require(made, DynamicNamespace, "the namespace")
    definition = Definition(ORDERS, (Check("(id > 0)", "positive"),), "all orders")
    fill(namespace.create_table("orders", definition))
    namespace.create_table("customers", Definition(pa.schema([("id", pa.int64())])))


@contextmanager
def serving(
    catalogs: Sequence[Catalog],
    people: People | None = None,
    audit: Audit | None = None,
    **more: Any,
) -> Iterator[Client]:
    addresses: list[str] = []
    service = AirportService(
        catalogs,
        people or People(),
        audit=audit,
        addresses=Addresses(more.pop("public", None), lambda: addresses[0]),
        **more,
    )
    with (
        FlightServer(service) as server,
        fl.FlightClient(server.address) as client,
        grpc.insecure_channel(server.address.removeprefix("grpc://")) as channel,
    ):
        addresses.append(server.address)
        yield Client(client, channel)

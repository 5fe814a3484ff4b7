"""A lake behind a real server, changed by raw gRPC: what is answered, what is refused, what is left.

Every refusal is held against a full description of the lake before and after it: a refused request must
leave no trace.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Check, Definition
from lakeport.catalog.ports import (
    Catalog,
    DynamicCatalog,
    DynamicNamespace,
    NamespaceInfo,
    Travelable,
    require,
)
from lakeport.flight.messages import Action
from tests.airport.airport_server import AIRPORT, ORDERS, Client, fill, fl, serving

INVALID = grpc.StatusCode.INVALID_ARGUMENT
NOT_FOUND = grpc.StatusCode.NOT_FOUND
EXISTS = grpc.StatusCode.ALREADY_EXISTS
PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION
UNIMPLEMENTED = grpc.StatusCode.UNIMPLEMENTED
DENIED = grpc.StatusCode.PERMISSION_DENIED

ALIASES = {
    "create_schema": "CreateSchema",
    "drop_schema": "DropSchema",
    "create_table": "CreateTable",
    "drop_table": "DropTable",
    "add_column": "AlterTableAddColumn",
    "remove_column": "AlterTableDropColumn",
}

_TEXTS: list[Field] = [pa.field("id", pa.int64()), pa.field("name", pa.string())]
TEXTS = pa.schema(_TEXTS)


def ipc(schema: pa.Schema) -> bytes:
    return schema.serialize().to_pybytes()


def column(name: str, kind: pa.DataType, **more: Any) -> bytes:
    return ipc(pa.schema([pa.field(name, kind, **more)]))


@dataclass(frozen=True)
class Door:
    """`is_json`: contract 001's names, where an action has one."""

    client: Client
    catalog: Catalog
    is_json: bool = False

    def having(self, *headers: tuple[str, str]) -> Door:
        return Door(self.client.having(*headers), self.catalog, self.is_json)

    @property
    def duck(self) -> Door:
        """The same as DuckDB's client, with the catalog attached."""
        return self.having(AIRPORT, ("airport-catalog", self.catalog.name))

    @property
    def json(self) -> Door:
        return Door(self.client, self.catalog, is_json=True)

    def results(self, action: str, **body: object) -> list[bytes]:
        """The bodies of all Results."""
        name, payload = self.request(action, body)
        found = self.client.flight.do_action(fl.Action(name, payload), self.client.options)
        return [result.body.to_pybytes() for result in found]

    def nothing(self, action: str, **body: object) -> None:
        assert self.results(action, **body) == []

    def info(self, action: str, **body: object) -> Any:
        (result,) = self.results(action, **body)
        return fl.FlightInfo.deserialize(result)

    def code(self, action: str, **body: object) -> grpc.StatusCode:
        return self.refusal(action, **body)[0]

    def refusal(self, action: str, **body: object) -> tuple[grpc.StatusCode, str]:
        """Of a request that must leave no trace."""
        name, payload = self.request(action, body)
        return self.refused_bytes(name, payload)

    def refused_bytes(self, name: str, payload: bytes) -> tuple[grpc.StatusCode, str]:
        before = dump(self.catalog)
        code, text = self.client.code_of("DoAction", Action(name, payload).encode())
        assert dump(self.catalog) == before
        assert code is not grpc.StatusCode.OK
        return code, text

    def request(self, action: str, body: Mapping[str, object]) -> tuple[str, bytes]:
        if self.is_json:
            return ALIASES[action], json.dumps(body, default=_base64).encode()
        return action, msgpack.packb(body)

    def schema(self, namespace: str, table: str) -> pa.Schema:
        return self.catalog.namespace(namespace).table(table).state().definition.schema


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def dump(catalog: Catalog) -> dict[str, Any]:
    """Everything that a statement could change: definitions, histories, the version."""
    tables: dict[str, Any] = {}
    for info in catalog.namespaces():
        namespace = catalog.namespace(info.name)
        for name in namespace.tables():
            table = namespace.table(name)
            state = table.state()
            definition = state.definition
            tables[f"{info.name}.{name}"] = (
                state.uuid,
                state.schema_id,
                state.snapshot_id,
                state.version,
                definition.schema.serialize().to_pybytes(),
                definition.constraints,
                definition.comment,
                dict(definition.properties),
                len(table.history()) if isinstance(table, Travelable) else None,
            )
    spaces = [(info.name, info.comment, dict(info.properties)) for info in catalog.namespaces()]
    return {"version": catalog.version(), "namespaces": spaces, "tables": tables}


def metadata_of(info: Any) -> dict[str, Any]:
    found: dict[str, Any] = msgpack.unpackb(info.app_metadata)
    return found


def path_of(info: Any) -> list[str]:
    return [part.decode() for part in info.descriptor.path]


def stock(catalog: DynamicCatalog) -> None:
    """`shop.orders` with three rows, a CHECK and a DEFAULT; `empty`, a namespace without tables."""
    made = catalog.create_namespace(NamespaceInfo("shop", "what we sell", {"team": "sales"}))
    namespace = require(made, DynamicNamespace, "the namespace")
    definition = Definition(ORDERS, (Check("(id > 0)", "positive"),), "all orders")
    fill(namespace.create_table("orders", definition))
    catalog.create_namespace(NamespaceInfo("empty"))


@contextmanager
def opened(catalog: Any, **more: Any) -> Iterator[Door]:
    with serving([catalog], **more) as client:
        yield Door(client, catalog)

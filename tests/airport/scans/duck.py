"""A client that asks for rows as DuckDB's extension does, and as a standard Flight client does."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.flight as fl

from lakeport.access import EVERYONE, Identity
from lakeport.airport.addresses import Addresses
from lakeport.airport.service import AirportService
from lakeport.catalog.ports import Catalog
from lakeport.core.errors import UnauthenticatedError
from lakeport.flight.messages import FlightDescriptor, FlightEndpoint
from lakeport.flight.server import FlightServer

ROW_ID = 2**64 - 1
NO_FILTER = '{"filters":[],"column_binding_names_by_index":[]}'


@dataclass
class Door:
    """Lets everybody in as one identity, which a test may change, or nobody."""

    identity: Identity = EVERYONE
    is_shut: bool = False

    def authenticate(self, authorization: str | None) -> Identity:
        del authorization
        if self.is_shut:
            raise UnauthenticatedError("a valid token is needed")
        return self.identity

    def bearer(self, authorization: str | None) -> str:
        return authorization or ""


def serve(*catalogs: Catalog, door: Door | None = None, public: str | None = None) -> FlightServer:
    return FlightServer(
        AirportService(list(catalogs), door or Door(), addresses=Addresses(public=public))
    )


@dataclass
class Duck:
    """`attached` sends what the extension sends on behalf of an attached catalog."""

    flight: fl.FlightClient
    attached: bool = False
    transaction: str | None = None
    headers: list[tuple[str, str]] = field(default_factory=list)

    def begin(self) -> Duck:
        return Duck(self.flight, attached=True, transaction=str(uuid.uuid4()))

    def options(self) -> fl.FlightCallOptions:
        headers = [*self.headers]
        if self.attached:
            headers += [("airport-user-agent", "airport/20250723"), ("airport-catalog", "lake")]
        if self.transaction is not None:
            headers.append(("airport-transaction-id", self.transaction))
        packed = [(name.encode(), value.encode()) for name, value in headers]
        return fl.FlightCallOptions(headers=packed)  # type: ignore[arg-type] # bytes, whatever the stubs say

    def action(self, name: str, body: object) -> bytes:
        packed = msgpack.packb(body, use_bin_type=True)
        results = list(self.flight.do_action(fl.Action(name, packed), self.options()))
        assert len(results) == 1
        return bytes(results[0].body)

    def endpoints(self, descriptor: FlightDescriptor, **parameters: object) -> list[FlightEndpoint]:
        wanted: dict[str, object] = {
            "json_filters": NO_FILTER,
            "column_ids": [],
            "table_function_parameters": "",
            "table_function_input_schema": "",
            "at_unit": "",
            "at_value": "",
        }
        body = {"descriptor": descriptor.encode(), "parameters": wanted | parameters}
        return [
            FlightEndpoint.decode(each) for each in msgpack.unpackb(self.action("endpoints", body))
        ]

    def get(self, ticket: bytes) -> pa.Table:
        return self.flight.do_get(fl.Ticket(ticket), self.options()).read_all()

    def scan(self, descriptor: FlightDescriptor, **parameters: object) -> pa.Table:
        tables = [self.get(each.ticket) for each in self.endpoints(descriptor, **parameters)]
        return pa.concat_tables(tables) if tables else pa.table({})

    def info(self, descriptor: FlightDescriptor) -> fl.FlightInfo:
        sent = fl.FlightDescriptor.deserialize(descriptor.encode())
        return self.flight.get_flight_info(sent, self.options())

    def flight_info(self, descriptor: FlightDescriptor, unit: str, value: str) -> fl.FlightInfo:
        body = {"descriptor": descriptor.encode(), "at_unit": unit, "at_value": value}
        return fl.FlightInfo.deserialize(self.action("flight_info", body))

    def statistics(self, descriptor: FlightDescriptor, column: str, type_: str) -> dict[str, Any]:
        body = {"flight_descriptor": descriptor.encode(), "column_name": column, "type": type_}
        with pa.ipc.open_stream(self.action("column_statistics", body)) as reader:
            (row,) = reader.read_all().to_pylist()
        return dict(row)


def ordered(table: pa.Table, column: str) -> list[Any]:
    """A column's values, sorted, because a table has no order."""
    values: list[Any] = table.column(column).to_pylist()
    return sorted(values)


def path(*names: str) -> FlightDescriptor:
    return FlightDescriptor(path=names)


def command(text: str) -> FlightDescriptor:
    return FlightDescriptor(command=text.encode())


def compare(column: str, kind: str, value: int, names: Sequence[str]) -> str:
    """A pushed-down comparison of a BIGINT column with a constant."""
    bigint = {"id": "BIGINT", "type_info": None}
    return json.dumps(
        {
            "filters": [
                {
                    "expression_class": "BOUND_COMPARISON",
                    "type": kind,
                    "alias": "",
                    "query_location": 0,
                    "left": {
                        "expression_class": "BOUND_COLUMN_REF",
                        "type": "BOUND_COLUMN_REF",
                        "alias": column,
                        "query_location": 0,
                        "return_type": bigint,
                        "binding": {"table_index": 0, "column_index": list(names).index(column)},
                        "depth": 0,
                    },
                    "right": {
                        "expression_class": "BOUND_CONSTANT",
                        "type": "VALUE_CONSTANT",
                        "alias": "",
                        "query_location": 0,
                        "value": {"type": bigint, "is_null": False, "value": value},
                    },
                }
            ],
            "column_binding_names_by_index": list(names),
        }
    )

"""Contract 001's actions: JSON in; JSON or a serialised FlightInfo out. Descriptions are the contract's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import msgspec

from lakeport.access import visible_namespaces
from lakeport.airport.actions.registry import Desk, Entry
from lakeport.airport.caller import Caller
from lakeport.airport.functions.asked import FunctionCall, function_call
from lakeport.airport.globs import chosen_by
from lakeport.airport.requested import Requested, from_json
from lakeport.airport.wire.fields import Fields
from lakeport.flight.messages import FlightDescriptor, FlightInfo


@dataclass(frozen=True, slots=True)
class GetSchemas:
    catalog_name: str

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        return cls(Fields.of_json(body, what).text("catalog_name"))


@dataclass(frozen=True, slots=True)
class GetTables:
    schema_name: str
    table_name_pattern: str
    catalog_name: str

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        fields = Fields.of_json(body, what)
        return cls(
            fields.required_text("schema_name"),
            fields.text("table_name_pattern"),
            fields.text("catalog_name"),
        )


@dataclass(frozen=True, slots=True)
class GetFlightInfo:
    """The body is also the descriptor that the answer carries."""

    wanted: Requested
    descriptor: FlightDescriptor

    @classmethod
    def decode(cls, body: bytes, what: str) -> Self:
        return cls(from_json(body, what), FlightDescriptor(command=body))


def get_schemas(desk: Desk, caller: Caller, body: GetSchemas) -> object:
    del desk
    catalog = caller.visible.catalog(body.catalog_name)
    return {
        "schemas": [
            {"schema_name": info.name, **_comment(info.comment)}
            for info in visible_namespaces(caller.identity, catalog)
        ]
    }


def get_tables(desk: Desk, caller: Caller, body: GetTables) -> object:
    catalog = caller.visible.catalog(body.catalog_name)
    # Opened for its refusals alone: an unknown namespace and one that may not be seen.
    name = caller.visible.namespace(catalog, body.schema_name).info.name
    listed = desk.flights.listing.namespaces(catalog, caller.identity, is_airport=False)
    is_chosen = chosen_by(body.table_name_pattern)
    return {
        "tables": [
            {
                "table_name": table.name.table,
                **_comment(table.comment),
                "column_count": table.columns,
            }
            for namespace in listed
            if namespace.info.name == name
            for table in namespace.tables
            if is_chosen(table.name.table)
        ]
    }


def get_flight_info(desk: Desk, caller: Caller, body: GetFlightInfo) -> FlightInfo:
    return desk.flights.table(caller, body.wanted, body.descriptor)


def get_function_info(desk: Desk, caller: Caller, body: FunctionCall) -> FlightInfo:
    return desk.flights.function(caller, body)


def _decode_function(body: bytes, what: str) -> FunctionCall:
    return function_call(Fields.of_json(body, what))


def _comment(text: str | None) -> dict[str, object]:
    return {"comment": text} if text else {}


ENTRIES = (
    Entry(
        "GetFlightInfo",
        "Get table metadata and endpoints",
        GetFlightInfo.decode,
        get_flight_info,
        FlightInfo.encode,
    ),
    Entry(
        "GetSchemas",
        "List all schemas in catalog",
        GetSchemas.decode,
        get_schemas,
        msgspec.json.encode,
    ),
    Entry(
        "GetTables",
        "List all tables in a schema",
        GetTables.decode,
        get_tables,
        msgspec.json.encode,
    ),
    Entry(
        "GetTableFunctionFlightInfo",
        "Get metadata for parameterized table functions",
        _decode_function,
        get_function_info,
        FlightInfo.encode,
    ),
)

"""The actions DuckDB discovers and scans with: msgpack in, and out what chapters 2 and 3 say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lakeport.airport.actions.registry import Desk, Entry, as_is
from lakeport.airport.caller import Caller
from lakeport.airport.functions.desk import flight_info as flight_info_of_function
from lakeport.airport.requested import requested
from lakeport.airport.wire.bodies import (
    CatalogBody,
    EndpointsBody,
    FlightInfoBody,
    FunctionBody,
    StatisticsBody,
)
from lakeport.airport.wire.contents import version_record
from lakeport.airport.wire.packing import pack
from lakeport.catalog.ports import CatalogVersion
from lakeport.flight.messages import FlightEndpoint, FlightInfo


def list_schemas(desk: Desk, caller: Caller, body: CatalogBody) -> bytes:
    catalog = caller.visible.catalog(body.catalog_name)
    audience = desk.flights.audience(caller, catalog, body.catalog_name)
    if audience.is_airport:
        # No endpoint is listed for it, so one answer does for whatever address was dialled.
        audience = replace(audience, locations=())
    return desk.flights.listing.list_schemas(catalog, caller.identity, audience)


def catalog_version(desk: Desk, caller: Caller, body: CatalogBody) -> CatalogVersion:
    del desk
    return caller.visible.catalog(body.catalog_name).version()


def flight_info(desk: Desk, caller: Caller, body: FlightInfoBody) -> FlightInfo:
    flights = desk.flights
    if not (body.at_unit or body.at_value):
        return flights.info(caller, body.descriptor)
    wanted = requested(body.descriptor).at_point(body.at_unit, body.at_value)
    return flights.at_point(caller, body.descriptor, wanted)


def endpoints(desk: Desk, caller: Caller, body: EndpointsBody) -> Sequence[FlightEndpoint]:
    return desk.flights.endpoints(caller, body.descriptor, body.parameters)


def column_statistics(desk: Desk, caller: Caller, body: StatisticsBody) -> bytes:
    return desk.flights.statistics(caller, body.flight_descriptor, body.column_name)


def function_flight_info(desk: Desk, caller: Caller, body: FunctionBody) -> FlightInfo:
    return flight_info_of_function(caller, body, desk.flights.agreed)


def _encode_endpoints(answer: Sequence[FlightEndpoint]) -> bytes:
    return pack([endpoint.encode() for endpoint in answer])


def _encode_version(answer: CatalogVersion) -> bytes:
    return pack(version_record(answer))


ENTRIES = (
    Entry("list_schemas", "List all schemas", CatalogBody.decode, list_schemas, as_is),
    Entry(
        "catalog_version",
        "Get catalog version",
        CatalogBody.decode,
        catalog_version,
        _encode_version,
    ),
    Entry(
        "flight_info",
        "Get flight info for a table",
        FlightInfoBody.decode,
        flight_info,
        FlightInfo.encode,
    ),
    Entry(
        "table_function_flight_info",
        "Get flight info for table function",
        FunctionBody.decode,
        function_flight_info,
        FlightInfo.encode,
    ),
    Entry(
        "endpoints",
        "Get endpoints with time-travel support",
        EndpointsBody.decode,
        endpoints,
        _encode_endpoints,
    ),
    Entry(
        "column_statistics",
        "Get column statistics",
        StatisticsBody.decode,
        column_statistics,
        as_is,
    ),
)

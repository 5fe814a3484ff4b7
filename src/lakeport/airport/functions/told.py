"""FlightInfos of functions: as a listing shows them, and with arguments (chapters 2.4 and 6.3).

Airport clients get a path that names the overload, which they send back for every call. Standard clients
get the JSON that they can fill in, and an endpoint where no argument is missing.
"""

from __future__ import annotations

from dataclasses import replace

from lakeport.airport.functions.asked import FunctionCall, path_of
from lakeport.airport.functions.bound import Bound, announced
from lakeport.airport.functions.declared import Declared, Kind
from lakeport.airport.objects import Audience
from lakeport.airport.wire.objects import ObjectMetadata, schema_bytes
from lakeport.airport.wire.packing import pack
from lakeport.catalog.parameters import is_named
from lakeport.flight.messages import FlightDescriptor, FlightEndpoint, FlightInfo


def function_info(function: Declared, audience: Audience) -> FlightInfo:
    return FlightInfo(
        schema=schema_bytes(announced(function, function.output)),
        descriptor=_descriptor(function, audience),
        endpoints=_endpoints(function, audience),
        app_metadata=function_metadata(function, audience.called),
    )


def bound_info(
    bound: Bound, descriptor: FlightDescriptor, endpoint: FlightEndpoint, called: str
) -> FlightInfo:
    return FlightInfo(
        schema_bytes(bound.schema),
        descriptor,
        (endpoint,),
        bound.count,
        app_metadata=function_metadata(bound.declared, called),
    )


def function_metadata(function: Declared, called: str) -> bytes:
    """`called` is the catalog's name as the client knows it."""
    is_scalar = function.kind is Kind.SCALAR
    return ObjectMetadata(
        "scalar_function" if is_scalar else "table_function",
        called,
        function.name.namespace,
        function.name.table,
        description=function.signature.description,
        input_schema=function.parameters,
        extra_data=_stability(function),
    ).encode()


def _descriptor(function: Declared, audience: Audience) -> FlightDescriptor:
    if audience.is_airport:
        return FlightDescriptor(path=(*audience.prefix, *path_of(function)))
    return FlightDescriptor(command=_call(function, audience).encode())


def _endpoints(function: Declared, audience: Audience) -> tuple[FlightEndpoint, ...]:
    is_complete = function.kind is Kind.TABLE and all(map(is_named, function.parameters))
    if audience.is_airport or not is_complete:
        return ()
    ticket = replace(_call(function, audience), parameters={}).encode()
    return (FlightEndpoint(ticket, audience.locations),)


def _call(function: Declared, audience: Audience) -> FunctionCall:
    name = function.name
    return FunctionCall(
        name.table,
        schema_name=name.namespace,
        catalog_name=audience.called or None,
        overload=function.overload,
    )


def _stability(function: Declared) -> bytes | None:
    stability = function.stability
    return None if stability is None else pack({"stability": str(stability)})

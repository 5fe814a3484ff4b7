"""Table functions over the wire: bound to arguments, described, planned as one ticket, read.

Every call finds the function anew, for who makes it; all that is kept between two of them is which columns a
client was told (`agreed.py`).
"""

from __future__ import annotations

from typing import cast

import pyarrow as pa

from lakeport.airport.caller import Caller
from lakeport.airport.functions.agreed import Agreed, Passing
from lakeport.airport.functions.asked import FunctionCall, function_of
from lakeport.airport.functions.bound import (
    Bound,
    bind,
    bind_batch,
    bind_values,
    produces_statistics,
    start,
)
from lakeport.airport.functions.choose import by_batch, by_values
from lakeport.airport.functions.declared import Declared, Kind
from lakeport.airport.functions.find import Found, find
from lakeport.airport.functions.rows import (
    read,
    require_layout,
    require_positions,
    wanted_columns,
)
from lakeport.airport.functions.tickets import FunctionTicket, decode_ticket
from lakeport.airport.functions.told import bound_info, function_metadata
from lakeport.airport.scans.statistics import encode_statistics
from lakeport.airport.wire.arguments import decode_arguments, decode_schema, encode_arguments
from lakeport.airport.wire.bodies import FunctionBody, ScanParameters
from lakeport.airport.wire.objects import schema_bytes
from lakeport.airport.wire.sealed import damaged
from lakeport.catalog.definition import require_column
from lakeport.catalog.functions import MeasuredFunction
from lakeport.catalog.ports import ColumnStatistics
from lakeport.core.errors import InvalidRequestError
from lakeport.core.foreign import dismiss, foreign
from lakeport.core.timepoint import from_unit
from lakeport.flight.messages import FlightDescriptor, FlightEndpoint, FlightInfo
from lakeport.flight.service import Outgoing

_WITH_ROWS = (Kind.TABLE, Kind.IN_OUT)


def info(
    caller: Caller,
    wanted: FunctionCall,
    descriptor: FlightDescriptor | None,
    locations: tuple[str, ...],
) -> FlightInfo:
    """GetFlightInfo and contract 001's action: arguments as plain values."""
    found = find(caller.visible, wanted)
    called = caller.called(found.catalog, wanted.catalog_name)
    tables = _tables(found)
    if not tables:
        function = found.overloads[0]
        about = function_metadata(function, called)
        exact = descriptor or _exact(found, function, wanted)
        return FlightInfo(schema_bytes(function.output), exact, app_metadata=about)
    bound = bind_values(tables, wanted.parameters)
    endpoint = FlightEndpoint(_ticket(found, bound).encode(), locations)
    exact = descriptor or _exact(found, bound.declared, wanted)
    return bound_info(bound, exact, endpoint, called)


def schema(caller: Caller, wanted: FunctionCall) -> pa.Schema:
    found = find(caller.visible, wanted)
    tables = _tables(found)
    if not tables:
        return found.overloads[0].output
    return bind_values(tables, wanted.parameters).schema


def flight_info(caller: Caller, body: FunctionBody, agreed: Agreed) -> FlightInfo:
    """The action `table_function_flight_info`: the same descriptor back, columns for these arguments."""
    from_unit(body.at_unit, body.at_value)
    wanted = function_of(body.descriptor)
    found = find(caller.visible, wanted, _WITH_ROWS)
    what = found.overloads[0].what
    declared, arguments = _arguments(found.overloads, wanted, body.parameters)
    called = caller.called(found.catalog, wanted.catalog_name)
    if declared.kind is Kind.TABLE:
        bound = bind(declared, arguments)
        agreed.tell_scan(caller, bound)
        endpoint = FlightEndpoint(_ticket(found, bound).encode())
        return bound_info(bound, body.descriptor, endpoint, called)
    if not body.table_input_schema:
        raise InvalidRequestError(f"{what} takes rows, and `table_input_schema` is empty")
    rows = decode_schema(body.table_input_schema, what)
    call, promise = start(declared, arguments, rows)
    dismiss(call.close, what)
    agreed.tell_rows(caller, Passing(declared, arguments, rows, promise))
    about = function_metadata(declared, called)
    return FlightInfo(schema_bytes(promise.wire), body.descriptor, app_metadata=about)


def endpoints(
    caller: Caller, wanted: FunctionCall, parameters: ScanParameters, agreed: Agreed
) -> tuple[FlightEndpoint, ...]:
    """One: a function runs in one place. Its arguments travel in the ticket."""
    from_unit(parameters.at_unit, parameters.at_value)
    found = find(caller.visible, wanted, (Kind.TABLE,))
    given = parameters.table_function_parameters
    bound = bind(*_arguments(found.overloads, wanted, given))
    agreed.require_scan(caller, bound)
    return (FlightEndpoint(_ticket(found, bound, parameters).encode()),)


def read_call(caller: Caller, wanted: FunctionCall) -> Outgoing:
    """A ticket of a standard client's own making."""
    found = find(caller.visible, wanted)
    bound = bind_values(_tables(found) or found.overloads, wanted.parameters)
    return read(bound, None, is_airport=caller.call.is_airport)


def read_ticket(caller: Caller, ticket: bytes) -> Outgoing:
    given = decode_ticket(ticket)
    wanted = FunctionCall(
        given.function, {}, given.namespace, given.catalog, overload=given.overload
    )
    found = find(caller.visible, wanted, (Kind.TABLE,))
    if not given.overload:
        raise damaged()
    bound = bind_batch(found.overloads, decode_arguments(given.arguments, "the ticket"))
    require_layout(bound, given.layout)
    require_positions(bound, given.columns)
    columns = None if given.columns is None else tuple(sorted(set(given.columns)))
    at = given.at_unit, given.at_value
    return read(bound, columns, given.filters, at, is_airport=caller.call.is_airport)


def statistics(caller: Caller, wanted: FunctionCall, column: str) -> bytes:
    declared = find(caller.visible, wanted, _WITH_ROWS).overloads[0]
    index = require_column(declared.output, column, where=declared.what)
    field, known = declared.output.field(index), ColumnStatistics()
    if produces_statistics(declared):
        function = cast("MeasuredFunction", declared.function)
        with foreign(declared.what):
            known = function.statistics(field.name)
    return encode_statistics(field, known)


def _arguments(
    overloads: tuple[Declared, ...], wanted: FunctionCall, stream: bytes
) -> tuple[Declared, pa.RecordBatch]:
    """As Arrow where the request has them so, else as the descriptor says."""
    if stream:
        return by_batch(overloads, decode_arguments(stream, overloads[0].what))
    return by_values(overloads, wanted.parameters)


def _tables(found: Found) -> tuple[Declared, ...]:
    return tuple(each for each in found.overloads if each.kind is Kind.TABLE)


def _ticket(found: Found, bound: Bound, parameters: ScanParameters | None = None) -> FunctionTicket:
    asked = parameters or ScanParameters()
    name = bound.declared.name
    return FunctionTicket(
        found.catalog.name,
        name.namespace,
        name.table,
        bound.declared.overload,
        encode_arguments(bound.arguments),
        bound.layout,
        wanted_columns(bound, asked),
        asked.json_filters,
        asked.at_unit,
        asked.at_value,
    )


def _exact(found: Found, declared: Declared, wanted: FunctionCall) -> FlightDescriptor:
    """What was meant, with every name that leaves no doubt. pyarrow reads no FlightInfo without one."""
    name = declared.name
    call = FunctionCall(
        name.table, wanted.parameters, name.namespace, found.catalog.name, wanted.overload
    )
    return FlightDescriptor(command=call.encode())

"""Rows that the client reads itself: references of a table as endpoints with `data:` locations.

A call's arguments are one row of Arrow, `arg_0`, `arg_1`… by position and the others by their names
(contract 002). Only airport clients know what to do with them, and which tables of ours they may read past
the server is the owner's to say (decision 19): grants are asked for here and never again.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Iterable
from typing import TypeAlias

import pyarrow as pa

from lakeport.airport.wire.packing import pack
from lakeport.catalog.arrow import Array
from lakeport.catalog.delegation import FunctionCall, Reference
from lakeport.core.errors import InternalError
from lakeport.core.names import TableName, quoted
from lakeport.flight.messages import FlightEndpoint

Lends: TypeAlias = Callable[[TableName], Collection[str]]
"""The functions by which clients may read a table from its files themselves; none at all for most."""

_CALL = "data:application/x-msgpack-duckdb-function-call;base64,"
_FILE = "data:application/msgpack;base64,"
_POSITIONAL = "arg_"


def lends_none(name: TableName) -> Collection[str]:
    del name
    return ()


def runs_only(references: Iterable[Reference], functions: Collection[str]) -> bool:
    return all(isinstance(each, FunctionCall) and each.function in functions for each in references)


def reference_endpoints(references: Iterable[Reference]) -> tuple[FlightEndpoint, ...]:
    """One each. There is nothing to be had for their tickets."""
    return tuple(FlightEndpoint(b"", (location_of(each),)) for each in references)


def location_of(reference: Reference) -> str:
    if isinstance(reference, FunctionCall):
        call = {"function_name": reference.function, "data": _arguments(reference)}
        return _CALL + _base64(call)
    return _FILE + _base64({"format": reference.format, "uri": reference.uri})


def _arguments(call: FunctionCall) -> bytes:
    named = list(call.named.items())
    if not (call.positional or named):
        # Arrow's streams have no way to say one row of no columns that every reader understands.
        raise InternalError(f"a reference calls {quoted(call.function)} without any argument")
    if any(name.startswith(_POSITIONAL) for name, _ in named):
        raise InternalError(
            f"a reference to {quoted(call.function)} names an argument {_POSITIONAL}…"
        )
    positional = [(f"{_POSITIONAL}{place}", each) for place, each in enumerate(call.positional)]
    fields, columns = list[tuple[str, pa.DataType]](), list[Array]()
    for name, value in (*positional, *named):
        fields.append((name, value.type))
        columns.append(pa.array([value.as_py()], value.type))
    row = pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, row.schema) as writer:
        writer.write_batch(row)
    return sink.getvalue().to_pybytes()


def _base64(message: object) -> str:
    return base64.b64encode(pack(message)).decode("ascii")

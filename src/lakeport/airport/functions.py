"""Table functions for standard clients: found by name, bound to named arguments, read like a table.

A function is asked for in JSON, `{"function_name", "parameters"}`, by contract 001's action, in a
descriptor's command, or as a ticket (there in msgpack, too). Overloads are told apart by the names of
their parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import pyarrow as pa

from lakeport.access import visible_namespaces
from lakeport.airport.visible import Visible
from lakeport.airport.wire.fields import Fields
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.functions import BoundFunction, FunctionHost, TableFunction
from lakeport.catalog.ports import Catalog, Namespace, ScanRequest
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import InternalError, InvalidRequestError, NotFoundError
from lakeport.core.names import fold, quoted
from lakeport.flight.service import Chunk, Outgoing

_MSGPACK_MAPS = frozenset({*range(0x80, 0x90), 0xDE, 0xDF})


@dataclass(frozen=True, slots=True)
class FunctionCall:
    function_name: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    schema_name: str | None = None
    catalog_name: str | None = None

    def encode(self) -> bytes:
        """As a ticket and as a descriptor's command."""
        members = {
            "catalog_name": self.catalog_name,
            "schema_name": self.schema_name,
            "function_name": self.function_name,
            "parameters": dict(self.parameters),
        }
        present = {key: value for key, value in members.items() if value is not None}
        return msgspec.json.encode(present)


@dataclass(frozen=True, slots=True)
class Bound:
    """A function with its arguments, and where it was found."""

    catalog: Catalog
    namespace: str
    function: TableFunction
    rows: BoundFunction


def function_call(fields: Fields) -> FunctionCall:
    return FunctionCall(
        fields.required_text("function_name"),
        {name: _plain(value) for name, value in fields.map("parameters").values.items()},
        fields.text("schema_name") or None,
        fields.text("catalog_name") or None,
    )


def function_asked_for(message: bytes, what: str) -> FunctionCall | None:
    """The call in a command or a ticket; None if that is about something else."""
    if message.lstrip()[:1] == b"{":
        fields = Fields.of_json(message, what)
    elif message and message[0] in _MSGPACK_MAPS:
        fields = Fields.of_msgpack(message, what)
    else:
        return None
    return function_call(fields) if "function_name" in fields else None


def bind(visible: Visible, wanted: FunctionCall) -> Bound:
    catalog = visible.catalog(wanted.catalog_name)
    places = [
        (namespace, overloads)
        for namespace in _namespaces(visible, catalog, wanted)
        if (overloads := _overloads(namespace, wanted.function_name))
    ]
    if not places:
        raise NotFoundError(f"there is no table function {quoted(wanted.function_name)}")
    if len(places) > 1:
        names = ", ".join(quoted(namespace.info.name) for namespace, _ in places)
        raise InvalidRequestError(
            f"several namespaces have a function {quoted(wanted.function_name)}: {names}",
            hint="say which with `schema_name`",
        )
    namespace, overloads = places[0]
    function = _choose(overloads, wanted)
    arguments = _arguments(function.signature.parameters, wanted)
    return Bound(catalog, namespace.info.name, function, function.bind(arguments))


def read(bound: Bound) -> Outgoing:
    stream = bound.rows.open(ScanRequest())
    return Outgoing(bound.rows.schema, _checked(stream, bound), stream.close)


def _checked(stream: BatchStream, bound: Bound) -> Iterator[Chunk]:
    """Another layout than the declared one must never reach the wire: it crashes DuckDB."""
    for batch in stream:
        if not batch.schema.equals(bound.rows.schema):
            raise InternalError(
                f"function {bound.function.signature.name} made {batch.schema.names}"
                f" where {bound.rows.schema.names} was declared"
            )
        yield Chunk(batch)


def _namespaces(visible: Visible, catalog: Catalog, wanted: FunctionCall) -> list[Namespace]:
    if wanted.schema_name:
        return [visible.namespace(catalog, wanted.schema_name)]
    listed = visible_namespaces(visible.identity, catalog)
    return [catalog.namespace(info.name) for info in listed]


def _overloads(namespace: Namespace, name: str) -> list[TableFunction]:
    if not isinstance(namespace, FunctionHost):
        return []
    wanted = fold(name)
    return [
        function
        for function in namespace.functions()
        if isinstance(function, TableFunction) and fold(function.signature.name) == wanted
    ]


def _choose(overloads: Sequence[TableFunction], wanted: FunctionCall) -> TableFunction:
    given = {fold(name) for name in wanted.parameters}
    for function in overloads:
        if {fold(name) for name in function.signature.parameters.names} == given:
            return function
    shapes = " or ".join(
        f"({', '.join(function.signature.parameters.names)})" for function in overloads
    )
    shown = ", ".join(sorted(wanted.parameters)) or "none"
    raise InvalidRequestError(
        f"function {quoted(wanted.function_name)} takes the parameters {shapes}, got {shown}"
    )


def _arguments(parameters: pa.Schema, wanted: FunctionCall) -> pa.RecordBatch:
    given = {fold(name): value for name, value in wanted.parameters.items()}
    columns = [_argument(each, given[fold(each.name)], wanted) for each in parameters]
    return pa.RecordBatch.from_arrays(columns, schema=parameters)


def _argument(parameter: Field, value: object, wanted: FunctionCall) -> Array:
    # A number is never a boolean or a fraction here, though Python would have it so.
    fits = type(value) is int or not pa.types.is_integer(parameter.type)
    try:
        converted: Array | None = pa.array([value], parameter.type) if fits else None
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        converted = None
    if converted is None:
        raise InvalidRequestError(
            f"parameter {quoted(parameter.name)} of function {quoted(wanted.function_name)}"
            f" must be {parameter.type}"
        )
    return converted


def _plain(value: object) -> object:
    """Strings of msgpack come as bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

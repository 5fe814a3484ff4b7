"""A function as clients are told of it. What is malformed is left out, with the reason in the log.

One bad item makes its whole namespace unusable in DuckDB (chapter 0, rule 4), and functions are made by
whoever serves them. So nothing of a function is believed before it was looked at here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

import pyarrow as pa

from lakeport.airport.wire_types import wire_field, wire_type
from lakeport.catalog.arrow import Field
from lakeport.catalog.functions import (
    Function,
    InOutFunction,
    MeasuredFunction,
    ScalarFunction,
    Signature,
    Stability,
    TableFunction,
    result_field,
)
from lakeport.catalog.parameters import ANY, NAMED, TABLE, is_any, is_named, is_table
from lakeport.core.names import TableName, fold, quoted, why_unsafe

_log = logging.getLogger(__name__)
_DIGITS = 8
_FLAGS = (NAMED, ANY, TABLE)


class Kind(StrEnum):
    SCALAR = "scalar"
    TABLE = "table"
    IN_OUT = "in_out"


class _Shape(NamedTuple):
    kind: Kind
    returns: pa.Schema | None
    stability: Stability | None = None
    takes_nulls: bool = True
    is_measured: bool = False


class MalformedError(ValueError):
    """Why a function cannot be served."""


@dataclass(frozen=True)
class Declared:
    """All that is believed of a function, read once: its own properties are code of others.

    `parameters` and `output` are as clients see them; `returns` are the columns in its own types, None
    where the arguments decide.
    """

    name: TableName
    kind: Kind
    function: Function
    signature: Signature
    parameters: pa.Schema
    returns: pa.Schema | None
    stability: Stability | None = None
    takes_nulls: bool = True
    is_measured: bool = False

    @cached_property
    def output(self) -> pa.Schema:
        return pa.schema([]) if self.returns is None else wire_schema(self.returns)

    @property
    def what(self) -> str:
        """How errors call it."""
        return f"function {quoted(str(self.name))}"

    @cached_property
    def arguments(self) -> pa.Schema:
        """What it is called with, in its own types: the rows of an in/out function come otherwise."""
        return pa.schema([each for each in self.signature.parameters if not is_table(each)])

    @cached_property
    def overload(self) -> str:
        """Tells functions of one name apart: `scalar.1a2b3c4d`. Another one if it is declared anew."""
        shape = [self.kind, *map(_shape, self.parameters)]
        if self.kind is Kind.SCALAR:
            shape += map(_shape, self.output)
        digest = sha256("\n".join(shape).encode("utf-8", "surrogatepass")).hexdigest()
        return f"{self.kind}.{digest[:_DIGITS]}"

    @property
    def usage(self) -> str:
        """Its parameters as a person is told of them."""
        return f"({', '.join(map(_shown, self.parameters))})"


def declared_functions(functions: Iterable[object], namespace: str) -> Iterator[Declared]:
    """Those that are well-formed, and of two that nobody could tell apart the first."""
    known: set[tuple[str, str]] = set()
    for function in functions:
        try:
            found = declare(function, namespace)
        except Exception as error:  # noqa: BLE001  even asking for its name runs code of others
            _leave_out(namespace, function, str(error) or type(error).__name__)
            continue
        key = fold(found.name.table), found.overload
        if key in known:
            _leave_out(namespace, function, "another function has the same name and parameters")
            continue
        known.add(key)
        yield found


def declare(function: object, namespace: str) -> Declared:
    """`MalformedError`, or whatever else reading its declaration raises."""
    if isinstance(function, ScalarFunction):
        stability, takes_nulls = function.stability, bool(function.takes_nulls)
        _require(isinstance(stability, Stability), "its stability is none")
        returns = pa.schema([_result(function, takes_nulls=takes_nulls)])
        shape = _Shape(Kind.SCALAR, returns, stability, takes_nulls)
        return _declared(function, namespace, shape)
    if isinstance(function, TableFunction):
        is_measured = isinstance(function, MeasuredFunction)
        shape = _Shape(Kind.TABLE, _columns(function.returns), is_measured=is_measured)
        return _declared(function, namespace, shape)
    if isinstance(function, InOutFunction):
        return _declared(function, namespace, _Shape(Kind.IN_OUT, _columns(function.returns)))
    raise MalformedError(
        "it is neither a scalar function, a table function nor one that takes rows"
    )


def why_no_rows(schema: object) -> str | None:
    """Why these cannot be the columns of a result, or None."""
    if not isinstance(schema, pa.Schema):
        return "its columns are no Arrow schema"
    if not len(schema):
        return "it has no columns"
    names = [fold(name) for name in schema.names]
    if not all(names):
        return "a column has no name"
    twice = next((name for name in schema.names if names.count(fold(name)) > 1), None)
    return None if twice is None else f"it has two columns {quoted(twice)}"


def wire_schema(schema: pa.Schema) -> pa.Schema:
    return pa.schema([wire_field(field) for field in schema])


def _declared(function: Function, namespace: str, shape: _Shape) -> Declared:
    signature = function.signature
    _require(isinstance(signature, Signature), "it has no signature")
    _require(isinstance(signature.name, str), "its name is no text")
    reason = why_unsafe(signature.name)
    _require(reason is None, f"its name cannot be used: {reason}")
    _require(
        signature.description is None or isinstance(signature.description, str), "no description"
    )
    _require(isinstance(signature.parameters, pa.Schema), "its parameters are no Arrow schema")
    _check_parameters(shape.kind, signature.parameters)
    parameters = pa.schema([_wire_parameter(each) for each in signature.parameters])
    name = TableName(namespace, signature.name)
    return Declared(
        name,
        shape.kind,
        function,
        signature,
        parameters,
        shape.returns,
        shape.stability,
        shape.takes_nulls,
        shape.is_measured,
    )


def _result(function: ScalarFunction, *, takes_nulls: bool) -> Field:
    field = result_field(function)
    _require(isinstance(field, pa.Field), "what it returns is neither a type nor a field")
    _require(bool(field.name), "what it returns has no name")
    # Rows with a NULL argument give NULL, whatever it says of its own results.
    return field if takes_nulls else field.with_nullable(True)  # noqa: FBT003


def _columns(returns: pa.Schema | None) -> pa.Schema | None:
    reason = None if returns is None else why_no_rows(returns)
    _require(reason is None, str(reason))
    return returns


def _check_parameters(kind: Kind, parameters: pa.Schema) -> None:
    names = [fold(name) for name in parameters.names]
    _require(all(names), "a parameter has no name")
    _require(len(set(names)) == len(names), "two parameters have the same name")
    tables = sum(map(is_table, parameters))
    is_any_named = any(map(is_named, parameters))
    if kind is Kind.IN_OUT:
        _require(tables == 1, f"it takes rows, and has {tables} parameters for them instead of one")
        # DuckDB takes them for further positional ones, and then no call fits.
        _require(not is_any_named, "a function that takes rows cannot have named parameters")
    else:
        _require(tables == 0, "a parameter takes rows, and the function does not")
    if kind is Kind.SCALAR:
        _require(not is_any_named, "a scalar function cannot have named parameters")


def _wire_parameter(own: Field) -> Field:
    """With nothing of its metadata but the flags and the extension type."""
    metadata = {
        key: value
        for key, value in (own.metadata or {}).items()
        if (key in _FLAGS and value) or key.startswith(b"ARROW:extension:")
    }
    kind = wire_type(own.type)
    if isinstance(kind, pa.DictionaryType):
        kind = kind.value_type  # how a value is encoded is nothing that a caller could choose
    if is_any(own) or is_table(own):
        kind = pa.string()  # which says nothing, and DuckDB was never seen to be told another
    field: Field = pa.field(own.name, kind, metadata=metadata or None)
    return field


def _shape(field: Field) -> str:
    flags = [flag.decode() for flag in _FLAGS if (field.metadata or {}).get(flag)]
    nullable = "" if field.nullable else " NOT NULL"
    return " ".join([fold(field.name), f"{field.type}{nullable}", *flags])


def _shown(field: Field) -> str:
    if is_table(field):
        return f"{field.name} TABLE"
    kind = "any" if is_any(field) else str(field.type)
    return f"{field.name} := {kind}" if is_named(field) else f"{field.name} {kind}"


def _require(holds: bool, reason: str) -> None:  # noqa: FBT001  the claim itself
    if not holds:
        raise MalformedError(reason)


def _leave_out(namespace: str, function: object, reason: str) -> None:
    name = f"{namespace}.{_name_of(function)}"
    _log.warning("listing.function_left_out", extra={"function": name, "reason": reason})


def _name_of(function: object) -> str:
    try:
        return str(function.signature.name)  # type: ignore[attr-defined]  # it may lack one
    except Exception:  # noqa: BLE001  it is malformed
        return type(function).__name__

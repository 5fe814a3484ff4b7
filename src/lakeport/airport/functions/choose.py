"""Which overload the arguments fit, and the arguments as that one takes them.

Arguments come by name or by position, as plain values or as Arrow columns. One that was left out must be a
named parameter, and is NULL; a name whose value is null was left out. Of several overloads the first that the types fit exactly is taken, then the
first that they can be brought to without loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pyarrow as pa

from lakeport.airport.functions.declared import Declared
from lakeport.airport.functions.values import argument
from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.parameters import is_any, is_named
from lakeport.catalog.rows.convert import convert
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import fold, quoted

Given: TypeAlias = Mapping[str, object] | Sequence[object]

_EACH = (True, False)


def by_values(overloads: Sequence[Declared], given: Given) -> tuple[Declared, pa.RecordBatch]:
    shaped = _shaped(overloads, given)
    refusal: InvalidRequestError | None = None
    for strict in _EACH:
        for declared, placed in shaped:
            try:
                columns = [
                    _value(declared, each, value, strict=strict)
                    for each, value in zip(declared.arguments, placed, strict=True)
                ]
            except InvalidRequestError as error:
                refusal = error
                continue
            return declared, _row(declared, columns)
    raise refusal if refusal and len(shaped) == 1 else _no_overload(overloads, "those types")


def by_batch(
    overloads: Sequence[Declared], given: pa.RecordBatch
) -> tuple[Declared, pa.RecordBatch]:
    declared = by_schema(overloads, given.schema)
    return declared, taken(declared, given)


def by_schema(overloads: Sequence[Declared], given: pa.Schema) -> Declared:
    """The one that columns of these types can be given to. The values are still to be seen."""
    refusal: InvalidRequestError | None = None
    for strict in _EACH:
        for declared in overloads:
            try:
                places = _places(declared, given)
                _require_types(declared, given, places, strict=strict)
            except InvalidRequestError as error:
                refusal = error
                continue
            return declared
    shown = ", ".join(f"{field.name} {field.type}" for field in given) or "no columns"
    raise refusal if refusal and len(overloads) == 1 else _no_overload(overloads, shown)


def taken(declared: Declared, given: pa.RecordBatch) -> pa.RecordBatch:
    """Rows of arguments in the function's own order and types."""
    own, sent = declared.arguments, given.schema
    if sent.equals(own):
        return given
    places = _places(declared, sent)
    columns = [
        _column(each, None if place is None else given.column(place), given.num_rows)
        for each, place in zip(own, places, strict=True)
    ]
    return with_columns(columns, _with_types(own, columns), given.num_rows)


def _places(declared: Declared, given: pa.Schema) -> list[int | None]:
    """Where each parameter's column is: by name if all names are known, else by position."""
    own = declared.arguments
    known = {fold(name): index for index, name in enumerate(given.names)}
    if len(known) == len(given) and set(known) <= {fold(name) for name in own.names}:
        places = [known.get(fold(name)) for name in own.names]
    else:
        places = [index if index < len(given) else None for index in range(len(own))]
    missing = [own.field(index) for index, place in enumerate(places) if place is None]
    if len(given) > len(own) or not all(map(is_named, missing)):
        raise InvalidRequestError(
            f"{declared.what} takes {declared.usage},"
            f" got {', '.join(given.names) or 'no arguments'}"
        )
    return places


def _require_types(
    declared: Declared, given: pa.Schema, places: list[int | None], *, strict: bool
) -> None:
    for own, place in zip(declared.arguments, places, strict=True):
        if place is None or is_any(own):
            continue
        sent = given.field(place)
        if strict and sent.type != own.type:
            raise InvalidRequestError(f"{declared.what}: {quoted(own.name)} has another type")
        try:
            convert(nulls(0, sent.type), own.type, own.name)
        except InvalidRequestError as error:
            raise InvalidRequestError(
                f"parameter {quoted(own.name)} of {declared.what} is {own.type}, got {sent.type}"
            ) from error


def _column(own: Field, given: Array | None, rows: int) -> Array:
    if given is None:
        return nulls(rows, own.type)
    return given if is_any(own) else convert(given, own.type, own.name)


def _shaped(
    overloads: Sequence[Declared], given: Given
) -> list[tuple[Declared, list[object | None]]]:
    """Those that take so many, or these names; the ones that have the fewest left out come first."""
    found: list[tuple[int, Declared, list[object | None]]] = []
    for declared in overloads:
        placed = _placed(declared, given)
        if placed is not None:
            found.append((len(placed) - len(given), declared, placed))
    if not found:
        shown = ", ".join(map(str, given)) if isinstance(given, Mapping) else f"{len(given)} values"
        raise _no_overload(overloads, shown or "none")
    found.sort(key=lambda each: each[0])
    return [(declared, placed) for _, declared, placed in found]


def _placed(declared: Declared, given: Given) -> list[object | None] | None:
    own = declared.arguments
    if isinstance(given, Mapping):
        values = {fold(name): value for name, value in given.items() if value is not None}
        is_clear = len({fold(name) for name in given}) == len(given)
        if not is_clear or not set(values) <= {fold(name) for name in own.names}:
            return None
        left_out = [each for each in own if fold(each.name) not in values]
        placed = [values.get(fold(each.name)) for each in own]
    else:
        left_out = [own.field(index) for index in range(len(given), len(own))]
        placed = [*given, *(None for _ in left_out)]
    return placed if len(placed) == len(own) and all(map(is_named, left_out)) else None


def _value(declared: Declared, own: Field, value: object, *, strict: bool) -> Array:
    converted = argument(own, value, strict=strict)
    if converted is None:
        kind = "a value" if is_any(own) else str(own.type)
        raise InvalidRequestError(f"parameter {quoted(own.name)} of {declared.what} must be {kind}")
    return converted


def _row(declared: Declared, columns: list[Array]) -> pa.RecordBatch:
    return with_columns(columns, _with_types(declared.arguments, columns), 1)


def _with_types(own: pa.Schema, columns: list[Array]) -> pa.Schema:
    """Of parameters that take any type the arguments say which."""
    fields = [each.with_type(column.type) for each, column in zip(own, columns, strict=True)]
    return pa.schema(fields)


def _no_overload(overloads: Sequence[Declared], given: str) -> InvalidRequestError:
    shapes = " or ".join(each.usage for each in overloads)
    return InvalidRequestError(f"{overloads[0].what} takes {shapes}, got {given}")

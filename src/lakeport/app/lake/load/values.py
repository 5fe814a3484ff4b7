"""Text and JSON values as Arrow columns of a given type: the way back from `rows.texts` and `rows.plain`.

Texts are read by DuckDB's casts, except that a number which would lose digits is refused instead of
rounded. Bytes are base64 inside JSON, and written with DuckDB's escapes in plain text.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from types import NoneType
from typing import Any, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.containers import (
    Parts,
    child_fields,
    is_list,
    is_nested,
    nulls,
    put_together,
    validity,
)
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.expressions import cast_array
from lakeport.catalog.predicates.kinds import Kind, is_decimal, is_text, kind_of, value_type
from lakeport.catalog.rows.convert import convert
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import NameMap, quoted

Values: TypeAlias = Sequence[Any]


class Digits(str):
    """A number of a JSON document as it was written, so that a decimal keeps its digits."""

    __slots__ = ()


def read_json(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Digits, parse_constant=Digits)
    except (ValueError, RecursionError) as error:
        raise InvalidRequestError(f"{_short(text)} is not JSON: {error}") from None


def from_texts(texts: Array, column: Field) -> Array:
    """One value per text; NULL stays NULL."""
    kind = value_type(column.type)
    if texts.null_count == len(texts):
        return nulls(len(texts), column.type)
    if is_text(kind):
        return convert(texts, column.type, column.name)
    if is_nested(kind):
        read = [None if text is None else read_json(text) for text in texts.to_pylist()]
        return from_plain(read, column)
    _refuse_losses(texts, kind)
    found = cast_array(texts, column.with_type(kind))
    return convert(found, column.type, column.name)


def from_plain(values: Values, column: Field) -> Array:
    """One value per JSON value, read with `read_json`."""
    kind = value_type(column.type)
    if pa.types.is_struct(kind):
        found = _structs(values, column, kind)
    elif pa.types.is_union(kind):
        found = _unions(values, column, kind)
    elif pa.types.is_map(kind):
        found = _maps(values, column, kind)
    elif is_list(kind):
        found = _lists(values, column, kind)
    elif isinstance(kind, pa.JsonType):
        texts = [None if value is None else _json_text(value) for value in values]
        found = pa.ExtensionArray.from_storage(kind, pa.array(texts, kind.storage_type))
    elif kind_of(kind) is Kind.BYTES:
        found = convert(pa.array([_bytes(value) for value in values], pa.binary()), kind)
    else:
        quick = _quick(values, kind)
        if quick is None:
            return from_texts(pa.array([_text(value) for value in values], pa.string()), column)
        found = quick
    return convert(found, column.type, column.name)


_PLAIN: dict[pa.DataType, set[type]] = {
    pa.bool_(): {bool, NoneType},
    pa.int32(): {int, NoneType},
    pa.int64(): {int, NoneType},
    pa.string(): {str, NoneType},
    pa.float64(): {Digits, int, NoneType},
}


def _quick(values: Values, kind: pa.DataType) -> Array | None:
    """The usual types without a detour over text; None where a value is not of the usual kind."""
    if not set(map(type, values)) <= _PLAIN.get(kind, set()):
        return None
    try:
        if kind != pa.float64():
            return pa.array(values, kind)
        numbers = pa.array([None if value is None else float(value) for value in values], kind)
    except (pa.ArrowInvalid, OverflowError):
        return None
    # Too large for a float, or infinite on purpose: a cast will tell.
    return None if pc.any(pc.is_inf(numbers)).as_py() else numbers


def first_refused(
    count: int, read: Callable[[int, int], object], error: InvalidRequestError
) -> tuple[int, InvalidRequestError]:
    """The first of `count` rows that `read(start, end)` refuses, and its own error.

    `error` is the one of all rows together, for what no single row is to blame for.
    """
    start, end = 0, count
    while end - start > 1:
        middle = (start + end) // 2
        try:
            read(start, middle)
        except InvalidRequestError as closer:
            end, error = middle, closer
        else:
            start = middle
    try:
        read(start, end)
    except InvalidRequestError as own:
        error = own
    return start, error


def _refuse_losses(texts: Array, kind: pa.DataType) -> None:
    """DuckDB reads '1.5' as the INTEGER 2, and a TIMESTAMP without its zone: here both are refused."""
    scale = _scale(kind)
    if scale is not None:
        lost = _first(texts, rf"\.[0-9]{{{scale}}}[0-9]*[1-9]")
        if lost is not None:
            raise InvalidRequestError(f"{_short(lost)} has more digits than {kind} can hold")
    if isinstance(kind, pa.TimestampType) and kind.tz is None:
        zoned = _first(texts, r":[0-9.]+ ?[+-](0[1-9]|1[0-9]|00:?[0-9]*[1-9])")
        if zoned is not None:
            raise InvalidRequestError(
                f"{_short(zoned)} has a time zone, which {kind} cannot hold",
                hint="write the time in UTC, or use a TIMESTAMP WITH TIME ZONE",
            )


def _first(texts: Array, pattern: str) -> str | None:
    matching = texts.filter(pc.match_substring_regex(texts, pattern))
    return str(matching[0].as_py()) if len(matching) else None


_FRACTIONS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def _scale(kind: Any) -> int | None:
    """How many digits after the point are kept; None where there is no such thing."""
    if pa.types.is_integer(kind):
        return 0
    if is_decimal(kind):
        return int(kind.scale)
    if pa.types.is_time(kind):
        return _FRACTIONS[kind.unit]
    if isinstance(kind, pa.TimestampType):
        # DuckDB's time with a zone counts microseconds, whatever the column could hold.
        return min(_FRACTIONS[kind.unit], 9 if kind.tz is None else 6)
    return None


# -- single values -------------------------------------------------------------------------------


def _text(value: object) -> str | None:
    match value:
        case None | str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case _:
            return _json_text(value)


def _bytes(value: object) -> bytes | None:
    if value is None:
        return None
    try:
        return base64.b64decode(str(value), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidRequestError(f"{_short(str(value))} is not base64") from None


def _json_text(value: object) -> str:
    return msgspec.json.encode(_encodable(value)).decode()


def _encodable(value: object) -> object:
    match value:
        case Digits():
            return msgspec.Raw(value.encode())
        case int() if not isinstance(value, bool):
            return msgspec.Raw(str(value).encode())  # of any length
        case dict():
            return {key: _encodable(item) for key, item in value.items()}
        case list():
            return [_encodable(item) for item in value]
        case _:
            return value


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")


# -- containers ----------------------------------------------------------------------------------


def _structs(values: Values, column: Field, kind: pa.DataType) -> Array:
    rows = [_as_object(value, column, kind) for value in values]
    fields = child_fields(kind)
    known = NameMap((field.name, field) for field in fields)
    for name in dict.fromkeys(chain.from_iterable(rows)):
        if name not in known:
            raise InvalidRequestError(
                f"{quoted(column.name)} has no field {quoted(name)}", hint=f"it is a {kind}"
            )
    named = [NameMap(row.items()) for row in rows]
    children = tuple(from_plain([row.get(field.name) for row in named], field) for field in fields)
    return put_together(Parts(len(rows), _valid(values), children), kind)


def _lists(values: Values, column: Field, kind: pa.DataType) -> Array:
    size: int | None = getattr(kind, "list_size", None)
    rows = [_as_list(value, column, kind, size) for value in values]
    (element,) = child_fields(kind)
    child = from_plain(list(chain.from_iterable(rows)), element.with_name(column.name))
    return put_together(Parts(len(rows), _valid(values), (child,), _offsets(rows)), kind)


def _maps(values: Values, column: Field, kind: pa.DataType) -> Array:
    rows = [_as_object(value, column, kind) for value in values]
    key, item = child_fields(kind)
    names = pa.array(list(chain.from_iterable(rows)), pa.string())
    keys = from_texts(names, key)
    items = from_plain(list(chain.from_iterable(row.values() for row in rows)), item)
    return put_together(Parts(len(rows), _valid(values), (keys, items), _offsets(rows)), kind)


def _unions(values: Values, column: Field, kind: Any) -> Array:
    rows = [_as_object(value, column, kind) for value in values]
    fields = child_fields(kind)
    places = NameMap((field.name, index) for index, field in enumerate(fields))
    chosen: list[int] = []
    for row in rows:
        name = next(iter(row), fields[0].name)
        if len(row) > 1 or name not in places:
            raise InvalidRequestError(
                f"{quoted(column.name)} takes one member: {', '.join(places)}",
                hint=f"it is a {kind}",
            )
        chosen.append(places[name])
    held = [next(iter(row.values()), None) for row in rows]
    children = tuple(
        from_plain(
            [v if place == index else None for v, place in zip(held, chosen, strict=True)], field
        )
        for index, field in enumerate(fields)
    )
    codes = np.array([kind.type_codes[place] for place in chosen], dtype=np.int8)
    return put_together(Parts(len(rows), None, children, codes=codes), kind)


def _as_object(value: object, column: Field, kind: pa.DataType) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _misfit(value, column, kind, "an object")
    return value


def _as_list(value: object, column: Field, kind: pa.DataType, size: int | None) -> list[Any]:
    if value is None:
        return [None] * (size or 0)
    if not isinstance(value, list):
        raise _misfit(value, column, kind, "an array")
    if size is not None and len(value) != size:
        raise _misfit(value, column, kind, f"an array of {size} elements")
    return value


def _misfit(value: object, column: Field, kind: pa.DataType, wanted: str) -> InvalidRequestError:
    return InvalidRequestError(
        f"{quoted(column.name)} takes {wanted}, got {_short(_json_text(value))}",
        hint=f"it is a {kind}",
    )


def _offsets(rows: Sequence[Sequence[Any] | Mapping[str, Any]]) -> Any:
    return np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64))).astype(
        np.int64
    )


def _valid(values: Values) -> pa.Buffer | None:
    return validity(pa.array([None if value is None else True for value in values], pa.bool_()))

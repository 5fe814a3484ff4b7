"""A bound predicate as plain values that JSON can hold, and back: for tickets and plans.

Every constant names its type, so nothing else is needed to read it again. What comes in is not
trusted: anything but what `to_plain` gives is refused, and as a forged ticket may still name any
column and type, it must be bound again before use (which changes nothing in an honest one).
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from math import isfinite
from typing import Any, assert_never

import pyarrow as pa

from lakeport.catalog.arrow import Array, Scalar
from lakeport.catalog.predicates.constants import PlainValue, array_of, plain_value
from lakeport.catalog.predicates.kinds import Kind, kind_of
from lakeport.catalog.predicates.model import (
    MAX_BOUND_DEPTH,
    Always,
    And,
    Between,
    Compare,
    IsIn,
    IsNull,
    Not,
    Op,
    Or,
    Predicate,
    StartsWith,
)
from lakeport.catalog.predicates.type_names import type_from_name, type_name
from lakeport.core.errors import InvalidRequestError

# What every JSON and msgpack library holds as an integer.
_PLAIN_INTEGERS = range(-(2**63), 2**64)
_UNREAL = {"nan", "inf", "-inf"}


def to_plain(predicate: Predicate) -> dict[str, object]:
    match predicate:
        case Compare(column, op, value):
            name = type_name(value.type)
            return {"compare": column, "op": op.value, "type": name, "value": _plain(value)}
        case IsIn(column, values):
            listed = [_plain(value) for value in values]
            return {"in": column, "type": type_name(values.type), "values": listed}
        case Between(column, low, high):
            return {
                "between": column,
                "type": type_name(low.type),
                "low": _plain(low),
                "high": _plain(high),
                "inclusive": [predicate.low_inclusive, predicate.high_inclusive],
            }
        case IsNull(column):
            return {"null": column}
        case StartsWith(column, prefix):
            return {"prefix": column, "value": prefix}
        case And(parts):
            return {"and": [to_plain(part) for part in parts]}
        case Or(parts):
            return {"or": [to_plain(part) for part in parts]}
        case Not(part):
            return {"not": to_plain(part)}
        case Always(constant):
            return {"always": constant}
        case _:
            assert_never(predicate)


def from_plain(plain: object) -> Predicate:
    """`InvalidRequestError` for anything that `to_plain` would not have given."""
    try:
        return _predicate(plain, MAX_BOUND_DEPTH)
    except (KeyError, TypeError, ValueError, OverflowError, pa.ArrowException) as error:
        raise InvalidRequestError(
            "the condition is damaged and cannot be read", hint="plan the scan again"
        ) from error


def _predicate(plain: Any, depth: int) -> Predicate:  # noqa: C901 one arm per predicate
    if depth == 0:
        raise ValueError(plain)
    match plain:
        case {"compare": str(column), "op": str(op), "type": str(name), "value": value}:
            return Compare(column, Op(op), _scalar(value, name))
        case {"in": str(column), "type": str(name), "values": list(values)}:
            return IsIn(column, _array(values, name))
        case {"between": str(column), "type": str(name), "inclusive": [bool(left), bool(right)]}:
            low, high = _scalar(plain["low"], name), _scalar(plain["high"], name)
            return Between(column, low, high, low_inclusive=left, high_inclusive=right)
        case {"null": str(column)}:
            return IsNull(column)
        case {"prefix": str(column), "value": str(prefix)}:
            return StartsWith(column, prefix)
        case {"and": list(parts)}:
            return And(tuple(_predicate(part, depth - 1) for part in parts))
        case {"or": list(parts)}:
            return Or(tuple(_predicate(part, depth - 1) for part in parts))
        case {"not": part}:
            return Not(_predicate(part, depth - 1))
        case {"always": value}:
            return Always(None if value is None else _boolean(value))
    raise ValueError(plain)


def _scalar(value: object, name: str) -> Scalar:
    if value is None:
        raise TypeError(name)  # binding leaves no NULL to compare with
    only: Scalar = _array([value], name)[0]
    return only


def _array(values: list[object], name: str) -> Array:
    data_type = type_from_name(name)
    read = _READERS[kind_of(data_type)]
    return array_of([None if value is None else read(value) for value in values], data_type)


# -- single values -------------------------------------------------------------------------------


def _plain(scalar: Scalar) -> bool | int | float | str | None:
    value = plain_value(scalar)
    match value:
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case float() if not isfinite(value):
            return str(value)
        case int() if value not in _PLAIN_INTEGERS:
            return str(value)
        case _:
            return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def _integer(value: object) -> int:
    if isinstance(value, str):
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(value)
    return value


def _float(value: object) -> float:
    # JSON knows one kind of number: a float without a fraction may come back as an integer.
    if value in _UNREAL or (isinstance(value, float | int) and not isinstance(value, bool)):
        return float(value)
    raise TypeError(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _bytes(value: object) -> bytes:
    return base64.b64decode(_text(value), validate=True)


_READERS: dict[Kind | None, Callable[[object], PlainValue]] = {
    Kind.BOOLEAN: _boolean,
    Kind.NUMBER: _integer,
    Kind.FLOAT: _float,
    Kind.TEXT: _text,
    Kind.BYTES: _bytes,
    Kind.UUID: _bytes,
    Kind.TIME: _integer,
    Kind.MOMENT: _integer,
    Kind.INSTANT: _integer,
}

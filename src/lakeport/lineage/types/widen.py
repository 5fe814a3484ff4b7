"""The type that several values share: branches of CASE, arms of UNION, elements of an array.

Spark's ANSI rules for its family. Other dialects widen numbers, texts and dates among themselves;
where engines differ (text with number) there is no answer rather than a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeAlias

from lakeport.lineage.types.decimals import as_decimal, widened
from lakeport.lineage.types.model import (
    BIGINT,
    DOUBLE,
    FLOATING,
    INTEGRAL,
    NESTED,
    NUMERIC,
    STRING,
    TEMPORAL,
    TEXTUAL,
    TIMESTAMP,
    VOID,
    SqlType,
    array_of,
    map_of,
    spans,
    struct_of,
)
from lakeport.lineage.types.read import SPARK_FAMILY

_LADDER = ("tinyint", "smallint", "int", "bigint", "float", "double")
Widening: TypeAlias = Callable[[SqlType, SqlType], SqlType | None]


def common_type(left: SqlType | None, right: SqlType | None, dialect: str) -> SqlType | None:
    """The type both become; None if one is unknown or nothing holds both."""
    if left is None or right is None:
        return None
    return _common(left, right, _spark if dialect in SPARK_FAMILY else _general)


def common_of(types: Iterable[SqlType | None], dialect: str) -> SqlType | None:
    """The same over many, left to right; `void` over none."""
    scalar = _spark if dialect in SPARK_FAMILY else _general
    result: SqlType | None = VOID
    for type_ in types:
        if type_ is None:
            return None
        if type_ is not result:
            result = _common(result, type_, scalar)
            if result is None:
                return None
    return result


@lru_cache(maxsize=2048)
def _common(left: SqlType, right: SqlType, scalar: Widening) -> SqlType | None:
    if right in {left, VOID}:
        return left
    if left == VOID:
        return right
    if left.kind in NESTED:
        return _nested(left, right, scalar) if left.kind == right.kind else None
    if left.kind == right.kind == "interval":
        return spans(left, right)
    if left.kind in TEXTUAL and right.kind in TEXTUAL:
        return _strings(left, right)
    return scalar(left, right)


def _strings(left: SqlType, right: SqlType) -> SqlType:
    """A string of which no collation is known takes that of the other; two that differ leave none."""
    names = {left.collation, right.collation} - {None}
    return SqlType("string", collation=names.pop()) if len(names) == 1 else STRING


def _nested(left: SqlType, right: SqlType, scalar: Widening) -> SqlType | None:
    if left.kind == "struct":
        return _structs(left, right, scalar)
    inside = [
        one and other and _common(one, other, scalar)
        for one, other in zip(left.children, right.children, strict=True)
    ]
    if None in inside:
        return None
    return array_of(inside[0]) if left.kind == "array" else map_of(*inside)


def _structs(left: SqlType, right: SqlType, scalar: Widening) -> SqlType | None:
    if len(left.fields) != len(right.fields):
        return None
    fields: list[tuple[str, SqlType]] = []
    for one, other in zip(left.fields, right.fields, strict=True):
        if one.name.lower() != other.name.lower() or one.type is None or other.type is None:
            return None
        inner = _common(one.type, other.type, scalar)
        if inner is None:
            return None
        fields.append((one.name, inner))
    return struct_of(fields)


@lru_cache(maxsize=2048)
def numbers(left: SqlType, right: SqlType) -> SqlType | None:
    """The number that holds both; Spark's rules, which the other engines share."""
    if left.kind == "decimal" or right.kind == "decimal":
        if left.kind in FLOATING or right.kind in FLOATING:
            return DOUBLE
        one, other = as_decimal(left), as_decimal(right)
        return widened(one, other) if one and other else None
    kind = max(left.kind, right.kind, key=_LADDER.index)
    # An integer does not fit into a float's 24 bits, so the two meet at double.
    return DOUBLE if kind == "float" and left.kind != right.kind else SqlType(kind)


def text_with(other: SqlType) -> SqlType | None:
    """What ANSI Spark makes of a text beside another type: it reads the text as that type."""
    if other.kind in INTEGRAL:
        return BIGINT
    if other.kind in NUMERIC:
        return DOUBLE
    return None if other.kind == "interval" else other


def _spark(left: SqlType, right: SqlType) -> SqlType | None:
    if left.kind in NUMERIC and right.kind in NUMERIC:
        return numbers(left, right)
    if left.kind in TEXTUAL:
        return None if right.kind in NESTED else text_with(right)
    if right.kind in TEXTUAL:
        return text_with(left)
    return _instants(left, right)


def _general(left: SqlType, right: SqlType) -> SqlType | None:
    if left.kind in NUMERIC and right.kind in NUMERIC:
        return numbers(left, right)
    return _instants(left, right)


def _instants(left: SqlType, right: SqlType) -> SqlType | None:
    """A date with an instant is that instant; a zoned one wins over a wall clock."""
    kinds = {left.kind, right.kind}
    if not kinds <= TEMPORAL:
        return None
    if len(kinds) == 1:
        return max(left, right, key=lambda type_: type_.parameters)
    if "time" in kinds:
        return None
    if "date" in kinds:
        return left if right.kind == "date" else right
    return TIMESTAMP if kinds == {"timestamp", "timestamp_ntz"} else None

"""Spark's filters as the document that DuckDB would send for them (chapter 7).

A server may do with it what it likes, as long as no row is lost that the filter keeps: Spark applies every
filter again. So a filter is sent only where both mean the same by it, value for value: not where Spark has
another type for the column than the server (nanoseconds, unsigned numbers beyond a constant's range).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from math import isfinite
from typing import Any, TypeAlias

import pyarrow as pa
from pyspark.sql import datasource as spark

from lakeport.core.names import fold

Json: TypeAlias = dict[str, Any]

_NOWHERE = 2**64 - 1
_EXACT = Context(prec=100)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INTEGERS: dict[pa.DataType, tuple[str, int, int]] = {
    pa.int8(): ("TINYINT", -(2**7), 2**7),
    pa.int16(): ("SMALLINT", -(2**15), 2**15),
    pa.int32(): ("INTEGER", -(2**31), 2**31),
    pa.int64(): ("BIGINT", -(2**63), 2**63),
    pa.uint8(): ("UTINYINT", 0, 2**8),
    pa.uint16(): ("USMALLINT", 0, 2**16),
    pa.uint32(): ("UINTEGER", 0, 2**32),
    pa.uint64(): ("UBIGINT", 0, 2**64),
}
_NAMED = {
    pa.bool_(): "BOOLEAN",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.string(): "VARCHAR",
    pa.large_string(): "VARCHAR",
    pa.string_view(): "VARCHAR",
    pa.date32(): "DATE",
    pa.timestamp("us"): "TIMESTAMP",
}
_COMPARISONS = {
    spark.EqualTo: "COMPARE_EQUAL",
    spark.EqualNullSafe: "COMPARE_NOT_DISTINCT_FROM",
    spark.GreaterThan: "COMPARE_GREATERTHAN",
    spark.GreaterThanOrEqual: "COMPARE_GREATERTHANOREQUALTO",
    spark.LessThan: "COMPARE_LESSTHAN",
    spark.LessThanOrEqual: "COMPARE_LESSTHANOREQUALTO",
}
_NULL_TESTS = {spark.IsNull: "OPERATOR_IS_NULL", spark.IsNotNull: "OPERATOR_IS_NOT_NULL"}
_TEXT_TESTS = {
    spark.StringStartsWith: "prefix",
    spark.StringEndsWith: "suffix",
    spark.StringContains: "contains",
}
_BOOLEAN = {"id": "BOOLEAN", "type_info": None}


class _NotSentError(Exception):
    """A filter, or part of one, that Spark alone applies."""


def filter_document(
    filters: Iterable[spark.Filter], columns: pa.Schema, requested: list[str]
) -> str:
    """`requested` are the columns that are asked for, in the order of their ids."""
    places = {fold(name): place for place, name in enumerate(requested)}
    types = {fold(field.name): field.type for field in columns}
    sent = (_sent(each, places, types) for each in filters)
    return json.dumps(
        {
            "filters": [each for each in sent if each is not None],
            "column_binding_names_by_index": requested,
        }
    )


def _sent(
    each: spark.Filter, places: Mapping[str, int], types: Mapping[str, pa.DataType]
) -> Json | None:
    try:
        return _Writer(places, types).written(each)
    except _NotSentError:
        return None


class _Writer:
    def __init__(self, places: Mapping[str, int], types: Mapping[str, pa.DataType]) -> None:
        self._places = places
        self._types = types

    def written(self, each: Any) -> Json:
        kind = type(each)
        if kind is spark.Not:
            return _operator("OPERATOR_NOT", [self.written(each.child)])
        column, arrow = self._column(each.attribute)
        if kind in _NULL_TESTS:
            return _operator(_NULL_TESTS[kind], [column])
        if kind in _COMPARISONS:
            return _node(
                "BOUND_COMPARISON",
                _COMPARISONS[kind],
                left=column,
                right=_constant(each.value, arrow),
            )
        if kind is spark.In:
            listed = [_constant(value, arrow) for value in each.value]
            if not listed:
                raise _NotSentError
            return _operator("COMPARE_IN", [column, *listed])
        if kind in _TEXT_TESTS and column["return_type"]["id"] == "VARCHAR":
            return _call(_TEXT_TESTS[kind], column, _constant(each.value, arrow))
        raise _NotSentError

    def _column(self, path: tuple[str, ...]) -> tuple[Json, pa.DataType]:
        name = fold(path[0])
        if len(path) != 1 or name not in self._places or name not in self._types:
            raise _NotSentError
        arrow = self._types[name]
        node = _node(
            "BOUND_COLUMN_REF",
            "BOUND_COLUMN_REF",
            alias=path[0],
            return_type=_type(arrow),
            binding={"table_index": 0, "column_index": self._places[name]},
            depth=0,
        )
        return node, arrow


def _node(kind: str, of: str, *, alias: str = "", **members: Any) -> Json:
    head = {"expression_class": kind, "type": of, "alias": alias, "query_location": _NOWHERE}
    return {**head, **members}


def _operator(of: str, children: list[Json]) -> Json:
    return _node("BOUND_OPERATOR", of, return_type=_BOOLEAN, children=children)


def _call(name: str, *children: Json) -> Json:
    text = {"id": "VARCHAR", "type_info": None}
    return _node(
        "BOUND_FUNCTION",
        "BOUND_FUNCTION",
        return_type=_BOOLEAN,
        children=list(children),
        name=name,
        arguments=[text, text],
        original_arguments=[],
        catalog_name="",
        schema_name="",
        has_serialize=False,
        is_operator=False,
    )


def _type(arrow: Any) -> Json:
    """Of a column that means the same on both sides; any other is not spoken of."""
    integer = _INTEGERS.get(arrow)
    name = _NAMED.get(arrow) if integer is None else integer[0]
    if name is not None:
        return {"id": name, "type_info": None}
    if pa.types.is_timestamp(arrow) and arrow.unit == "us":
        return {"id": "TIMESTAMP WITH TIME ZONE", "type_info": None}
    if isinstance(arrow, pa.Decimal128Type):
        info = {"type": "DECIMAL_TYPE_INFO", "alias": "", "extension_info": None}
        return {
            "id": "DECIMAL",
            "type_info": {**info, "width": arrow.precision, "scale": arrow.scale},
        }
    raise _NotSentError


def _constant(value: Any, arrow: Any) -> Json:
    if value is None:
        held: Json = {"type": _type(arrow), "is_null": True}
    else:
        held = {"type": _type(arrow), "is_null": False, "value": _literal(value, arrow)}
    return _node("BOUND_CONSTANT", "VALUE_CONSTANT", value=held)


def _literal(value: Any, arrow: Any) -> Any:
    if arrow in _INTEGERS:
        return _integer(value, *_INTEGERS[arrow][1:])
    for holds, write in _LITERALS:
        if holds(arrow):
            return write(value, arrow)
    raise _NotSentError


def _integer(value: Any, lowest: int, beyond: int) -> int:
    """Spark may compare with a number of a wider type, which no constant of the column's can be."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)) or value != int(value):
        raise _NotSentError
    if not lowest <= value < beyond:
        raise _NotSentError
    return int(value)


def _of(kind: type) -> Callable[[Any, Any], Any]:
    def write(value: Any, _: Any) -> Any:
        if type(value) is not kind:
            raise _NotSentError
        return value

    return write


def _real(value: Any, _: Any) -> float:
    """NaN has an order of its own in every engine."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise _NotSentError
    return float(value)


def _decimal(value: Any, arrow: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise _NotSentError
    scaled = Decimal(value).scaleb(arrow.scale, _EXACT)
    if scaled != int(scaled) or abs(scaled) >= 10**arrow.precision:
        raise _NotSentError
    unscaled = int(scaled)
    if arrow.precision <= 18:
        return unscaled
    return {"upper": unscaled >> 64, "lower": unscaled & (2**64 - 1)}


def _day(value: Any, _: Any) -> int:
    if type(value) is not date:
        raise _NotSentError
    return (value - _EPOCH.date()).days


def _moment(value: Any, arrow: Any) -> int:
    if type(value) is not datetime or (value.tzinfo is None) != (arrow.tz is None):
        raise _NotSentError
    at = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return (at - _EPOCH) // timedelta(microseconds=1)


_LITERALS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Any], Any]], ...] = (
    (pa.types.is_boolean, _of(bool)),
    (pa.types.is_floating, _real),
    (lambda t: _NAMED.get(t) == "VARCHAR", _of(str)),
    (pa.types.is_date32, _day),
    (lambda t: isinstance(t, pa.Decimal128Type), _decimal),
    (lambda t: pa.types.is_timestamp(t) and t.unit == "us", _moment),
)

"""Conditions in the JSON of DuckDB: what a server cannot evaluate it must not lose rows by."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from lakeport.conformance.check import Check, Family
from lakeport.conformance.ground import Ground
from lakeport.conformance.objects import Entry
from lakeport.conformance.scan import Asked, scan
from lakeport.conformance.verdicts import broken

Json = dict[str, Any]

_BIGINT: Json = {"id": "BIGINT", "type_info": None}
_DOUBLE: Json = {"id": "DOUBLE", "type_info": None}
_TEXT: Json = {"id": "VARCHAR", "type_info": None}
_BOOL: Json = {"id": "BOOLEAN", "type_info": None}
_TYPES = {"id": _BIGINT, "name": _TEXT, "v": _DOUBLE}
_NAMES = ("id", "name", "v")

COUNT = 200
_ROWS = pa.table(
    {
        "id": pa.array(range(COUNT), pa.int64()),
        "name": pa.array([None if at % 5 == 0 else f"n{at % 7}" for at in range(COUNT)]),
        "v": pa.array([None if at % 3 == 0 else at / 4 for at in range(COUNT)], pa.float64()),
    }
)


def expression(class_: str, kind: str, **members: object) -> Json:
    return {
        "expression_class": class_,
        "type": kind,
        "alias": "",
        "query_location": 2**64 - 1,
    } | members


def column(name: str, names: tuple[str, ...] = _NAMES) -> Json:
    place = {"table_index": 0, "column_index": names.index(name)}
    kind = "BOUND_COLUMN_REF"
    return expression(kind, kind, return_type=_TYPES[name], binding=place, depth=0)


def constant(value: object, type_: Json) -> Json:
    held = {"type": type_, "is_null": value is None}
    if value is not None:
        held["value"] = value
    return expression("BOUND_CONSTANT", "VALUE_CONSTANT", value=held)


def compare(kind: str, left: Json, right: Json) -> Json:
    return expression("BOUND_COMPARISON", f"COMPARE_{kind}", left=left, right=right)


def both(kind: str, *children: Json) -> Json:
    return expression("BOUND_CONJUNCTION", f"CONJUNCTION_{kind}", children=list(children))


def operator(kind: str, *children: Json) -> Json:
    return expression("BOUND_OPERATOR", kind, return_type=_BOOL, children=list(children))


def function(name: str, type_: Json, *children: Json) -> Json:
    return expression(
        "BOUND_FUNCTION",
        "BOUND_FUNCTION",
        return_type=type_,
        children=list(children),
        name=name,
        arguments=[],
        original_arguments=[],
        catalog_name="system",
        schema_name="main",
        has_serialize=False,
        is_operator=False,
    )


def _less(value: int) -> Json:
    return compare("LESSTHAN", column("id"), constant(value, _BIGINT))


def _equal(value: int) -> Json:
    return compare("EQUAL", column("id"), constant(value, _BIGINT))


def _between(low: float, high: float) -> Json:
    return expression(
        "BOUND_BETWEEN",
        "COMPARE_BETWEEN",
        input=column("v"),
        lower=constant(low, _DOUBLE),
        upper=constant(high, _DOUBLE),
        lower_inclusive=True,
        upper_inclusive=False,
    )


_UNKNOWN = expression("BOUND_NOVELTY", "NOVELTY", return_type=_BOOL, children=[column("id")])
_STRANGE = function("no_such_function_by_this_name", _BOOL, column("id"))
_RANDOM = compare("LESSTHAN", function("random", _DOUBLE), constant(0.5, _DOUBLE))

Row = dict[str, Any]

# The condition, and the rows that SQL keeps: the server may give more, never fewer.
_CASES: dict[str, tuple[str, Json, Callable[[Row], bool]]] = {
    "equal": ("id = 17", _equal(17), lambda row: row["id"] == 17),
    "range": (
        "v BETWEEN 5 AND 10",
        _between(5, 10),
        lambda row: _is(row["v"], lambda v: 5 <= v < 10),
    ),
    "text": (
        "name = 'n3'",
        compare("EQUAL", column("name"), constant("n3", _TEXT)),
        lambda row: row["name"] == "n3",
    ),
    "is_null": (
        "name IS NULL",
        operator("OPERATOR_IS_NULL", column("name")),
        lambda row: row["name"] is None,
    ),
    "in": (
        "id IN (1, 2, 300)",
        operator("COMPARE_IN", column("id"), *(constant(each, _BIGINT) for each in (1, 2, 300))),
        lambda row: row["id"] in {1, 2, 300},
    ),
    "not": (
        "NOT name = 'n3'",
        operator("OPERATOR_NOT", compare("EQUAL", column("name"), constant("n3", _TEXT))),
        lambda row: row["name"] not in {None, "n3"},
    ),
    "distinct_from": (
        "name IS DISTINCT FROM 'n3'",
        compare("DISTINCT_FROM", column("name"), constant("n3", _TEXT)),
        lambda row: row["name"] != "n3",
    ),
    "prefix": (
        "name LIKE 'n%'",
        function("prefix", _BOOL, column("name"), constant("n", _TEXT)),
        lambda row: row["name"] is not None,
    ),
    "or": (
        "id < 3 OR id = 190",
        both("OR", _less(3), _equal(190)),
        lambda row: row["id"] in {0, 1, 2, 190},
    ),
    "nan": (
        "v < NaN",
        compare("LESSTHAN", column("v"), constant(math.nan, _DOUBLE)),
        lambda row: row["v"] is not None,
    ),
    "unknown_class": ("an expression that no server knows", _UNKNOWN, lambda _: True),
    "unknown_function": ("a function that no server knows", _STRANGE, lambda _: True),
    "unknown_in_and": (
        "id < 5 AND unknown",
        both("AND", _less(5), _UNKNOWN),
        lambda row: row["id"] < 5,
    ),
    "unknown_in_or": ("id < 5 OR unknown", both("OR", _less(5), _UNKNOWN), lambda _: True),
    "unknown_under_not": (
        "NOT (id < 100 AND unknown)",
        operator("OPERATOR_NOT", both("AND", _less(100), _UNKNOWN)),
        lambda _: True,
    ),
    "volatile": ("random() < 0.5", _RANDOM, lambda _: True),
}


def _is(value: Any, holds: Callable[[Any], bool]) -> bool:
    return value is not None and holds(value)


def _table(ground: Ground) -> Entry:
    """Made once for all of these checks."""
    return ground.kept("filters", lambda: ground.workshop.create(_ROWS.schema, rows=_ROWS))


def _none_lost(found: pa.Table, keeps: Callable[[Row], bool], condition: str) -> None:
    wanted = {row["id"] for row in _ROWS.to_pylist() if keeps(row)}
    lost = wanted - set(found.column("id").to_pylist())
    if lost:
        raise broken(
            "7", f"`{condition}` loses {len(lost)} of {len(wanted)} rows, id {min(lost)} first"
        )


def _case(name: str) -> Check:
    condition, filter_, keeps = _CASES[name]

    def ask(ground: Ground) -> None:
        found = scan(ground.catalog, _table(ground), Asked(filters=[filter_]))
        _none_lost(found, keeps, condition)

    return Check(FAMILY.named(name), "7", f"no row is lost by {condition}", ask)


FAMILY = Family("filters", "WHERE")
FAMILY.checks.extend(_case(name) for name in _CASES)


@FAMILY.check("7", "several filters are one condition, each of them optional")
def several(ground: Ground) -> None:
    found = scan(ground.catalog, _table(ground), Asked(filters=[_less(50), _UNKNOWN]))
    _none_lost(found, lambda row: row["id"] < 50, "id < 50, and one unknown")


@FAMILY.check("7", "a column is counted in the request's own list of names")
def column_index(ground: Ground) -> None:
    names = ("v", "id")
    wanted = compare("EQUAL", column("id", names), constant(8, _BIGINT))
    found = scan(ground.catalog, _table(ground), Asked(ids=[2, 0], filters=[wanted]))
    _none_lost(found, lambda row: row["id"] == 8, "id = 8, asked for as the second column")


@FAMILY.check("7", "the list of names may be longer than the ids, as through a view")
def longer_names(ground: Ground) -> None:
    wanted = compare("GREATERTHAN", column("v"), constant(10.0, _DOUBLE))
    asked = Asked(ids=[2], names=_NAMES, filters=[wanted])
    found = scan(ground.catalog, _table(ground), asked)
    kept = sum(_is(value, lambda v: v > 10) for value in _ROWS.column("v").to_pylist())
    got = sum(_is(value, lambda v: v > 10) for value in found.column("v").to_pylist())
    if got < kept:
        raise broken("7", f"`v > 10` through a view gives {got} of {kept} rows")

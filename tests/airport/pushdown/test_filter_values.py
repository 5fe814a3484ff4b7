"""Constants of every type, in the form DuckDB's own serialiser gives them."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pyarrow as pa
import pytest

from lakeport.airport.pushdown import parse_filters
from lakeport.airport.pushdown.moments import date_text
from tests.airport.pushdown.bound import pushed_text
from tests.airport.pushdown.expressions import column, compare, constant, document
from tests.airport.pushdown.recorded import answer, kept
from tests.airport.pushdown.samples import rows, values

TYPES = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"),
    *("UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL(4,1)", "DECIMAL(9,2)"),
    *("DECIMAL(18,3)", "DECIMAL(38,10)", "VARCHAR", "BLOB", "UUID", "JSON"),
    *("DATE", "TIME", "TIME_NS", "TIME WITH TIME ZONE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS"),
    *("TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "INTERVAL", "INTEGER[]", "INTEGER[3]"),
    *("VARCHAR[][]", "STRUCT(a INTEGER, b VARCHAR)", "STRUCT(l INTEGER[], i STRUCT(x DOUBLE))"),
    "MAP(VARCHAR, INTEGER)",
)
OPERATORS = ("=", "<>", "<", ">=", "IS NOT DISTINCT FROM")
# A union has no form in an empty Arrow table that DuckDB would take; its recordings show it.


@pytest.mark.parametrize("data_type", TYPES)
def test_every_value_of_a_type_is_compared_exactly(data_type: str) -> None:
    table = rows([("x", data_type)])
    for at, value in enumerate(values(data_type)[1:]):
        condition = f"x {OPERATORS[at % len(OPERATORS)]} TRY_CAST({value} AS {data_type})"
        text = pushed_text(condition, table.schema)
        if not json.loads(text)["filters"]:
            continue  # the value does not fit the type, so that DuckDB compares with NULL
        found = parse_filters(text, table.schema)
        assert found.exact, (condition, found.dropped)
        assert kept(found, table) == answer(condition, table)[0], condition


@pytest.mark.parametrize("data_type", ["BIT", "BIGNUM"])
def test_internal_bytes_are_compared_exactly(data_type: str) -> None:
    """DuckDB's serialiser gives up on these; its client writes base64 of what Arrow holds too."""
    table = rows([("x", data_type)])
    held = table.column("x").chunk(0)
    assert isinstance(held, pa.ExtensionArray)
    for value, stored in zip(values(data_type), held.storage.to_pylist(), strict=True):
        if stored is None:
            continue
        given = constant({"base64": b64encode(stored).decode()}, data_type)
        text = document(
            compare(column(0, data_type), given, "COMPARE_LESSTHANOREQUALTO"), names=["x"]
        )
        found = parse_filters(text, table.schema)
        assert found.exact
        assert kept(found, table) == answer(f"x <= CAST({value} AS {data_type})", table)[0], value


@pytest.mark.parametrize("data_type", TYPES)
def test_lists_of_values_are_compared_exactly(data_type: str) -> None:
    table = rows([("x", data_type)])
    given = [f"CAST({value} AS {data_type})" for value in _fitting(data_type)]
    for condition in (f"x IN ({', '.join(given)})", f"x NOT IN ({given[0]}, {given[-1]})"):
        found = parse_filters(pushed_text(condition, table.schema), table.schema)
        assert found.exact, (condition, found.dropped)
        assert kept(found, table) == answer(condition, table)[0], condition


def _fitting(data_type: str) -> list[str]:
    given = values(data_type)[1:]
    return [value for value in given if value.strip("(')") in {"0", "1", "5", "12.5"}] or given[:3]


WRONG: tuple[tuple[str, Any], ...] = (
    *(("TINYINT", 128), ("UTINYINT", -1), ("INTEGER", 2**31), ("BIGINT", 2**63), ("INTEGER", 5.0)),
    *(("INTEGER", "5"), ("INTEGER", True), ("BOOLEAN", 1), ("DOUBLE", "1"), ("FLOAT", 1e300)),
    *(("HUGEINT", {"upper": 2**63, "lower": 0}), ("HUGEINT", {"upper": 0, "lower": -1})),
    *(
        ("UUID", {"upper": 0}),
        ("VARCHAR", 5),
        ("VARCHAR", "\ud800"),
        ("VARCHAR", {"base64": "/w=="}),
    ),
    *(("BLOB", "\\"), ("BLOB", "\\xZZ"), ("BLOB", "é"), ("BIT", {"base64": "CA=="}), ("BIT", "")),
    *(("BIGNUM", {"base64": "gAAC/w=="}), ("BIGNUM", ""), ("DATE", 2**31), ("TIME", -1)),
    *(("TIME", 86_400_000_001), ("TIMESTAMP", -(2**63)), ("TIME WITH TIME ZONE", 2**24 - 1)),
    *(("INTERVAL", {"months": 1}), ("INTERVAL", 5), ("LIST", {"children": []}), ("ENUM", 0)),
    *(("GEOMETRY", "x"), ("VARIANT", 1), ("", 1)),
)


@pytest.mark.parametrize(("data_type", "value"), WRONG, ids=str)
def test_a_constant_in_another_form_widens(data_type: str, value: Any) -> None:
    text = document(compare(column(0, data_type), constant(value, data_type)), names=["x"])
    found = parse_filters(text, pa.schema([pa.field("x", pa.int32())]))
    assert (found.predicate, found.expression, found.exact) == (None, None, False)


def test_the_children_of_a_nested_value_may_inherit_their_type() -> None:
    number = {"id": "INTEGER", "type_info": None}
    numbers = {"id": "LIST", "type_info": {"alias": "", "child_type": number}}
    listed = {**column(0), "return_type": numbers}
    held = {"is_null": False, "value": 1}, {"is_null": True}
    value = {"type": numbers, "is_null": False, "value": {"children": list(held)}}
    text = document(compare(listed, {**constant(0), "value": value}), names=["li"])
    table = pa.table({"li": pa.array([[1, None], [1], None, [None, 1]], pa.list_(pa.int32()))})
    found = parse_filters(text, table.schema)
    assert found.exact
    assert kept(found, table) == {0}


def test_text_that_is_base64_is_read_as_utf_8() -> None:
    text = document(
        compare(column(0, "VARCHAR"), constant({"base64": "w6k="}, "VARCHAR")), names=["s"]
    )
    table = pa.table({"s": ["é", "e", None]})
    assert kept(parse_filters(text, table.schema), table) == {0}


@pytest.mark.parametrize(
    ("days", "text"),
    [
        *((0, "1970-01-01"), (-1, "1969-12-31"), (11_016, "2000-02-29"), (2**31 - 1, "infinity")),
        *((-719_162, "0001-01-01"), (-719_163, "0001-12-31 (BC)"), (-(2**31) + 1, "-infinity")),
        (2_932_897, "10000-01-01"),
    ],
)
def test_dates_are_written_as_duckdb_reads_them(days: int, text: str) -> None:
    assert date_text(days) == text

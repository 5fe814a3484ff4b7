"""Values of test files: read by the column's type, guessed without one, written as SQL."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from lakeport.pipeline.growth.spark_words import text_of, type_from_text
from lakeport.pipeline.testing.values import (
    WrongValueError,
    as_type,
    guessed,
    literal,
    same,
    settled,
    shown,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("type_", "value", "read"),
    [
        ("bigint", 5, 5),
        ("bigint", "5", 5),
        ("int", -(2**31), -(2**31)),
        ("double", 1, 1.0),
        ("double", "1.5", 1.5),
        ("decimal(5,2)", "1.5", Decimal("1.50")),
        ("decimal(5,2)", 2, Decimal("2.00")),
        ("decimal(5,2)", 0.1, Decimal("0.10")),
        ("decimal(38,0)", "9" * 38, Decimal("9" * 38)),
        ("boolean", True, True),
        ("boolean", "False", False),
        ("string", "5", "5"),
        ("date", date(2026, 3, 1), date(2026, 3, 1)),
        ("date", "2026-03-01", date(2026, 3, 1)),
        ("timestamp", datetime(2026, 3, 1, 12), NOON),  # noqa: DTZ001
        ("timestamp", datetime(2026, 3, 1, 14, tzinfo=timezone(timedelta(hours=2))), NOON),
        ("timestamp", "2026-03-01T12:00:00Z", NOON),
        ("timestamp", date(2026, 3, 1), datetime(2026, 3, 1, tzinfo=UTC)),
        ("timestamp_ntz", "2026-03-01 12:00:00", datetime(2026, 3, 1, 12)),  # noqa: DTZ001
        ("binary", "a", b"a"),
        ("binary", "0x00ff", b"\x00\xff"),
        ("array<decimal(3,1)>", ["1", 2], [Decimal("1.0"), Decimal("2.0")]),
        ("struct<a:int,b:string>", {"A": 1}, {"a": 1, "b": None}),
        ("map<string,int>", {"b": 2, "a": 1}, [("a", 1), ("b", 2)]),
        ("bigint", None, None),
    ],
)
def test_values_are_read_by_the_type_of_their_column(
    type_: str, value: object, read: object
) -> None:
    found = as_type(value, type_from_text(type_))
    assert (found, type(found)) == (read, type(read))


@pytest.mark.parametrize(
    ("type_", "value", "why"),
    [
        ("bigint", "x", '"x" is no bigint'),
        ("bigint", 1.5, "1.5 is no bigint"),
        ("bigint", True, "true is no bigint"),
        ("int", 2**31, "out of range"),
        ("decimal(5,2)", "1.005", "more than 2 digits behind the point"),
        ("decimal(5,2)", "1000", "too many digits"),
        ("decimal(5,2)", math.inf, "digits"),
        ("decimal(5,2)", "ten", '"ten" is no decimal'),
        ("boolean", "yes", "is no boolean"),
        ("boolean", 1, "is no boolean"),
        ("string", 5, "write it in quotes"),
        ("date", "1.3.2026", "2026-03-01"),
        ("date", NOON, "2026-03-01"),
        ("timestamp", "noon", "2026-03-01T12:30:00"),
        ("timestamp_ntz", NOON, "a wall clock has no zone"),
        ("binary", "0xzz", "write text"),
        ("array<int>", 1, r"write \[…\]"),
        ("struct<a:int>", [1], "write {…}"),
        ("struct<a:int>", {"b": 1}, "has no field b"),
        ("map<int,int>", {"x": 1}, "is no int"),
        ("interval day to second", "1", "cannot hold a value of the type"),
    ],
)
def test_a_value_that_a_column_cannot_hold_says_why(type_: str, value: object, why: str) -> None:
    with pytest.raises(WrongValueError, match=why):
        as_type(value, type_from_text(type_))


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([1, 2], "bigint"),
        ([1, 2.5], "double"),
        (["a"], "string"),
        ([True], "boolean"),
        ([date(2026, 3, 1)], "date"),
        ([date(2026, 3, 1), NOON], "timestamp"),
        ([[1], [2.5]], "array<double>"),
        ([{"a": 1}, {"b": "x"}], "struct<a:bigint,b:string>"),
        ([], "string"),
        ([[]], "array<string>"),
    ],
)
def test_a_type_that_nobody_declared_is_told_from_the_values(
    values: list[object], type_: str
) -> None:
    assert text_of(guessed(values)) == type_


def test_values_of_different_kinds_have_no_type() -> None:
    with pytest.raises(WrongValueError, match="different kinds: boolean, text"):
        guessed(["a", True])


@pytest.mark.parametrize(
    ("type_", "value", "sql"),
    [
        ("bigint", None, "CAST(NULL AS BIGINT)"),
        ("string", "it's \\ \n", "CAST('it\\'s \\\\ \\n' AS STRING)"),
        ("timestamp", NOON, "CAST('2026-03-01 12:00:00.000000+00:00' AS TIMESTAMP_LTZ)"),
        ("binary", b"\x00", "CAST(X'00' AS BINARY)"),
        ("array<int>", [1, None], "CAST(array(CAST('1' AS INT), CAST(NULL AS INT)) AS ARRAY<INT>)"),
        ("array<int>", [], "CAST(array() AS ARRAY<INT>)"),
    ],
)
def test_values_are_written_as_sql(type_: str, value: object, sql: str) -> None:
    assert literal(value, type_from_text(type_)) == sql


def test_real_numbers_are_equal_as_far_as_they_can_be() -> None:
    assert same([0.1 + 0.2, {"x": math.nan}], [0.3, {"x": math.nan}])
    assert not same(0.1, 0.1001)
    assert not same([1], [1, 2])
    assert not same(None, 0)


def test_values_of_arrow_take_the_form_of_those_that_were_read() -> None:
    paris = datetime(2026, 3, 1, 13, tzinfo=timezone(timedelta(hours=1)))
    assert repr(settled([("b", paris), ("a", None)])) == repr([("a", None), ("b", NOON)])
    assert repr(settled({"x": [paris]})) == repr({"x": [NOON]})


def test_values_are_shown_as_people_write_them() -> None:
    row = [None, True, 'a "b"', NOON, date(2026, 3, 1), b"\x00", Decimal("1.50"), {"a": 1}]
    assert [shown(value) for value in row] == [
        "NULL",
        "true",
        '"a \\"b\\""',
        "2026-03-01T12:00:00Z",
        "2026-03-01",
        '"0x00"',
        "1.50",
        "{a = 1}",
    ]
    assert shown([("k", 1)]) == '{"k" = 1}'

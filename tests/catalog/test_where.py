"""Conditions for a database of one's own: no wanted row is lost, whatever it cannot be told."""

from __future__ import annotations

import sqlite3
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.airport import Scan, sql
from lakeport.airport.pushdown import parse_filters
from lakeport.catalog.expressions import evaluate as evaluate_expression
from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.predicates import (
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
    bind,
    evaluate,
)
from lakeport.catalog.where import Mapped, where_of
from tests.airport.pushdown.expressions import (
    call,
    column,
    compare,
    constant,
    document,
    joined,
    negated,
)

TYPES: dict[str, pa.DataType] = {"a": pa.int64(), "b": pa.int64(), "s": pa.string()}
SCHEMA = pa.schema(TYPES)
ROWS = pa.RecordBatch.from_pylist(
    [
        {"a": a, "b": b, "s": s}
        for a in (None, 0, 1, 2)
        for b in (None, 1, 2)
        for s in (None, "", "x", "xY", "Xy")
    ],
    schema=SCHEMA,
)

numbers = st.sampled_from([None, 0, 1, 2, 3])
leaves = st.one_of(
    st.builds(
        lambda name, op, value: Compare(name, op, pa.scalar(value, pa.int64())),
        st.sampled_from(["a", "b"]),
        st.sampled_from(list(Op)),
        numbers,
    ),
    st.builds(IsNull, st.sampled_from(["a", "b", "s"])),
    st.builds(
        lambda name, values: IsIn(name, pa.array(values, pa.int64())),
        st.sampled_from(["a", "b"]),
        st.lists(numbers, max_size=3),
    ),
    st.builds(
        lambda low, high: Between("b", pa.scalar(low), pa.scalar(high)), st.just(1), st.just(2)
    ),
    st.builds(lambda prefix: StartsWith("s", prefix), st.sampled_from(["", "x", "xY"])),
)
predicates: st.SearchStrategy[Predicate] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda parts: And(tuple(parts)), st.lists(inner, max_size=3)),
        st.builds(lambda parts: Or(tuple(parts)), st.lists(inner, max_size=3)),
        st.builds(Not, inner),
    ),
    max_leaves=6,
)


def database() -> sqlite3.Connection:
    """The same rows under other names: `b` is kept as its double."""
    made = sqlite3.connect(":memory:")
    made.execute('CREATE TABLE t (n INTEGER, "the a" INTEGER, twice INTEGER, s TEXT)')
    rows = [
        (number, row["a"], None if row["b"] is None else 2 * row["b"], row["s"])
        for number, row in enumerate(ROWS.to_pylist())
    ]
    made.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    return made


DATABASE = database()
ALL: dict[str, Mapped] = {"a": "the a", "b": sql("twice / 2")}
LACKING: dict[str, Mapped] = {"A": "the a", "b": None}


def chosen(predicate: Predicate, columns: dict[str, Mapped]) -> tuple[set[int], bool]:
    where = where_of(bind(predicate, SCHEMA), columns)
    found = DATABASE.execute(f"SELECT n FROM t WHERE {where}", where.parameters)
    return {number for (number,) in found}, where.is_exact


def wanted(predicate: Predicate) -> set[int]:
    mask = evaluate(bind(predicate, SCHEMA), ROWS).to_pylist()
    return {number for number, keep in enumerate(mask) if keep}


@settings(max_examples=200, deadline=None)
@given(predicates)
def test_the_same_rows_are_chosen_where_every_column_is_there(predicate: Predicate) -> None:
    found, is_exact = chosen(predicate, ALL)
    assert found == wanted(predicate)
    assert is_exact


@settings(max_examples=200, deadline=None)
@given(predicates)
def test_no_row_is_lost_where_a_column_is_missing(predicate: Predicate) -> None:
    found, is_exact = chosen(predicate, LACKING)
    assert found >= wanted(predicate)
    assert found == wanted(predicate) or not is_exact


def scan_of(*filters: Any) -> Scan:
    pushed = parse_filters(document(*filters, names=["a", "b", "s"]), SCHEMA)
    return Scan(("a", "b", "s"), pushed.predicate, pushed.expression)


def a_is(value: int) -> Any:
    return compare(column(0, "BIGINT"), constant(value, "BIGINT"))


def b_is(value: int) -> Any:
    return compare(column(1, "BIGINT"), constant(value, "BIGINT"))


def test_under_not_a_part_that_cannot_be_said_is_left_out_the_right_way() -> None:
    """NOT (a = 1 OR b = 2) is NOT a = 1 AND NOT b = 2, of which one half may go; NOT (… AND …) may not."""
    either = scan_of(negated(joined("OR", a_is(1), b_is(2))))
    assert either.where({"b": None}).text == '("a" <> ?)'
    both = scan_of(negated(joined("AND", a_is(1), b_is(2))))
    assert both.where({"b": None}).text == "1=1"


def test_for_duckdb_columns_are_renamed_in_functions_too() -> None:
    lowered = call("lower", column(2, "VARCHAR"), returns="VARCHAR")
    scan = scan_of(a_is(1), compare(lowered, constant("xy", "VARCHAR")))
    text = scan.duckdb({"a": sql('"n" + 1'), "s": "name"})
    other = pa.RecordBatch.from_pylist(
        [{"n": 0, "name": "XY"}, {"n": 1, "name": "XY"}, {"n": 0, "name": "z"}]
    )
    found = evaluate_expression(parse_expression(text, other.schema), other)
    assert found.to_pylist() == [True, False, False]
    assert "lower" not in scan.duckdb({"s": None})
    assert Scan(("a",)).duckdb() == "true"

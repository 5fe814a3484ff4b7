"""Whatever cannot be evaluated, and wherever it stands: no row that the whole filter keeps is lost."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.airport.pushdown import parse_filters
from tests.airport.pushdown.expressions import (
    Json,
    call,
    column,
    compare,
    constant,
    document,
    joined,
    negated,
    operator,
)
from tests.airport.pushdown.recorded import answer, kept

# `hidden` is what an unsupported leaf means: the server never sees the column's name in its schema.
VALUES = [None, *range(4)]
TABLE = pa.table(
    {
        "a": pa.array([a for a in VALUES for _ in range(25)], pa.int32()),
        "s": [None if b is None else "xyzw"[b] for _ in VALUES for b in VALUES for _ in range(5)],
        "hidden": pa.array([c for _ in range(25) for c in VALUES], pa.int32()),
    }
)
SEEN = TABLE.select(["a", "s"])
NAMES = ["a", "s", "hidden"]


@dataclass(frozen=True)
class Both:
    """One condition as SQL and as the client's JSON; `known` when every part can be evaluated."""

    sql: str
    json: Json
    known: bool = True


def _leaf(number: int) -> list[Both]:
    text = "xyzw"[number]
    lower = call("lower", column(1, "VARCHAR"), returns="VARCHAR")
    unknown = compare(column(2), constant(number))
    return [
        Both(f"a = {number}", compare(column(0), constant(number))),
        Both(f"a > {number}", compare(column(0), constant(number), "COMPARE_GREATERTHAN")),
        Both(
            f"a IS DISTINCT FROM {number}",
            compare(column(0), constant(number), "COMPARE_DISTINCT_FROM"),
        ),
        Both("a IS NULL", operator("OPERATOR_IS_NULL", column(0))),
        Both(f"s = '{text}'", compare(column(1, "VARCHAR"), constant(text, "VARCHAR"))),
        Both(f"lower(s) = '{text}'", compare(lower, constant(text, "VARCHAR"))),
        Both(
            f"a IN ({number}, NULL)",
            operator("COMPARE_IN", column(0), constant(number), constant(None)),
        ),
        Both(f"hidden = {number}", unknown, known=False),
        Both("hidden IS NULL", operator("OPERATOR_IS_NULL", column(2)), known=False),
        Both(f"(hidden = {number}) IS NULL", operator("OPERATOR_IS_NULL", unknown), known=False),
        Both("NULL::BOOLEAN", constant(None, "BOOLEAN")),
    ]


def _negated(part: Both) -> Both:
    return Both(f"(NOT {part.sql})", negated(part.json), part.known)


def _joined(word: str, parts: list[Both]) -> Both:
    sql = f"({f' {word} '.join(part.sql for part in parts)})"
    return Both(sql, joined(word, *(p.json for p in parts)), all(p.known for p in parts))


conditions = st.recursive(
    st.integers(0, 3).flatmap(lambda number: st.sampled_from(_leaf(number))),
    lambda inner: st.one_of(
        inner.map(_negated),
        st.builds(_joined, st.sampled_from(["AND", "OR"]), st.lists(inner, min_size=2, max_size=4)),
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(st.lists(conditions, min_size=1, max_size=3))
def test_a_filter_with_unknown_parts_never_loses_a_row(filters: list[Both]) -> None:
    text = document(*(part.json for part in filters), names=NAMES)
    wanted, _ = answer(" AND ".join(part.sql for part in filters), TABLE)
    found = parse_filters(text, SEEN.schema)
    rows = kept(found, SEEN)
    assert wanted <= rows
    if all(part.known for part in filters):
        assert found.exact
        assert rows == wanted
    # With the hidden column in sight everything is known.
    whole = parse_filters(text, TABLE.schema)
    assert whole.exact
    assert kept(whole, TABLE) == wanted


@pytest.mark.parametrize(
    ("sql", "reduced"),
    [
        ("a = 1 AND hidden = 1", "a = 1"),
        ("a = 1 OR hidden = 1", "true"),
        ("NOT (a = 1 AND hidden = 1)", "true"),
        ("NOT (a = 1 OR hidden = 1)", "NOT a = 1"),
        ("NOT (NOT (a = 1 AND hidden = 1))", "a = 1"),
        ("NOT (a = 1 OR (s = 'x' AND hidden = 1))", "NOT a = 1"),
        ("(a = 1 AND hidden = 1) OR s = 'x'", "a = 1 OR s = 'x'"),
        ("(a = 1 AND hidden = 1) IS NULL", "true"),
    ],
)
def test_unknown_parts_are_left_out_only_where_that_widens(sql: str, reduced: str) -> None:
    a, s = compare(column(0), constant(1)), compare(column(1, "VARCHAR"), constant("x", "VARCHAR"))
    unknown = compare(column(2), constant(1))
    by_sql: dict[str, Json] = {
        "a = 1 AND hidden = 1": joined("AND", a, unknown),
        "a = 1 OR hidden = 1": joined("OR", a, unknown),
        "NOT (a = 1 AND hidden = 1)": negated(joined("AND", a, unknown)),
        "NOT (a = 1 OR hidden = 1)": negated(joined("OR", a, unknown)),
        "NOT (NOT (a = 1 AND hidden = 1))": negated(negated(joined("AND", a, unknown))),
        "NOT (a = 1 OR (s = 'x' AND hidden = 1))": negated(
            joined("OR", a, joined("AND", s, unknown))
        ),
        "(a = 1 AND hidden = 1) OR s = 'x'": joined("OR", joined("AND", a, unknown), s),
        "(a = 1 AND hidden = 1) IS NULL": operator("OPERATOR_IS_NULL", joined("AND", a, unknown)),
    }
    found = parse_filters(document(by_sql[sql], names=NAMES), SEEN.schema)
    assert not found.exact
    assert found.dropped == ("the column `hidden`, which is not the table's",)
    assert kept(found, SEEN) == answer(reduced, TABLE)[0]

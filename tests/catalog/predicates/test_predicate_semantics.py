from __future__ import annotations

import math
from collections.abc import Sequence

import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Array
from lakeport.catalog.predicates import (
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
    bind,
    columns_of,
    describe,
    evaluate,
    keep,
)
from lakeport.catalog.predicates.constants import PlainValue, array_of, scalar_of
from lakeport.catalog.predicates.kinds import HUGEINT, UHUGEINT
from tests.oracle import answers
from tests.random_predicates import comparable, constants, random_leaf, random_predicate
from tests.strategies import ENCODED, LEAVES, random_schema, random_table, seeded

ORDERED = [leaf for leaf in (*LEAVES, *ENCODED) if comparable(pa.schema([pa.field("x", leaf)]))]


def column(values: Sequence[PlainValue], data_type: pa.DataType) -> pa.RecordBatch:
    return pa.record_batch([array_of(values, data_type)], ["x"])


def outcome(predicate: Predicate, batch: pa.RecordBatch) -> list[bool | None]:
    return evaluate(bind(predicate, batch.schema), batch).to_pylist()


def judged(predicates: list[Predicate], table: pa.Table) -> int:
    """Each predicate's outcome is DuckDB's; how many were compared."""
    bound = [bind(predicate, table.schema) for predicate in predicates]
    expected = answers(table, [describe(predicate) for predicate in bound])
    batches = table.to_batches()
    for predicate, wanted in zip(bound, expected, strict=True):
        found: list[bool | None] = []
        for batch in batches:
            found += evaluate(predicate, batch).to_pylist()
        assert found == wanted.to_pylist(), describe(predicate)
    return len(bound)


# -- against DuckDB ------------------------------------------------------------------------------


@pytest.mark.parametrize("data_type", ORDERED, ids=str)
def test_every_operator_on_every_type_agrees_with_duckdb(data_type: pa.DataType) -> None:
    rng = seeded(1)
    field = pa.field("x", data_type)
    table = random_table(rng, pa.schema([field]), 40)
    known = constants(rng, table, field)
    compared: list[Predicate] = [
        Compare("x", op, value) for op in Op for value in rng.sample(known, 3)
    ]
    leaves = [random_leaf(rng, field, known) for _ in range(16)]
    assert judged(compared + leaves + [Not(leaf) for leaf in leaves[:4]], table) == 44


@pytest.mark.parametrize("seed", range(50))
def test_nested_predicates_on_generated_tables_agree_with_duckdb(seed: int) -> None:
    rng = seeded(seed)
    table = random_table(rng, random_schema(rng, 5, depth=1), 30)
    assert judged([random_predicate(rng, table, depth=3) for _ in range(20)], table) == 20


# -- the rules that are easy to get wrong --------------------------------------------------------


def test_nan_equals_itself_and_is_above_everything() -> None:
    floats = column([1.0, math.inf, math.nan, None], pa.float64())
    nan = pa.scalar(math.nan)
    assert outcome(Compare("x", Op.EQ, nan), floats) == [False, False, True, None]
    assert outcome(Compare("x", Op.LT, nan), floats) == [True, True, False, None]
    assert outcome(Compare("x", Op.LE, nan), floats) == [True, True, True, None]
    assert outcome(Compare("x", Op.GT, nan), floats) == [False, False, False, None]
    assert outcome(Compare("x", Op.GT, pa.scalar(math.inf)), floats) == [False, False, True, None]
    assert outcome(IsIn("x", pa.array([math.nan])), floats) == [False, False, True, None]


def test_both_zeros_are_one_number() -> None:
    zeros = column([0.0, -0.0, 1.0], pa.float64())
    for zero in (0.0, -0.0):
        assert outcome(Compare("x", Op.EQ, pa.scalar(zero)), zeros) == [True, True, False]
        assert outcome(IsIn("x", pa.array([zero, 7.0])), zeros) == [True, True, False]
        assert outcome(Compare("x", Op.LT, pa.scalar(zero)), zeros) == [False, False, False]


def test_texts_are_ordered_by_their_bytes() -> None:
    # In UTF-16 the emoji would come first.
    texts = column(["\uffff", "\U0001f600", "Z", "a"], pa.string())
    assert outcome(Compare("x", Op.LT, pa.scalar("\U0001f600")), texts) == [True, False, True, True]
    assert outcome(Compare("x", Op.LT, pa.scalar("a")), texts) == [False, False, True, False]


@pytest.mark.parametrize("data_type", [HUGEINT, UHUGEINT], ids=["hugeint", "uhugeint"])
def test_wide_integers_are_numbers_not_bytes(data_type: pa.DataType) -> None:
    top = 2**127 - 1 if data_type == HUGEINT else 2**128 - 1
    wide = column([256, 1, top, 0], data_type)
    assert outcome(Compare("x", Op.GT, pa.scalar(1)), wide) == [True, False, True, False]
    assert outcome(IsIn("x", array_of([top], data_type)), wide) == [False, False, True, False]
    assert outcome(Compare("x", Op.LT, scalar_of(top, data_type)), wide) == [
        True,
        True,
        False,
        True,
    ]


def test_infinite_dates_come_first_and_last() -> None:
    infinity = 2**31 - 1
    dates = column([-infinity, 0, infinity], pa.date32())
    assert outcome(Compare("x", Op.GT, scalar_of(10, pa.date32())), dates) == [False, False, True]
    assert outcome(Compare("x", Op.LT, scalar_of(-10, pa.date32())), dates) == [True, False, False]


def test_a_null_in_the_list_makes_every_miss_null() -> None:
    numbers = column([1, 2, None], pa.int64())
    assert outcome(IsIn("x", pa.array([1, None])), numbers) == [True, None, None]
    assert outcome(Not(IsIn("x", pa.array([1, None]))), numbers) == [False, None, None]
    assert outcome(IsIn("x", pa.array([1])), numbers) == [True, False, None]


def test_nothing_is_in_an_empty_list() -> None:
    numbers = column([1, None], pa.int64())
    assert outcome(IsIn("x", pa.array([], pa.int64())), numbers) == [False, False]


def test_distinctness_knows_null() -> None:
    numbers = column([1, 2, None], pa.int64())
    one, null = pa.scalar(1), pa.scalar(None, pa.int64())
    assert outcome(Compare("x", Op.DISTINCT, one), numbers) == [False, True, True]
    assert outcome(Compare("x", Op.NOT_DISTINCT, one), numbers) == [True, False, False]
    assert outcome(Compare("x", Op.DISTINCT, null), numbers) == [True, True, False]
    assert outcome(Compare("x", Op.EQ, null), numbers) == [None, None, None]


def test_a_dictionary_is_compared_by_its_values() -> None:
    codes = pa.array([0, 1, None, 2], pa.int8())
    words: Array = pa.array(["b", "a", None])
    batch = pa.record_batch([pa.DictionaryArray.from_arrays(codes, words)], ["x"])
    assert outcome(Compare("x", Op.LT, pa.scalar("b")), batch) == [False, True, None, None]
    assert outcome(Compare("x", Op.DISTINCT, pa.scalar("b")), batch) == [False, True, True, True]
    assert outcome(IsNull("x"), batch) == [False, False, True, True]
    assert outcome(StartsWith("x", "a"), batch) == [False, True, None, None]


def test_runs_are_compared_by_their_values() -> None:
    ends, words = pa.array([2, 3, 4], pa.int32()), pa.array(["b", None, "a"])
    batch = pa.record_batch([pa.RunEndEncodedArray.from_arrays(ends, words)], ["x"]).slice(1)
    assert outcome(Compare("x", Op.LT, pa.scalar("b")), batch) == [False, None, True]
    assert outcome(IsNull("x"), batch) == [False, True, False]


def test_and_or_not_are_three_valued() -> None:
    batch = column([None], pa.int64())
    null, yes, no = Always(None), Always(value=True), Always(value=False)
    table: list[tuple[Predicate, bool | None]] = [
        (And((null, yes)), None),
        (And((null, no)), False),
        (Or((null, yes)), True),
        (Or((null, no)), None),
        (Not(null), None),
        (And(()), True),
        (Or(()), False),
    ]
    for predicate, expected in table:
        assert outcome(predicate, batch) == [expected]


def test_ranges_may_leave_out_either_end() -> None:
    numbers = column([1, 2, 3], pa.int64())
    low, high = pa.scalar(1), pa.scalar(3)
    assert outcome(Between("x", low, high), numbers) == [True, True, True]
    assert outcome(Between("x", low, high, low_inclusive=False), numbers) == [False, True, True]
    assert outcome(Between("x", low, high, high_inclusive=False), numbers) == [True, True, False]


def test_a_prefix_is_literal() -> None:
    texts = column(["a%b", "axb", None], pa.string_view())
    assert outcome(StartsWith("x", "a%"), texts) == [True, False, None]


def test_keep_takes_the_rows_that_are_true() -> None:
    batch = pa.record_batch(
        [pa.array([1, None, 3]), pa.array(["a", "b", "c"], pa.string_view())], ["x", "y"]
    )
    kept = keep(bind(Compare("x", Op.GT, pa.scalar(0)), batch.schema), batch)
    assert kept.to_pydict() == {"x": [1, 3], "y": ["a", "c"]}


def test_columns_of_names_each_column_once() -> None:
    predicate = Or((IsNull("a"), Not(And((StartsWith("b", "x"), IsNull("a"), Always(None))))))
    assert columns_of(predicate) == {"a", "b"}

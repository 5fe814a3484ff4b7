"""Expressions mean what DuckDB means by them: generated and recorded ones against plain DuckDB."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from lakeport.catalog.expressions import (
    evaluate,
    keep,
    parse_expression,
    rename_column,
    result_type,
)
from lakeport.catalog.expressions.slices import measured
from lakeport.core.errors import InvalidRequestError, LimitError
from tests.catalog.expressions.random_expressions import Grammar, table
from tests.seeds import few_of
from tests.strategies import seeded

_RECORDED = Path(__file__).with_name("recorded.jsonl")


@pytest.fixture(scope="module")
def plain() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1, "arrow_lossless_conversion": "true"}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def _as_text(
    connection: duckdb.DuckDBPyConnection, values: pa.Array[pa.Scalar[pa.DataType]]
) -> object:
    connection.register("answer", pa.table({"x": values}))
    return connection.execute("SELECT x::VARCHAR FROM answer").fetchall()


@pytest.mark.parametrize("seed", few_of(range(4), 2))
def test_generated_expressions_agree_with_plain_duckdb(
    seed: int, plain: duckdb.DuckDBPyConnection
) -> None:
    rng = seeded(seed)
    rows = table(rng, 40)
    plain.register("given", pa.Table.from_batches([rows]))
    plain.execute("CREATE OR REPLACE TEMP TABLE judged AS FROM given")
    grammar = Grammar(rng)
    outcomes: Counter[str] = Counter()
    for number, text in enumerate(dict.fromkeys(grammar.any() for _ in range(160))):
        try:
            expected = plain.execute(f"SELECT ({text})::VARCHAR FROM judged").fetchall()
        except duckdb.Error:
            with pytest.raises(InvalidRequestError):
                evaluate(parse_expression(text, rows.schema), rows)
            outcomes["refused by both"] += 1
            continue
        expression = parse_expression(text, rows.schema)
        values = evaluate(expression, rows)
        assert _as_text(plain, values) == expected, text
        bound = expression.growth.result
        read = measured(rows.select(sorted(expression.columns)))
        assert values.nbytes <= bound.factor * read + bound.constant * rows.num_rows, text
        if number % 4 == 0:
            assert values.type == result_type(expression, rows.schema), text
            assert parse_expression(expression.sql, rows.schema) == expression, text
        outcomes["equal"] += 1
    assert outcomes["equal"] >= 125, outcomes


def _recorded() -> list[tuple[str, dict[str, str]]]:
    lines = _RECORDED.read_text(encoding="utf-8").splitlines()
    return [(line["condition"], line["columns"]) for line in map(json.loads, lines)]


def test_recorded_conditions_of_the_real_client_evaluate(plain: duckdb.DuckDBPyConnection) -> None:
    refused: Counter[str] = Counter()
    evaluated = 0
    for condition, columns in _recorded():
        wanted = (
            ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in columns.items()) or "1 AS one"
        )
        rows = plain.execute(f"SELECT {wanted} FROM range(3)").to_arrow_table().combine_chunks()
        try:
            expression = parse_expression(condition, rows.schema)
        except (InvalidRequestError, LimitError) as error:
            refused[
                error.message.split("`")[0].strip() or error.message.split("`")[-1].strip()
            ] += 1
            continue
        kept = keep(expression, rows.to_batches()[0])
        expected = plain.execute(
            f"SELECT count(*) FROM (SELECT {wanted} FROM range(3)) WHERE {condition}"
        ).fetchone()
        assert (kept.num_rows,) == expected, condition
        evaluated += 1
    assert evaluated == 450
    assert refused == {
        "gives another answer each time it is asked": 7,
        "is allowed with 2 arguments, not 1": 1,
        "a subquery cannot be part of an expression": 11,
        "the function": 7,  # three lambdas, and repeat, lpad, printf, format
        "functions are called by their bare name, not as": 1,
    }


def test_false_and_null_both_drop_a_row() -> None:
    rows = pa.RecordBatch.from_pydict({"v": [1, None, 3]})
    assert keep(parse_expression("v > 2", rows.schema), rows).to_pydict() == {"v": [3]}
    assert keep(parse_expression("NOT v > 2", rows.schema), rows).to_pydict() == {"v": [1]}


def test_an_expression_without_columns_has_a_value_for_each_row() -> None:
    rows = pa.RecordBatch.from_pydict({"v": [1, 2, 3]})
    assert evaluate(parse_expression("40 + 2", rows.schema), rows).tolist() == [42, 42, 42]


def test_only_the_columns_it_mentions_are_read() -> None:
    rows = pa.RecordBatch.from_arrays(
        [pa.array([1]), pa.nulls(1, pa.decimal256(50, 0))], ["v", "w"]
    )
    assert evaluate(parse_expression("V + 1", rows.schema), rows).tolist() == [2]


def test_columns_are_found_in_any_spelling_and_written_in_the_tables_own() -> None:
    schema = pa.schema([pa.field("Straße Nr", pa.int64())])
    expression = parse_expression('"STRASSE NR" + 1', schema)
    assert expression.columns == {"Straße Nr"}
    assert expression.sql == '("Straße Nr" + 1)'


def test_unknown_columns_are_refused_with_the_nearest_one() -> None:
    with pytest.raises(InvalidRequestError, match="no column `prize`") as refused:
        parse_expression("prize > 1", pa.schema([pa.field("price", pa.int64())]))
    assert "did you mean `price`?" in (refused.value.hint or "")


def test_wrong_types_are_refused_in_duckdbs_own_words() -> None:
    with pytest.raises(
        InvalidRequestError, match=r"No function matches .* '\+\(VARCHAR, INTEGER_LITERAL\)'"
    ):
        parse_expression("v + 1", pa.schema([pa.field("v", pa.string())]))


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("price > 0", "(paid > 0)"),
        ('"PRICE" + s.price', "(paid + s.price)"),
        ("price.amount = 1", "(paid.amount = 1)"),
        ("'price' = name", "('price' = \"name\")"),
    ],
)
def test_a_renamed_column_keeps_its_expressions(text: str, renamed: str) -> None:
    assert rename_column(text, "Price", "paid") == renamed


def test_a_new_name_is_quoted_where_it_must_be() -> None:
    assert rename_column("a + b", "a", 'my "col"') == '("my ""col""" + b)'

"""What is split off a condition to prune with: true wherever the condition is, and the same where exact."""

from __future__ import annotations

from itertools import pairwise, product

import pyarrow as pa
import pytest

from lakeport.catalog.conditions import accepted
from lakeport.catalog.expressions import evaluate, narrow, parse_expression
from lakeport.catalog.predicates import bind, describe
from lakeport.catalog.predicates import evaluate as evaluate_predicate
from lakeport.core.errors import InvalidRequestError, LakeportError
from tests.arrow_rows import random_array
from tests.behaviours.lake import schema_of
from tests.behaviours.random_conditions import SCHEMA, random_condition, random_rows
from tests.oracle import answers_if_any
from tests.random_predicates import random_predicate
from tests.seeds import few_of
from tests.strategies import random_schema, random_table, seeded

COLUMNS = schema_of(
    k=pa.int64(),
    small=pa.int8(),
    big=pa.uint64(),
    f=pa.float64(),
    g=pa.float32(),
    money=pa.decimal128(9, 2),
    name=pa.string(),
    colour=pa.dictionary(pa.int32(), pa.string()),
    day=pa.date32(),
    ts=pa.timestamp("us"),
    seconds=pa.timestamp("s"),
    moment=pa.timestamp("us", "UTC"),
    clock=pa.time64("us"),
    flag=pa.bool_(),
    id=pa.uuid(),
    raw=pa.binary(),
)


def described(sql: str) -> tuple[str | None, bool]:
    """The predicate as SQL, and whether it says it all."""
    found = narrow(sql, COLUMNS)
    shown = None if found.predicate is None else describe(found.predicate)
    return shown, found.expression is None


@pytest.mark.parametrize(
    ("sql", "predicate"),
    [
        ("k = 5", "\"k\" = '5'::BIGINT"),
        ("5 < K", "\"k\" > '5'::BIGINT"),
        ("k IN (1, NULL)", "\"k\" IN ('1'::BIGINT, NULL)"),
        ("k BETWEEN 1 AND 3", "\"k\" BETWEEN '1'::BIGINT AND '3'::BIGINT"),
        ("day > '2024-01-15'", "\"day\" > '2024-01-15'::DATE"),
        ("moment >= '2024-01-15 10:00:00'", "\"moment\" >= '2024-01-15 10:00:00+00'::TIMESTAMPTZ"),
        ("f < 0.5", "\"f\" < '0.5'::DOUBLE"),
        ("name LIKE 'ab%'", "starts_with(\"name\", 'ab')"),
        ("name NOT LIKE 'ab%'", "(NOT starts_with(\"name\", 'ab'))"),
        ("starts_with(name, 'ab')", "starts_with(\"name\", 'ab')"),
        ("flag", '"flag" = TRUE'),
        ("NOT (k = 1 OR name IS NULL)", '(NOT ("k" = \'1\'::BIGINT OR "name" IS NULL))'),
        ("1 = 0", "FALSE"),
    ],
)
def test_a_comparison_with_a_constant_is_a_predicate(sql: str, predicate: str) -> None:
    assert described(sql) == (predicate, True)


@pytest.mark.parametrize(
    ("sql", "predicate"),
    [
        ("k = 5 AND lower(name) = 'ada'", "(\"k\" = '5'::BIGINT)"),
        ("name LIKE 'a%b'", "starts_with(\"name\", 'a')"),
        ("(k > 1 AND k + 1 > 2) OR k IS NULL", '(("k" > \'1\'::BIGINT) OR "k" IS NULL)'),
    ],
)
def test_what_is_left_over_stays_an_expression(sql: str, predicate: str) -> None:
    assert described(sql) == (predicate, False)


@pytest.mark.parametrize(
    "sql",
    ["k = 5 OR lower(name) = 'ada'", "NOT (k = 5 AND lower(name) = 'ada')", "k + 1 = 5", "k = f"],
)
def test_half_an_or_would_lose_rows(sql: str) -> None:
    assert described(sql) == (None, False)


def test_what_is_no_condition_is_refused_before_anything_is_read() -> None:
    with pytest.raises(InvalidRequestError, match="is no condition"):
        narrow("k + 1", COLUMNS)


def check(sql: str, batch: pa.RecordBatch, truth: pa.BooleanArray) -> None:
    condition = narrow(sql, batch.schema)
    mask = accepted(condition.predicate, condition.expression, batch)
    wanted = [value is True for value in truth.to_pylist()]
    assert mask is not None
    assert [value is True for value in mask.to_pylist()] == wanted, sql
    if condition.predicate is not None:
        kept = evaluate_predicate(condition.predicate, batch).to_pylist()
        lost = [row for row, value in enumerate(wanted) if value and kept[row] is not True]
        assert not lost, f"{sql} would be pruned away"


CONSTANTS = (
    *("5", "-1", "0.5", "0.1", "1e0", "300", "1e300", "NULL", "'5'", "'nan'::DOUBLE"),
    *("'2024-01-15'", "DATE '2024-01-15'", "TIMESTAMP '2024-01-15 10:00:00.5'", "'10:00:00'"),
    *("TIMESTAMPTZ '2024-01-15 10:00:00+02'", "true", "'a'", "'ab'::BLOB", "''"),
    "'61616161-6161-6161-6161-616161616161'",
)


@pytest.mark.parametrize("place", range(len(COLUMNS)))
def test_constants_of_any_type_mean_what_duckdb_makes_of_them(place: int) -> None:
    rng, column = seeded(place), COLUMNS.names[place]
    batch = pa.RecordBatch.from_arrays(
        [random_array(rng, field.type, 24) for field in COLUMNS], schema=COLUMNS
    )
    conditions = [
        *(f"{column} {op} {value}" for op, value in product(("=", "<"), CONSTANTS)),
        *(f"{one} <= {column}" for one in CONSTANTS[::3]),
        *(f"{column} IN ({one}, {other})" for one, other in pairwise(CONSTANTS)),
    ]
    asked = 0
    for sql, truth in zip(
        conditions, answers_if_any(pa.Table.from_batches([batch]), conditions), strict=True
    ):
        try:
            evaluate(parse_expression(sql, batch.schema), batch)
        except LakeportError:
            continue  # a value that no cast can read, which a cleverer plan never meets
        if truth is not None:
            check(sql, batch, truth)
            asked += 1
    assert asked >= 4


@pytest.mark.parametrize("seed", few_of(range(6), 3))
def test_generated_predicates_come_back_from_their_sql(seed: int) -> None:
    rng = seeded(seed)
    table = random_table(rng, random_schema(rng), 30)
    batch = table.combine_chunks().to_batches()[0]
    for _ in range(15):
        predicate = bind(random_predicate(rng, table), table.schema)
        check(describe(predicate), batch, evaluate_predicate(predicate, batch))


@pytest.mark.parametrize("seed", few_of(range(6), 3))
def test_generated_conditions_keep_their_meaning(seed: int) -> None:
    rng = seeded(seed)
    batch = random_rows(rng, 40).combine_chunks().to_batches()[0]
    for _ in range(20):
        sql = random_condition(rng)
        try:
            truth = evaluate(parse_expression(sql, SCHEMA), batch)
        except LakeportError:
            continue  # DuckDB computes an overflow, or refuses the text
        assert isinstance(truth, pa.BooleanArray)
        check(sql, batch, truth)

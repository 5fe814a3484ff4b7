"""Generated conditions as scans, judged by plain DuckDB SQL over the same rows.

1,500 pruning predicates over tables of all types, and 600 expressions over one schema.
"""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.expressions import parse_expression
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.predicates import bind, describe
from tests.behaviours.exact import POSITION, numbered
from tests.behaviours.lake import Lake, Subject, values
from tests.behaviours.random_conditions import random_condition, random_rows
from tests.behaviours.test_reading_types import mixed_schema
from tests.oracle import answers, answers_if_any
from tests.random_predicates import random_predicate
from tests.strategies import random_table, seeded

PREDICATE_TABLES, PREDICATES_EACH = 60, 25
EXPRESSION_TABLES, EXPRESSIONS_EACH = 15, 40


def test_there_are_enough_conditions() -> None:
    predicates = PREDICATE_TABLES * PREDICATES_EACH
    assert predicates >= 1_000
    assert predicates + EXPRESSION_TABLES * EXPRESSIONS_EACH >= 2_000


def kept(subject: Subject, request: ScanRequest) -> list[int]:
    return sorted(values(subject.read(request), POSITION))


def true_rows(outcome: pa.BooleanArray) -> list[int]:
    return [at for at, value in enumerate(outcome.to_pylist()) if value]


@pytest.mark.parametrize("seed", range(PREDICATE_TABLES))
def test_predicates_keep_the_rows_that_duckdb_keeps(lake: Lake, seed: int) -> None:
    rng = seeded(seed)
    schema = mixed_schema(rng, 5)
    table = numbered(random_table(rng, schema, 150))
    subject = lake.seed(table.schema, table.slice(0, 70), table.slice(70))
    predicates = [random_predicate(rng, table) for _ in range(PREDICATES_EACH)]
    texts = [describe(bind(predicate, table.schema)) for predicate in predicates]
    expected = answers(table, texts)
    for predicate, text, outcome in zip(predicates, texts, expected, strict=True):
        request = ScanRequest(columns=(POSITION,), predicate=predicate)
        assert kept(subject, request) == true_rows(outcome), text


@pytest.mark.parametrize("seed", range(EXPRESSION_TABLES))
def test_expressions_keep_the_rows_that_duckdb_keeps(lake: Lake, seed: int) -> None:
    rng = seeded(10_000 + seed)
    table = numbered(random_rows(rng, 60))
    subject = lake.seed(table.schema, table.slice(0, 20), table.slice(20))
    texts = [random_condition(rng) for _ in range(EXPRESSIONS_EACH)]
    for text, outcome in zip(texts, answers_if_any(table, texts), strict=True):
        assert outcome is not None, f"DuckDB itself refuses {text}"
        expression = parse_expression(text, table.schema)
        request = ScanRequest(columns=(POSITION,), expression=expression)
        assert kept(subject, request) == true_rows(outcome), text


@pytest.mark.parametrize("seed", range(10))
def test_both_kinds_together_keep_what_both_keep(lake: Lake, seed: int) -> None:
    rng = seeded(20_000 + seed)
    table = numbered(random_rows(rng, 100))
    subject = lake.seed(table.schema, table)
    predicate = random_predicate(rng, table)
    text = random_condition(rng)
    first, second = answers(table, [describe(bind(predicate, table.schema)), text])
    request = ScanRequest(
        columns=(POSITION,),
        predicate=predicate,
        expression=parse_expression(text, table.schema),
    )
    assert kept(subject, request) == sorted(set(true_rows(first)) & set(true_rows(second)))

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.predicates import Compare, IsIn, Op, bind, describe, evaluate
from lakeport.catalog.predicates.constants import array_of, plain_value, plain_values
from lakeport.catalog.predicates.kinds import Kind, kind_of
from lakeport.catalog.predicates.literals import literal
from lakeport.core.errors import UnsupportedError
from tests.arrow_rows import random_array
from tests.oracle import answers, answers_if_any
from tests.strategies import EXTENSIONS, PLAIN, VARIANTS, random_table, seeded

ORDERED = [
    leaf for leaf in (*PLAIN, *EXTENSIONS, *VARIANTS) if kind_of(leaf) not in {None, Kind.NULL}
]
_NUMERIC = {Kind.NUMBER, Kind.FLOAT}


def related(data_type: pa.DataType) -> list[pa.DataType]:
    """The other types whose constants may be compared with such a column."""
    kind = kind_of(data_type)
    kinds = _NUMERIC if kind in _NUMERIC else {kind}
    return [other for other in ORDERED if other != data_type and kind_of(other) in kinds]


@pytest.mark.parametrize("data_type", [leaf for leaf in ORDERED if related(leaf)], ids=str)
def test_constants_of_related_types_compare_as_duckdb_compares_them(
    data_type: pa.DataType,
) -> None:
    rng = seeded(3)
    table = random_table(rng, pa.schema([pa.field("x", data_type)]), 25)
    found: list[tuple[Compare, str]] = []
    for other in related(data_type):
        for value in random_array(rng, other, 3, nullable=False):
            condition = Compare("x", rng.choice(list(Op)), value)
            found.append((condition, f'"x" {condition.op.value} {literal(value)}'))
    expected = answers_if_any(table, [text for _, text in found])
    batch = table.combine_chunks().to_batches()[0]
    agreed = 0
    for (condition, text), wanted in zip(found, expected, strict=True):
        try:
            bound = bind(condition, table.schema)
        except UnsupportedError:
            continue
        if wanted is not None:
            assert evaluate(bound, batch).to_pylist() == wanted.to_pylist(), (
                f"{text} as {describe(bound)}"
            )
            agreed += 1
    # DuckDB refuses some pairs itself: TIME_NS with TIME, JSON with a text that is none.
    assert agreed or all(wanted is None for wanted in expected)


@pytest.mark.parametrize("data_type", ORDERED, ids=str)
def test_literals_are_the_very_values(data_type: pa.DataType) -> None:
    values = random_array(seeded(5), data_type, 30, nullable=False)
    table = pa.table({f"v{at}": values.slice(at, 1) for at in range(len(values))})
    texts = [f'"v{at}" = {literal(value)}' for at, value in enumerate(values)]
    assert [answer[0].as_py() for answer in answers(table, texts)] == [True] * len(values)


@pytest.mark.parametrize("data_type", ORDERED, ids=str)
def test_plain_values_lose_nothing(data_type: pa.DataType) -> None:
    values = random_array(seeded(5), data_type, 30)
    again = array_of(plain_values(values), data_type)
    assert again.type == data_type
    assert [repr(plain_value(value)) for value in again] == [
        repr(plain_value(value)) for value in values
    ]
    again.validate(full=True)


def test_long_lists_of_the_columns_own_type_are_taken_as_they_are() -> None:
    values = pa.array(range(100_000))
    bound = bind(IsIn("x", values), pa.schema([pa.field("x", pa.int64())]))
    assert isinstance(bound, IsIn)
    assert bound.values is values

"""Random predicates over a table's columns, with constants that its rows are likely to meet.

Every operator, list, range, null test and prefix, nested in AND, OR and NOT; constants come from the
rows themselves, from the edges of the type, and now and then from a neighbouring type.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pyarrow as pa

from lakeport.catalog.arrow import Array, Field, Scalar
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
)
from lakeport.catalog.predicates.constants import array_of, plain_value, scalar_of
from lakeport.catalog.predicates.kinds import (
    Kind,
    constant_type,
    is_zoned_nanoseconds,
    kind_of_field,
)
from lakeport.catalog.predicates.ordering import key
from tests.arrow_rows import random_array

_OPERATORS = tuple(Op)


def comparable(schema: pa.Schema) -> list[Field]:
    """The columns that predicates can compare; of the others they can only ask for NULL."""
    return [field for field in schema if kind_of_field(field) not in {None, Kind.NULL}]


def random_predicate(rng: random.Random, table: pa.Table, depth: int = 2) -> Predicate:
    if depth and rng.random() < 0.45:
        parts = tuple(random_predicate(rng, table, depth - 1) for _ in range(rng.randint(1, 3)))
        joined: list[Predicate] = [And(parts), Or(parts), Not(parts[0])]
        return rng.choice(joined)
    fields = comparable(table.schema)
    if not fields or rng.random() < 0.1:
        name = rng.choice(table.schema.names)
        outcome = rng.choice((True, False, None))
        tests: list[Predicate] = [IsNull(name), Not(IsNull(name)), Always(outcome)]
        return rng.choice(tests)
    field = rng.choice(fields)
    return random_leaf(rng, field, constants(rng, table, field))


def random_leaf(rng: random.Random, field: Field, known: Sequence[Scalar]) -> Predicate:
    name = field.name
    roll = rng.random()
    if roll < 0.2:
        return IsIn(name, _listed(rng.choices(known, k=rng.randint(1, 5))))
    if roll < 0.35:
        low, high = rng.choice(known), rng.choice(known)
        return Between(name, low, high, rng.random() < 0.6, rng.random() < 0.6)
    if roll < 0.45 and kind_of_field(field) is Kind.TEXT:
        text = rng.choice([value.as_py() for value in known if value.is_valid] or ["a"])
        return StartsWith(name, text[: rng.randint(0, 3)])
    return Compare(name, rng.choice(_OPERATORS), rng.choice(known))


def constants(rng: random.Random, table: pa.Table, field: Field) -> list[Scalar]:
    """Values of the column, of its type in general, and NULL once in a while."""
    data_type = constant_type(field.type)
    found = list(random_array(rng, data_type, 6, nullable=rng.random() < 0.2))
    column = table.column(field.name)
    if len(column):
        found += [column[rng.randrange(len(column))] for _ in range(6)]
    # DuckDB shows zoned times to the microsecond, whatever the column holds.
    seen = [key(value) if is_zoned_nanoseconds(value.type) else value for value in found]
    return [scalar_of(plain_value(value), data_type) for value in seen]


def _listed(values: Sequence[Scalar]) -> Array:
    return array_of([plain_value(value) for value in values], values[0].type)

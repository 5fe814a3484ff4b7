from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from lakeport.catalog.definition import PrimaryKey, Unique
from lakeport.catalog.rows.keys import KeyGuard
from lakeport.core.errors import KeyViolationError, PreconditionError
from tests.arrow_rows import random_array
from tests.arrow_values import HUGEINT
from tests.catalog.tables import columns, rows
from tests.seeds import few_of
from tests.strategies import seeded

PAIRS = columns(a=pa.int64(), b=pa.string(), other=pa.float64())
BOTH = Unique(("A", "b"), "pair")


def guard(*values: tuple[Any, ...], size: int = 2) -> KeyGuard:
    """A guard that was given these rows in batches of `size`."""
    made = KeyGuard(BOTH, PAIRS)
    batch = rows(PAIRS, *((*row, 0.0) for row in values))
    for start in range(0, len(values), size):
        made.add(batch.slice(start, size))
    return made


def test_different_keys_pass() -> None:
    guard((1, "x"), (1, "y"), (2, "x")).check_repeats()


def test_a_key_given_twice_is_refused_with_a_sample() -> None:
    with pytest.raises(KeyViolationError) as refused:
        guard((1, "x"), (2, "y"), (3, "z"), (1, "x"), (1, "x")).check_repeats()
    assert refused.value.details == {"constraint": "pair", "sample": "a = 1, b = 'x'"}


def test_a_null_in_a_key_never_collides() -> None:
    made = guard((1, None), (1, None), (None, None))
    made.check_repeats()
    made.check_against([rows(PAIRS, (1, None, 0.0), (None, "x", 0.0))])


def test_a_key_of_a_row_that_stays_is_refused() -> None:
    made = guard((1, "x"), (2, "y"))
    stays = rows(PAIRS, (1, "y", 0.0), (2, "x", 0.0), (2, "y", 0.0))
    made.check_against([stays.slice(0, 2)])
    with pytest.raises(KeyViolationError, match=r"exist already: a = 2, b = 'y'$"):
        made.check_against([stays.slice(0, 2), stays.slice(2)])


def test_rows_may_be_added_after_a_check() -> None:
    made = guard((1, "x"))
    made.check_against([rows(PAIRS, (2, "y", 0.0))])
    made.add(rows(PAIRS, (2, "y", 0.0)))
    with pytest.raises(KeyViolationError):
        made.check_against([rows(PAIRS, (2, "y", 0.0))])


def test_no_rows_collide_with_nothing() -> None:
    made = guard()
    made.check_repeats()
    made.check_against([rows(PAIRS, (1, "x", 0.0))])
    made.check_against([])


def test_a_primary_key_says_so() -> None:
    made = KeyGuard(PrimaryKey(("a",)), PAIRS)
    made.add(rows(PAIRS, (1, "x", 0.0), (1, "y", 0.0)))
    with pytest.raises(KeyViolationError, match=r"^PRIMARY KEY \(a\)"):
        made.check_repeats()


def test_the_new_keys_can_be_looked_at() -> None:
    assert guard((1, "x"), (2, None)).keys.to_pylist() == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]


def test_a_column_may_be_called_like_anything() -> None:
    schema = columns(row=pa.int8(), count_all=pa.int8())
    made = KeyGuard(Unique(("row", "count_all"), "u"), schema)
    made.add(rows(schema, (1, 1), (1, 2)))
    made.check_repeats()


@pytest.mark.parametrize(
    ("data_type", "same"),
    [
        (pa.float64(), [float("nan"), -float("nan")]),
        (pa.float32(), [0.0, -0.0]),
        (pa.decimal128(9, 2), [Decimal("1.5"), Decimal("1.50")]),
        (pa.string_view(), ["a", "a"]),
        (pa.binary(), [b"", b""]),
        (pa.bool_(), [False, False]),
        (pa.timestamp("us", "UTC"), [5, 5]),
    ],
    ids=str,
)
def test_equal_values_are_one_key(data_type: pa.DataType, same: list[Any]) -> None:
    schema = columns(k=data_type)
    made = KeyGuard(Unique(("k",), "u"), schema)
    made.add(rows(schema, (same[0],)))
    with pytest.raises(KeyViolationError):
        made.check_against([rows(schema, (same[1],))])
    made.add(rows(schema, (same[1],)))
    with pytest.raises(KeyViolationError):
        made.check_repeats()


_KEYS: list[pa.DataType] = [
    pa.int8(),
    pa.uint64(),
    pa.float64(),
    pa.decimal128(18, 18),
    pa.string(),
    pa.binary(),
    pa.date32(),
    pa.timestamp("us"),
    pa.time64("us"),
    pa.bool_(),
    pa.uuid(),
    HUGEINT,
]


@pytest.mark.parametrize("seed", few_of(range(80), 40))
def test_keys_collide_as_in_duckdb(seed: int) -> None:
    rng = seeded(seed)
    types = [rng.choice(_KEYS) for _ in range(rng.randint(1, 3))]
    schema = columns(**{f"k{at}": kind for at, kind in enumerate(types)})
    batch = _batch(rng, schema, rng.randint(1, 6))
    stays = _batch(rng, schema, rng.randint(0, 4))
    made = KeyGuard(Unique(tuple(schema.names), "u"), schema)
    made.add(batch)
    names = ", ".join(schema.names)
    with duckdb.connect() as connection:
        for name, given in (("sent", batch), ("stays", stays)):
            # Copied: a join over Arrow pushes its bounds into pyarrow, which cannot take them all.
            connection.register("given", pa.Table.from_batches([given]))
            connection.execute(f"CREATE TABLE {name} AS FROM given")
        matches = connection.sql(f"FROM sent JOIN stays USING ({names})").fetchall()
        assert _passes(lambda: made.check_against([stays])) == (not matches)
        connection.execute("CREATE TABLE t AS FROM sent LIMIT 0")
        connection.execute(f"CREATE UNIQUE INDEX u ON t ({names})")
        assert _passes(made.check_repeats) == _passes(
            lambda: connection.execute("INSERT INTO t FROM sent")
        )


def _batch(rng: random.Random, schema: pa.Schema, count: int) -> pa.RecordBatch:
    arrays = [random_array(rng, field.type, count) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _passes(act: Callable[[], object]) -> bool:
    try:
        act()
    except (KeyViolationError, duckdb.ConstraintException):
        return False
    return True


def test_a_key_whose_column_is_gone_admits_nothing() -> None:
    with pytest.raises(PreconditionError, match="cannot be checked"):
        KeyGuard(Unique(("gone",), "u"), PAIRS)

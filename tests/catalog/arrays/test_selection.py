"""Choosing rows: the same rows as Python would choose, for every type."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.arrays.selection import (
    chosen,
    counting,
    keep_rows,
    take_rows,
    with_columns,
)
from tests.behaviours.exact import assert_same_rows, numbered
from tests.strategies import ENCODED, LEAVES, random_batch, random_schema, seeded

EVERY = [*LEAVES, *ENCODED]


def one_by_one(batch: pa.RecordBatch, positions: list[int]) -> pa.Table:
    """Slices are right for every type; they are only slow."""
    slices = [batch.slice(position, 1) for position in positions]
    return pa.Table.from_batches(slices, batch.schema)


@pytest.mark.parametrize("data_type", EVERY, ids=str)
def test_rows_of_each_type_are_taken_by_position(data_type: pa.DataType) -> None:
    rng = seeded(11)
    batch = random_batch(rng, pa.schema([pa.field("x", data_type)]), 40)
    positions = [rng.randrange(40) for _ in range(25)] + list(range(10, 20))
    found = pa.Table.from_batches([take_rows(batch, pa.array(positions))])
    assert_same_rows(numbered(found), numbered(one_by_one(batch, positions)))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000), keep=st.lists(st.sampled_from([True, False, None]), max_size=30)
)
def test_a_mask_keeps_the_rows_where_it_is_true(seed: int, keep: list[bool | None]) -> None:
    rng = seeded(seed)
    batch = random_batch(rng, random_schema(rng), len(keep))
    found = keep_rows(batch, pa.array(keep, pa.bool_()))
    expected = one_by_one(batch, [at for at, value in enumerate(keep) if value])
    assert_same_rows(numbered(pa.Table.from_batches([found])), numbered(expected))


@pytest.mark.parametrize("data_type", EVERY, ids=str)
def test_a_mask_that_keeps_nearly_all_rows_of_each_type(data_type: pa.DataType) -> None:
    batch = random_batch(seeded(12), pa.schema([pa.field("x", data_type)]), 40)
    gone = {0, 17, 39}
    found = keep_rows(batch, pa.array([None if at in gone else True for at in range(40)]))
    found.validate(full=True)
    expected = one_by_one(batch, [at for at in range(40) if at not in gone])
    assert_same_rows(numbered(pa.Table.from_batches([found])), numbered(expected))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), sizes=st.lists(st.integers(0, 8), max_size=4))
def test_gluing_keeps_all_rows_in_order(seed: int, sizes: list[int]) -> None:
    rng = seeded(seed)
    schema = random_schema(rng)
    batches = [random_batch(rng, schema, size) for size in sizes]
    found = glue_rows(batches, schema)
    found.validate(full=True)
    expected = pa.Table.from_batches(batches, schema)
    assert_same_rows(numbered(pa.Table.from_batches([found])), numbered(expected))


def test_a_batch_without_columns_still_counts_its_rows() -> None:
    empty = with_columns([], pa.schema([]), 7)
    assert empty.num_rows == 7
    assert take_rows(empty, pa.array([1, 2])).num_rows == 2
    assert glue_rows([empty, empty], pa.schema([])).num_rows == 14


def test_positions() -> None:
    assert counting(3, 4).to_pylist() == [3, 4, 5, 6]
    assert counting(3, 0).to_pylist() == []
    assert chosen(pa.array([True, None, False, True])).to_pylist() == [0, 3]

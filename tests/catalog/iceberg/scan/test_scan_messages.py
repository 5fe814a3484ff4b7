"""Sizes of what is sent: glued, sliced, prompt at first, and always the same rows in order."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.iceberg.scan.messages import Found, messages

SCHEMA = pa.schema([("x", pa.int64())])
SIZE = 8_000  # a thousand rows


def found(start: int, count: int, read: int = 10) -> Found:
    return Found(pa.record_batch({"x": pa.array(range(start, start + count), pa.int64())}), read)


def pieces(counts: list[int], read: int = 10) -> Iterator[Found]:
    start = 0
    for count in counts:
        yield found(start, count, read)
        start += count


def sent(counts: list[int], read: int = 10) -> list[int]:
    return [batch.num_rows for batch in messages(pieces(counts, read), SCHEMA, SIZE)]


@settings(derandomize=True, deadline=None, max_examples=100)
@given(
    counts=st.lists(st.sampled_from([0, 0, 1, 7, 400, 600, 1_000, 1_600, 5_000]), max_size=30),
    read=st.sampled_from([1, 1_000, 1 << 20]),
)
def test_all_rows_come_in_order_and_in_good_sizes(counts: list[int], read: int) -> None:
    batches = list(messages(pieces(counts, read), SCHEMA, SIZE))
    rows = [value for batch in batches for value in batch.column(0).to_pylist()]
    assert rows == list(range(sum(counts)))
    assert all(0 < batch.nbytes <= 1.5 * SIZE for batch in batches)


def test_the_first_rows_are_not_held_back() -> None:
    batches = messages(pieces([0, 3, 3, 3]), SCHEMA, SIZE)
    assert next(batches).num_rows == 3
    assert [batch.num_rows for batch in batches] == [6]


def test_few_rows_are_gathered_until_they_are_worth_it() -> None:
    assert sent([1] + [100] * 12) == [1, 500, 500, 200]


def test_few_rows_do_not_wait_for_long() -> None:
    assert sent([1, 1, 1, 1], read=1 << 18) == [1, 1, 1, 1]


def test_a_large_piece_is_sliced_and_pushes_out_what_waits() -> None:
    assert sent([1, 5, 2_100, 4]) == [1, 5, 1_050, 1_050, 4]


def test_rows_without_columns_are_counted() -> None:
    empty = with_columns([], pa.schema([]), 7)
    batches = list(messages([Found(empty, 7)] * 3, pa.schema([]), SIZE))
    assert [batch.num_rows for batch in batches] == [7, 14]

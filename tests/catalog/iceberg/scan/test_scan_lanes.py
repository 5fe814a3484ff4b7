"""Lanes: columns shared out and put together again, whatever the chunks' sizes."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.typedef import Record
from pyiceberg.types import DecimalType, LongType, NestedField, StringType

from lakeport.catalog.iceberg.parts import Chunk, DataFile
from lakeport.catalog.iceberg.scan.lanes import joined, share
from lakeport.core.errors import InternalError
from tests.strategies import seeded

LARGE, SMALL = 100 << 20, 1 << 10


def file(size: int) -> DataFile:
    return DataFile(0, "f", "PARQUET", 1, size, 1, 0, Record())


def fields(count: int) -> list[NestedField]:
    kinds = [LongType(), StringType(), DecimalType(9, 2)]
    return [NestedField(index + 1, f"c{index}", kinds[index % 3]) for index in range(count)]


@pytest.mark.parametrize("count", [1, 2, 3, 16])
@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_each_field_is_in_one_lane(count: int, lanes: int) -> None:
    shared = share(file(LARGE), fields(count), lanes)
    assert len(shared) == min(lanes, count)
    assert sorted(index for lane in shared for index in lane) == list(range(count))
    assert max(map(len, shared)) - min(map(len, shared)) <= 1


def test_a_small_file_is_read_in_one_lane() -> None:
    assert len(share(file(SMALL), fields(16), 4)) == 1


@pytest.mark.parametrize("lanes", [2, 3])
def test_known_work_is_shared_evenly(lanes: int) -> None:
    work = {1: 40, 2: 9, 3: 10, 4: 11, 5: 12, 6: 0}
    shared = share(file(LARGE), fields(7), lanes, work)
    assert sorted(index for lane in shared for index in lane) == list(range(7))
    loads = [sum(work.get(index + 1, 0) for index in lane) for lane in shared]
    assert max(loads) - min(loads) <= max(40 - 42 // (lanes - 1), 0) + 12


@pytest.mark.parametrize("lanes", [2, 4])
def test_no_lane_is_left_without_a_field(lanes: int) -> None:
    assert all(share(file(LARGE), fields(4), lanes, {}))


def chunks_of(rows: int, columns: list[int], sizes: list[int]) -> Iterator[Chunk]:
    """Column c holds c, c + 100, c + 200, …"""
    start = 0
    while start < rows:
        count = min(sizes[start % len(sizes)], rows - start)
        data = {
            f"c{column}": pa.array([column + 100 * at for at in range(start, start + count)])
            for column in columns
        }
        yield Chunk(start, pa.record_batch(data))
        start += count


@settings(derandomize=True, deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000))
def test_columns_meet_their_rows_again(seed: int) -> None:
    rng = seeded(seed)
    count, rows = rng.randint(1, 7), rng.randint(0, 50)
    lanes = share(file(LARGE), fields(count), rng.randint(1, 3))
    sources = [chunks_of(rows, lane, [rng.randint(1, 9) for _ in range(4)]) for lane in lanes]
    found = list(joined(lambda lane: next(sources[lane], None), lanes))
    seen = 0
    for chunk in found:
        assert chunk.start == seen
        assert chunk.rows.schema.names == [f"c{column}" for column in range(count)]
        for column in range(count):
            expected = [column + 100 * at for at in range(seen, seen + chunk.rows.num_rows)]
            assert chunk.rows.column(column).to_pylist() == expected
        seen += chunk.rows.num_rows
    assert seen == rows


def test_lanes_that_disagree_about_the_file_are_a_bug() -> None:
    sources = [chunks_of(10, [0], [5]), chunks_of(5, [1], [5])]
    with pytest.raises(InternalError, match="out of step"):
        list(joined(lambda lane: next(sources[lane], None), [[0], [1]]))

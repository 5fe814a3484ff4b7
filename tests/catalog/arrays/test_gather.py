from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from lakeport.catalog.arrays.gather import gathered


def numbers(*sizes: int) -> Iterator[pa.RecordBatch]:
    start = 0
    for size in sizes:
        yield pa.record_batch({"n": pa.array(range(start, start + size), pa.int64())})
        start += size


def sizes(batches: Iterator[pa.RecordBatch]) -> list[int]:
    return [batch.num_rows for batch in batches]


@pytest.mark.parametrize(
    ("given", "expected"),
    [((), []), ((3,), [3]), ((4, 4, 4), [12]), ((4, 7, 4, 4), [11, 8]), ((50, 1), [50, 1])],
)
def test_batches_are_glued_until_they_have_enough_rows(
    given: tuple[int, ...], expected: list[int]
) -> None:
    assert sizes(gathered(numbers(*given), most_rows=10, most_bytes=1 << 20)) == expected
    glued = pa.Table.from_batches(
        gathered(numbers(*given), most_rows=10, most_bytes=1 << 20), pa.schema({"n": pa.int64()})
    )
    assert glued.column("n").to_pylist() == list(range(sum(given)))


def test_or_enough_bytes() -> None:
    assert sizes(gathered(numbers(4, 4, 4), most_rows=100, most_bytes=64)) == [8, 4]


def test_nothing_is_waited_for_once_there_is_enough() -> None:
    asked = []

    def given() -> Iterator[pa.RecordBatch]:
        for batch in numbers(6, 6, 6):
            asked.append(batch.num_rows)
            yield batch

    next(gathered(given(), most_rows=10, most_bytes=1 << 20))
    assert asked == [6, 6]


def test_dictionaries_that_do_not_fit_into_one_stay_as_they_are() -> None:
    kind = pa.dictionary(pa.int8(), pa.string())
    words = [[f"{letter}{number}" for number in range(100)] for letter in "ab"]
    batches = [
        pa.record_batch({"w": pa.array(some).dictionary_encode().cast(kind)}) for some in words
    ]
    found = list(gathered(iter(batches), most_rows=1_000, most_bytes=1 << 20))
    assert [batch.num_rows for batch in found] == [100, 100]
    assert [batch.column(0).to_pylist() for batch in found] == words

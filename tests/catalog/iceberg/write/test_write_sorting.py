"""Tables with a sort order: every file is sorted as a whole, and says so only when it is."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.table.sorting import NullOrder, SortDirection, SortField, SortOrder
from pyiceberg.transforms import IdentityTransform, Transform, UnknownTransform, VoidTransform

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.write.insert import Insert
from lakeport.catalog.iceberg.write.options import WriteOptions
from lakeport.catalog.iceberg.write.sorting import order_of, sorted_places
from tests.behaviours.exact import assert_same_rows, numbered
from tests.catalog.iceberg.write.fresh import Fresh, batch
from tests.strategies import random_table, seeded

LONG = pa.schema([pa.field("x", pa.int64()), pa.field("y", pa.int64())])


def stored(fresh: Fresh, column: str = "x") -> list[list[Any]]:
    """What each file holds, in its order."""
    return [pq.read_table(file)[column].to_pylist() for file in fresh.data_files()]


def order_ids(fresh: Fresh) -> set[int | None]:
    return {task.file.sort_order_id for task in fresh.load().scan().plan_files()}


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("x", [None, 1, 2, 2, 3]),
        ("x desc", [3, 2, 2, 1, None]),
        ("x nulls last", [1, 2, 2, 3, None]),
        ("x desc nulls first", [None, 3, 2, 2, 1]),
    ],
)
def test_rows_are_in_the_order_asked_for(fresh: Fresh, term: str, expected: list[object]) -> None:
    fresh.create(Definition(LONG, sorted_by=(term,)))
    fresh.insert([batch(LONG, (2, 0), (None, 1), (3, 2)), batch(LONG, (1, 3), (2, 4))])
    assert stored(fresh) == [expected]
    assert order_ids(fresh) == {1}
    fresh.conforms()


def test_rows_of_one_place_stay_in_the_order_they_came_in(fresh: Fresh) -> None:
    fresh.create(Definition(LONG, sorted_by=("truncate(10, x)",)))
    fresh.insert([batch(LONG, (11, 0), (5, 1), (19, 2), (3, 3), (12, 4))])
    assert stored(fresh) == [[5, 3, 11, 19, 12]]
    fresh.conforms()


def test_a_second_term_decides_where_the_first_is_equal(fresh: Fresh) -> None:
    fresh.create(Definition(LONG, sorted_by=("x nulls last", "y desc")))
    fresh.insert([batch(LONG, (1, 1), (None, 5), (1, None), (0, 3), (1, 2))])
    assert stored(fresh) == [[0, 1, 1, 1, None]]
    assert stored(fresh, "y") == [[3, 2, 1, None, 5]]


def test_not_a_number_comes_after_infinity_and_zeros_are_told_apart(fresh: Fresh) -> None:
    schema = pa.schema([pa.field("x", pa.float64())])
    fresh.create(Definition(schema, sorted_by=("x",)))
    given = [0.0, math.nan, None, math.inf, -0.0, -math.inf, -1.0, 1.0]
    fresh.insert([batch(schema, *((value,) for value in given))])
    assert [[str(value) for value in file] for file in stored(fresh)] == [
        ["None", "-inf", "-1.0", "-0.0", "0.0", "1.0", "inf", "nan"]
    ]
    fresh.conforms()


TERMS = [
    ("x", pa.string()),
    ("x desc", pa.binary()),
    ("x", pa.binary(3)),
    ("x", pa.uuid()),
    ("x desc", pa.bool_()),
    ("x", pa.float32()),
    ("x desc", pa.float64()),
    ("x", pa.decimal128(38, 10)),
    ("x", pa.decimal128(9, 2)),
    ("x", pa.uint64()),
    ("x", pa.date32()),
    ("x desc", pa.timestamp("us", "UTC")),
    ("x", pa.dictionary(pa.int16(), pa.string())),
    ("bucket(4, x)", pa.int64()),
    ("bucket(4, x) desc", pa.string()),
    ("truncate(2, x)", pa.string()),
    ("truncate(2, x) desc nulls first", pa.binary()),
]


@pytest.mark.parametrize(("term", "kind"), TERMS, ids=str)
def test_every_type_is_sorted_as_iceberg_compares_it(
    fresh: Fresh, term: str, kind: pa.DataType
) -> None:
    table = numbered(random_table(seeded(4), pa.schema([pa.field("x", kind)]), 60))
    fresh.create(Definition(table.schema, sorted_by=(term,)))
    fresh.insert(table.to_batches(max_chunksize=7))
    assert_same_rows(fresh.rows(), table)
    fresh.conforms()


def test_each_file_is_sorted_when_memory_is_short(fresh: Fresh) -> None:
    fresh.create(Definition(LONG, partitioned_by=("truncate(1000, y)",), sorted_by=("x desc",)))
    rows = [
        batch(LONG, *((n * 37 % 100, n * 11 % 2_000) for n in range(at, at + 50)))
        for at in range(0, 400, 50)
    ]
    options = WriteOptions(row_group_rows=20, waiting_bytes=2_000)
    with Insert(fresh.table().source(), fresh.catalog.commits, options=options) as write:
        for part in rows:
            write.add(part, returning=True)  # so that none waits for the next
        write.commit()
    files = stored(fresh)
    assert len(files) > 4
    assert all(file == sorted(file, reverse=True) for file in files)
    assert sorted(x for file in files for x in file) == sorted(n * 37 % 100 for n in range(400))
    assert order_ids(fresh) == {1}
    fresh.conforms()


def test_rows_that_come_in_order_are_not_moved(fresh: Fresh) -> None:
    fresh.create(Definition(LONG, sorted_by=("x",)))
    fresh.insert([batch(LONG, *((n // 2, n) for n in range(50)))])
    assert stored(fresh, "y") == [list(range(50))]


@pytest.mark.parametrize(
    ("transform", "source_id", "is_known"),
    [
        (IdentityTransform(), 1, True),
        (VoidTransform(), 1, True),
        (UnknownTransform("zorder"), 1, False),
        (IdentityTransform(), 7, False),
    ],
)
def test_an_order_that_cannot_be_worked_out_is_not_claimed(
    fresh: Fresh, transform: Transform[Any, Any], source_id: int, *, is_known: bool
) -> None:
    field = SortField(source_id, transform, SortDirection.ASC, NullOrder.NULLS_FIRST)
    order = SortOrder(field, order_id=1)
    asked = {"sort_orders": [order], "default_sort_order_id": 1}
    metadata = fresh.create(LONG).metadata.model_copy(update=asked)
    assert order_of(metadata) == (order if is_known else None)


def test_a_term_that_means_nothing_leaves_rows_where_they_are(fresh: Fresh) -> None:
    order = SortOrder(SortField(1, VoidTransform(), SortDirection.ASC, NullOrder.NULLS_FIRST))
    rows = batch(LONG, (2, 0), (1, 1))
    assert sorted_places(rows, order, fresh.create(LONG).schema()) is None

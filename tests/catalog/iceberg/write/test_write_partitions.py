"""Rows of partitioned tables: each file holds the rows of one partition, as every reader sees it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.table import Table as Native
from pyiceberg.transforms import BucketTransform
from pyiceberg.typedef import Record
from pyiceberg.types import LongType
from pyiceberg.utils.datetime import datetime_to_micros

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.write.buckets import bucketed
from lakeport.catalog.iceberg.write.options import WriteOptions
from lakeport.core.errors import InvalidRequestError
from tests.behaviours.exact import assert_same_rows, numbered
from tests.catalog.iceberg.write.fresh import Fresh, batch
from tests.lakes.duckdb_reader import DuckDBReader
from tests.strategies import random_table, seeded

_arrow: Any = pa


@pytest.fixture(scope="module")
def duckdb_reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBReader]:
    reader = DuckDBReader(tmp_path_factory.mktemp("duckdb"))
    yield reader
    reader.close()


TERMS = [
    ("x", pa.int64()),
    ("x", pa.uint8()),
    ("x", pa.uint64()),
    ("x", pa.bool_()),
    ("x", pa.string()),
    ("x", pa.binary()),
    ("x", pa.binary(3)),
    ("x", pa.uuid()),
    ("x", pa.float64()),
    ("x", pa.decimal128(9, 2)),
    ("x", pa.decimal128(38, 10)),
    ("x", pa.dictionary(pa.int16(), pa.string())),
    ("bucket(4, x)", pa.int32()),
    ("bucket(4, x)", pa.string()),
    ("bucket(4, x)", pa.binary()),
    ("bucket(4, x)", pa.uuid()),
    ("bucket(4, x)", pa.date32()),
    ("bucket(4, x)", pa.timestamp("us")),
    ("bucket(4, x)", pa.decimal128(9, 2)),
    ("bucket(4, x)", pa.time64("us")),
    ("truncate(10, x)", pa.uint8()),
    ("truncate(1, x)", pa.string()),
    ("truncate(1, x)", pa.binary()),
    ("year(x)", pa.date32()),
    ("month(x)", pa.date32()),
    ("year(x)", pa.timestamp("us")),
    ("month(x)", pa.timestamp("ms")),
    ("month(x)", pa.timestamp("us", "UTC")),
]


@pytest.mark.parametrize(("term", "data_type"), TERMS, ids=str)
def test_partitioned_rows_come_back_exactly(
    fresh: Fresh, term: str, data_type: pa.DataType
) -> None:
    table = numbered(random_table(seeded(3), pa.schema([pa.field("x", data_type)]), 60))
    fresh.create(Definition(table.schema, partitioned_by=(term,)))
    fresh.insert(table.to_batches())
    assert_same_rows(fresh.rows(), table)
    assert len(fresh.data_files()) > 1


VALUES: dict[str, tuple[Field, list[Any]]] = {
    "x": (pa.field("x", pa.string()), ["a", "é", None, "a"]),
    "bucket(7, x)": (pa.field("x", pa.int64()), [1, -5, None, 2**40]),
    "truncate(2, x)": (pa.field("x", pa.string()), ["abc", "abd", "é", None, ""]),
    "truncate(10, x.y)": (
        pa.field("x", pa.struct([pa.field("y", pa.int32())])),
        [{"y": -1}, {"y": 19}, {"y": None}, None],
    ),
    "bucket(3, x)": (pa.field("x", pa.decimal128(9, 2)), [Decimal("1.25"), Decimal(-7), None]),
    "year(x)": (pa.field("x", pa.date32()), [date(1969, 12, 31), date(1970, 1, 1), None]),
    "month(x)": (
        pa.field("x", pa.timestamp("us")),
        [datetime(1969, 11, 30, 23), datetime(2024, 2, 29), None],  # noqa: DTZ001 # the type has no zone
    ),
    "hour(x)": (
        pa.field("x", pa.timestamp("us", "UTC")),
        [datetime(1969, 12, 31, 23, 59, tzinfo=UTC), datetime(2024, 2, 29, 1, tzinfo=UTC), None],
    ),
    "identity(x)": (pa.field("x", pa.timestamp("us")), [datetime(2024, 2, 29), None]),  # noqa: DTZ001 # as above
    "day(x)": (pa.field("x", pa.date32()), [date(1969, 12, 31), date(1970, 1, 2), None]),
}


@pytest.mark.parametrize("term", VALUES)
def test_partition_values_are_what_iceberg_says(
    fresh: Fresh, duckdb_reader: DuckDBReader, term: str
) -> None:
    field, values = VALUES[term]
    schema = pa.schema([field])
    fresh.create(Definition(schema, partitioned_by=(term,)))
    fresh.insert([batch(schema, *((value,) for value in values))])
    fresh.conforms()
    native = fresh.load()
    for task in native.scan().plan_files():
        (expected,) = {_partition_value(native, value) for value in _values_in(task.file.file_path)}
        assert task.file.partition == Record(expected)
    assert native.scan().to_arrow().num_rows == len(values)
    assert duckdb_reader.rows(native.metadata_location).num_rows == len(values)


def _values_in(path: str) -> list[Any]:
    found = pq.read_table(Path(path.removeprefix("file://")))["x"].to_pylist()
    return [value["y"] if isinstance(value, dict) else value for value in found]


def _partition_value(native: Native, value: Any) -> Any:
    (field,) = native.spec().fields
    source = native.schema().find_field(field.source_id)
    found = field.transform.transform(source.field_type)(value)
    return datetime_to_micros(found) if isinstance(found, datetime) else found


FAR = {
    "infinite day": (pa.date32(), 2**31 - 1),
    "day of the year 10000": (pa.date32(), 2_932_897),
    "day before the year 1": (pa.date32(), -719_163),
    "infinite time": (pa.timestamp("us"), 2**63 - 1),
    "infinite second": (pa.timestamp("s"), -(2**63 - 1)),
}


@pytest.mark.parametrize("name", FAR)
def test_dates_that_others_cannot_show_are_no_partitions(fresh: Fresh, name: str) -> None:
    data_type, number = FAR[name]
    width: Any = pa.int32() if data_type == pa.date32() else pa.int64()
    array: Any = _arrow.array([number, 0, None], width).view(data_type)
    table = numbered(pa.table([array], schema=pa.schema([pa.field("x", data_type)])))
    for at, term in enumerate(("month(x)", "year(x)", "bucket(4, x)")):
        fresh.create(Definition(table.schema, partitioned_by=(term,)), f"t{at}")
        fresh.insert(table.to_batches(), f"t{at}")
        assert_same_rows(fresh.rows(f"t{at}"), table)
    for term in ("x", "day(x)"):
        fresh.create(Definition(table.schema, partitioned_by=(term,)), "refused" + term[:1])
        with pytest.raises(InvalidRequestError, match="years 1 to 9999"):
            fresh.insert(table.to_batches(), "refused" + term[:1])


@pytest.mark.parametrize(
    "array",
    [
        pa.array([-(2**63)]),
        pa.array([-(2**31)], pa.int32()),
        pa.array([Decimal("-9.9")], pa.decimal128(2, 1)),
    ],
    ids=str,
)
def test_what_cannot_be_rounded_down_is_no_partition(fresh: Fresh, array: Any) -> None:
    schema = pa.schema([pa.field("x", array.type)])
    fresh.create(Definition(schema, partitioned_by=("truncate(10, x)",)))
    with pytest.raises(InvalidRequestError, match="column's range"):
        fresh.insert([pa.RecordBatch.from_arrays([array], schema=schema)])


def test_not_a_number_is_one_partition(fresh: Fresh) -> None:
    schema = pa.schema([pa.field("x", pa.float64())])
    fresh.create(Definition(schema, partitioned_by=("x",)))
    first = batch(schema, (float("nan"),), (1.0,), (float("nan"),), (None,))
    fresh.insert([first, first.slice(0, 1), first])
    assert len(fresh.data_files()) == 3
    assert fresh.rows().num_rows == 9


def test_more_partitions_than_open_files(fresh: Fresh) -> None:
    schema = pa.schema([pa.field("x", pa.int64()), pa.field("y", pa.int64())])
    fresh.create(Definition(schema, partitioned_by=("x",)))
    rows = [batch(schema, *((x, y) for x in range(20))) for y in range(3)]
    assert fresh.insert(rows, options=WriteOptions(open_files=7, row_group_rows=2)) == 60
    assert len(fresh.data_files()) > 20
    fresh.conforms()
    assert sorted(zip(*fresh.rows().to_pydict().values(), strict=True)) == sorted(
        (x, y) for x in range(20) for y in range(3)
    )


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    numbers=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1),
    buckets=st.integers(1, 2**31 - 1),
)
def test_buckets_of_whole_columns_are_those_of_single_values(
    numbers: list[int], buckets: int
) -> None:
    single = BucketTransform(buckets).transform(LongType())
    found = bucketed(np.array(numbers, dtype=np.int64), buckets)
    assert found.tolist() == [single(number) for number in numbers]

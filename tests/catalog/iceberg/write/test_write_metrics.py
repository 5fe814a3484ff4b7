"""What manifests say about our files is true, and says nothing where it could mislead."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest
from pyiceberg.conversions import from_bytes
from pyiceberg.manifest import DataFile
from pyiceberg.types import PrimitiveType

from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import Definition
from lakeport.catalog.expressions import narrow, parse_expression
from lakeport.catalog.iceberg.write.options import WriteOptions
from lakeport.catalog.ports import ScanRequest
from tests.catalog.iceberg.write.fresh import Fresh, batch

_arrow: Any = pa
INF = math.inf
COLUMN = "write.metadata.metrics.column.x"


def written(fresh: Fresh, array: Array, name: str = "t") -> DataFile:
    schema = pa.schema([pa.field("x", array.type)])
    fresh.create(schema, name)
    rows = pa.RecordBatch.from_arrays([array], schema=schema)
    half = rows.num_rows // 2
    halves = [rows.slice(0, half), rows.slice(half)]
    fresh.insert(halves, name, WriteOptions(row_group_rows=2))
    fresh.conforms(name)
    (task,) = fresh.load(name).scan().plan_files()
    return task.file


def bounds(fresh: Fresh, array: Array) -> tuple[Any, Any]:
    file = written(fresh, array)
    kind: Any = fresh.load().schema().fields[0].field_type
    assert isinstance(kind, PrimitiveType)
    low, high = ((file.lower_bounds or {}).get(1), (file.upper_bounds or {}).get(1))
    return tuple(None if end is None else from_bytes(kind, end) for end in (low, high))  # type: ignore[return-value]


def raw(data_type: pa.DataType, *numbers: int | None) -> Array:
    width: Any = pa.int32() if data_type.bit_width == 32 else pa.int64()
    return _arrow.array(numbers, width).view(data_type)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([3, None, -1, 2]), (-1, 3)),
        (pa.array([255, 0], pa.uint8()), (0, 255)),
        (pa.array([2**64 - 1, 5], pa.uint64()), (Decimal(5), Decimal(2**64 - 1))),
        (pa.array([True, False]), (False, True)),
        (pa.array([1.5, math.nan, -2.0, None]), (-2.0, 1.5)),
        (pa.array([1.5, INF, 2.0, -1.0]), (-1.0, None)),
        (pa.array([INF, -INF, 2.0, -1.0]), (None, None)),
        (pa.array([math.nan, None]), (None, None)),
        (pa.array([None, None], pa.int64()), (None, None)),
        (pa.array([Decimal("-1.50"), Decimal("2.25")]), (Decimal("-1.50"), Decimal("2.25"))),
        (
            pa.array([Decimal(10**38 - 1), Decimal(1 - 10**38)]),
            (Decimal(1 - 10**38), Decimal(10**38 - 1)),
        ),
        (raw(pa.date32(), 5, -7), (-7, 5)),
        (raw(pa.date32(), 5, 2**31 - 1, 6, -7), (-7, None)),
        (raw(pa.date32(), -(2**31 - 1), 6), (None, 6)),
        (raw(pa.timestamp("us"), 2**63 - 1, 6, -6), (-6, None)),
        (raw(pa.timestamp("s"), -(2**63 - 1), 6, 7), (None, 7_000_000)),
        (raw(pa.timestamp("ns"), 2**63 - 1, 6, 7), (6, None)),
        (raw(pa.time64("ns"), 6, 7), (6, 7)),
        (pa.array([2**63 - 1, 0]), (0, 2**63 - 1)),
        (pa.array(["b", "é", "a", None]), ("a", "é")),
        (pa.array(["x" * 16]), ("x" * 16, "x" * 16)),
        (pa.array(["x" * 17]), ("x" * 16, "x" * 15 + "y")),
        (pa.array(["x" * 15 + "\ud7ff" + "z"]), ("x" * 15 + "\ud7ff", "x" * 15 + "\ue000")),
        (pa.array(["a" + "\U0010ffff" * 17]), ("a" + "\U0010ffff" * 15, "b")),
        (pa.array(["\U0010ffff" * 17]), ("\U0010ffff" * 16, None)),
        (pa.array([b"\x00" * 17]), (b"\x00" * 16, b"\x00" * 15 + b"\x01")),
        (pa.array([b"a" + b"\xff" * 17]), (b"a" + b"\xff" * 15, b"b")),
        (pa.array([b"\xff" * 17]), (b"\xff" * 16, None)),
        (pa.array([""]), ("", "")),
        (pa.array([b"abc", b"abd"], pa.binary(3)), (b"abc", b"abd")),
    ],
    ids=lambda case: str(case)[:40].replace("\n", " ").encode("ascii", "replace").decode(),
)
def test_bounds_hold_every_value_and_never_infinity(
    fresh: Fresh, array: Array, expected: tuple[object, object]
) -> None:
    assert bounds(fresh, array) == expected


def test_zeros_are_bounded_by_both_zeros(fresh: Fresh) -> None:
    low, high = bounds(fresh, pa.array([0.0, -0.0]))
    assert (math.copysign(1, low), math.copysign(1, high)) == (-1, 1)


def test_uuids_are_bounded_by_their_bytes(fresh: Fresh) -> None:
    low, high = UUID(int=1), UUID(int=2**128 - 1)
    array: Any = pa.array([high.bytes, low.bytes], pa.uuid())
    assert bounds(fresh, array) == (low.bytes, high.bytes)


def test_values_whose_order_storage_does_not_keep_have_no_bounds(fresh: Fresh) -> None:
    huge = pa.opaque(pa.binary(16), "hugeint", "DuckDB")
    array: Any = pa.ExtensionArray.from_storage(huge, pa.array([b"\x01" * 16], pa.binary(16)))
    assert bounds(fresh, array) == (None, None)


def test_counts_are_true(fresh: Fresh) -> None:
    file = written(fresh, pa.array([1.0, None, math.nan, math.nan, None]))
    assert (file.record_count, file.value_counts, file.null_value_counts) == (5, {1: 5}, {1: 2})
    assert file.nan_value_counts == {1: 2}
    assert len(file.split_offsets or []) == 3
    assert file.split_offsets == sorted(file.split_offsets or [])


def test_nested_columns_are_counted_by_their_leaves(fresh: Fresh) -> None:
    rows: Any = pa.array([{"a": [1, 2], "b": "x"}, None, {"a": [], "b": None}])
    file = written(fresh, rows)
    assert set(file.column_sizes or {}) == set(file.value_counts or {}) == {3, 4}
    assert file.null_value_counts == {}
    assert file.lower_bounds == file.upper_bounds == {}


@pytest.mark.parametrize(
    "sql", ["x > 1e300", "x < -1e300", "x = 'nan'", "x >= 2", "x < 0", "x <> 1"]
)
def test_scans_find_what_bounds_leave_out(fresh: Fresh, sql: str) -> None:
    schema = pa.schema([pa.field("x", pa.float64())])
    fresh.create(schema)
    for values in ([1.0, INF], [-INF, 0.0], [math.nan, 1.0], [1.0, 2.0], [None, 1.0]):
        fresh.insert([pa.RecordBatch.from_arrays([pa.array(values, pa.float64())], schema=schema)])
    condition = narrow(sql, schema)
    request = ScanRequest(predicate=condition.predicate, expression=condition.expression)
    everything = fresh.rows(request=ScanRequest(expression=parse_expression(sql, schema)))
    assert str(fresh.rows(request=request)["x"]) == str(everything["x"])
    assert everything.num_rows


LONG = "x" * 40


@pytest.mark.parametrize(
    ("properties", "counted", "longest"),
    [
        ({}, True, 16),
        ({"write.metadata.metrics.default": "none"}, False, None),
        ({"write.metadata.metrics.default": "counts"}, True, None),
        ({"write.metadata.metrics.default": "full"}, True, 40),
        ({"write.metadata.metrics.default": "truncate(5)"}, True, 5),
        ({"write.metadata.metrics.default": "everything"}, True, 16),
        ({"write.metadata.metrics.default": "none", COLUMN: "Truncate(3)"}, True, 3),
        ({"write.metadata.metrics.default": "full", COLUMN: "none"}, False, None),
    ],
    ids=str,
)
def test_a_manifest_says_as_much_as_the_table_asks(
    fresh: Fresh, properties: dict[str, str], *, counted: bool, longest: int | None
) -> None:
    schema = pa.schema([pa.field("x", pa.string())])
    fresh.create(Definition(schema, properties=properties))
    fresh.insert([batch(schema, (LONG,), (None,))])
    (task,) = fresh.load().scan().plan_files()
    file = task.file
    assert set(file.column_sizes or {}) == {1}
    assert file.value_counts == ({1: 2} if counted else {})
    assert file.null_value_counts == ({1: 1} if counted else {})
    low = (file.lower_bounds or {}).get(1)
    assert (None if low is None else len(low)) == longest
    assert ((file.upper_bounds or {}).get(1) is None) == (longest is None)
    condition = narrow("x IS NULL", schema)
    assert fresh.rows(request=ScanRequest(predicate=condition.predicate)).num_rows == 1


def test_texts_too_long_for_a_footer_have_bounds_too(fresh: Fresh) -> None:
    texts = ["b", "c", "a" * 5_000, None, "x", "z" * 5_000]
    assert bounds(fresh, pa.array(texts)) == ("a" * 16, "z" * 15 + "{")
    assert written(fresh, pa.array([b"\xff" * 5_000, b"x"]), "other").lower_bounds == {1: b"x"}

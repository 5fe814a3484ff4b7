"""What foreign writers store is read in the type of the field, exactly or not at all."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)

from lakeport.core.errors import CorruptDataError
from tests.catalog.iceberg.files.one_file import OneFile, one_file
from tests.lakes.parquet import Style, write_parquet
from tests.lakes.storage import arrow_type


def foreign(folder: Path, stored: Any, kind: IcebergType, **options: Any) -> OneFile:
    """A file with one column that some writer stored in a type of its own."""
    field = pa.field("x", stored.type, metadata={"PARQUET:field_id": "1"})
    path = folder / "data.parquet"
    pq.write_table(pa.table([stored], schema=pa.schema([field])), path, **options)
    return one_file(path, Schema(NestedField(1, "x", kind, required=False)), len(stored))


DAY = dt.datetime(2024, 2, 29, 12, 30, 15, 123_000)  # noqa: DTZ001  a timestamp without zone
ZONED = DAY.replace(tzinfo=dt.UTC)
NANOS = 1_709_209_815_123_456_789


@pytest.mark.parametrize(
    ("stored", "kind", "expected"),
    [
        (pa.array([-1, None], pa.int8()), IntegerType(), [-1, None]),
        (pa.array([255, 0], pa.uint8()), IntegerType(), [255, 0]),
        (pa.array([-5, 7], pa.int16()), LongType(), [-5, 7]),
        (pa.array([65_535], pa.uint16()), IntegerType(), [65_535]),
        (pa.array([2**31 - 1], pa.uint32()), IntegerType(), [2**31 - 1]),
        (pa.array([2**32 - 1], pa.uint32()), LongType(), [2**32 - 1]),
        (pa.array([2**63 - 1], pa.uint64()), LongType(), [2**63 - 1]),
        (pa.array([1.5, None], pa.float16()), FloatType(), [1.5, None]),
        (pa.array([1.5], pa.float16()), DoubleType(), [1.5]),
        (pa.array([0.1], pa.float32()), DoubleType(), [pa.scalar(0.1, pa.float32()).as_py()]),
        (pa.array([Decimal("1.20")], pa.decimal128(5, 2)), DecimalType(38, 2), [Decimal("1.20")]),
        (pa.array([Decimal("1.20")], pa.decimal256(50, 2)), DecimalType(9, 2), [Decimal("1.20")]),
        (pa.array([Decimal("1.20")], pa.decimal128(18, 2)), DecimalType(9, 2), [Decimal("1.20")]),
        (pa.array(["ä"], pa.large_string()), StringType(), ["ä"]),
        (pa.array(["ä".encode()]), StringType(), ["ä"]),
        (pa.array(["ä"]), BinaryType(), ["ä".encode()]),
        (pa.array([b"abc"], pa.binary(3)), BinaryType(), [b"abc"]),
        (pa.array([b"abc"], pa.binary()), FixedType(3), [b"abc"]),
        (
            pa.array([b"0" * 16], pa.binary(16)),
            UUIDType(),
            [pa.scalar(b"0" * 16, pa.uuid()).as_py()],
        ),
        (pa.array([b"0" * 16], pa.uuid()), FixedType(16), [b"0" * 16]),
        (pa.array([DAY.date()], pa.date64()), DateType(), [DAY.date()]),
        (
            pa.array([DAY.date()], pa.date32()),
            TimestampType(),
            [dt.datetime.combine(DAY, dt.time())],
        ),
        (pa.array([DAY.time()], pa.time32("ms")), TimeType(), [DAY.time()]),
        (pa.array([1_999], pa.time64("ns")), TimeType(), [dt.time(0, 0, 0, 1)]),
        (pa.array([DAY], pa.timestamp("ms")), TimestampType(), [DAY]),
        (pa.array([DAY], pa.timestamp("us", "UTC")), TimestampType(), [DAY]),
        (pa.array([DAY], pa.timestamp("us")), TimestamptzType(), [ZONED]),
        (pa.array([ZONED], pa.timestamp("us", "Asia/Tokyo")), TimestamptzType(), [ZONED]),
        (pa.array([ZONED], pa.timestamp("us", "Asia/Tokyo")), TimestampType(), [DAY]),
        (pa.nulls(2), LongType(), [None, None]),
        (pa.array([1, 2]), UnknownType(), [None, None]),
        (pa.array([True, None]), BooleanType(), [True, None]),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_values_are_read_in_the_type_of_the_field(
    tmp_path: Path, stored: Any, kind: IcebergType, expected: list[Any]
) -> None:
    column = foreign(tmp_path, stored, kind).read().column("x")
    assert column.type == arrow_type(kind)
    assert column.to_pylist() == expected


@pytest.mark.parametrize(
    ("unit", "zone", "kind", "expected"),
    [
        ("ns", None, TimestampType(), NANOS // 1000),
        ("ns", "UTC", TimestamptzType(), NANOS // 1000),
        ("ns", None, TimestampNanoType(), NANOS),
        ("ns", "UTC", TimestamptzNanoType(), NANOS),
        ("us", None, TimestampNanoType(), NANOS // 1000 * 1000),
        ("ms", "UTC", TimestamptzNanoType(), NANOS // 10**6 * 10**6),
    ],
)
def test_timestamps_of_every_grain(
    tmp_path: Path, unit: Any, zone: str | None, kind: IcebergType, expected: int
) -> None:
    ticks = NANOS // {"ns": 1, "us": 10**3, "ms": 10**6}[unit]
    found = foreign(tmp_path, pa.array([ticks], pa.timestamp(unit, zone)), kind).read()
    assert found.column("x").type == arrow_type(kind)
    assert found.column("x").cast(pa.int64()).to_pylist() == [expected]


def test_int96_reaches_every_day(tmp_path: Path) -> None:
    """Read as nanoseconds, as Arrow does by default, these would be other days."""
    moments = [dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999_999), DAY, None]  # noqa: DTZ001
    schema = Schema(
        NestedField(1, "x", TimestampType(), required=False),
        NestedField(
            2,
            "s",
            StructType(NestedField(3, "y", TimestamptzType(), required=False)),
            required=False,
        ),
    )
    rows = [
        {"x": moment, "s": {"y": moment and moment.replace(tzinfo=dt.UTC)}} for moment in moments
    ]
    path = tmp_path / "data.parquet"
    table = pa.table(
        {
            "x": pa.array(moments, pa.timestamp("us")),
            "s": pa.array([row["s"] for row in rows], arrow_type(schema.fields[1].field_type)),
        }
    )
    write_parquet(path, table, schema, Style(int96=True))
    assert {pq.read_metadata(path).schema.column(leaf).physical_type for leaf in (0, 1)} == {
        "INT96"
    }
    assert one_file(path, schema, len(rows)).rows() == rows


@pytest.mark.parametrize(
    ("stored", "kind"),
    [
        (pa.array([1], pa.int64()), IntegerType()),
        (pa.array([1.5], pa.float64()), FloatType()),
        (pa.array(["1"]), LongType()),
        (pa.array([1]), StringType()),
        (pa.array([Decimal("1.20")]), DecimalType(9, 3)),
        (pa.array([1]), DecimalType(18, 0)),
        (pa.array([1], pa.int32()), DateType()),
        (pa.array([1]), TimestampType()),
        (pa.array([DAY]), DateType()),
        (pa.array([[1]]), LongType()),
        (pa.array([1]), ListType(2, LongType())),
        (pa.array([{"y": 1}]), ListType(2, LongType())),
        (pa.array([b"ab"], pa.binary(2)), FixedType(3)),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_a_type_that_cannot_be_the_fields_is_an_error(
    tmp_path: Path, stored: Any, kind: IcebergType
) -> None:
    with pytest.raises(
        CorruptDataError, match=r"`data.parquet` of .* in the column `x`, which is "
    ):
        foreign(tmp_path, stored, kind).rows()


@pytest.mark.parametrize(
    ("stored", "kind"),
    [
        (pa.array([2**31], pa.uint32()), IntegerType()),
        (pa.array([2**63], pa.uint64()), LongType()),
        (pa.array([b"\xff\xfe"]), StringType()),
        (pa.array([b"ab"]), FixedType(3)),
        (pa.array([Decimal("12345678.90")], pa.decimal128(18, 2)), DecimalType(9, 2)),
        (pa.array([2**62], pa.timestamp("us")), TimestampNanoType()),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_a_value_that_does_not_fit_is_an_error(
    tmp_path: Path, stored: Any, kind: IcebergType
) -> None:
    with pytest.raises(CorruptDataError, match=r"data file `data.parquet` of table `shop.orders`"):
        foreign(tmp_path, stored, kind).rows()


ENCODINGS = ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "lz4", "brotli"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_encodings_and_codecs(tmp_path: Path, encoding: str, codec: str, version: str) -> None:
    stored = pa.array([*range(1000), None], pa.int64())
    file = foreign(
        tmp_path,
        stored,
        LongType(),
        use_dictionary=False,
        column_encoding={"x": encoding},
        compression=codec,
        data_page_version=version,
    )
    assert file.read().column("x").combine_chunks().equals(stored)


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_encodings_of_texts(tmp_path: Path, encoding: str) -> None:
    stored = pa.array([f"text {number}" for number in range(1000)])
    file = foreign(
        tmp_path, stored, StringType(), use_dictionary=False, column_encoding={"x": encoding}
    )
    assert file.read().column("x").combine_chunks().equals(stored)


def test_long_texts_make_small_batches(tmp_path: Path) -> None:
    """Also where a dictionary hides their length and the footer shows no example."""
    texts = [str(number % 3) * 5_000 for number in range(20_000)]
    file = foreign(tmp_path, pa.array(texts), StringType())
    assert max(chunk.rows.nbytes for chunk in file.chunks()) < 32 << 20

"""What we encode is what PyIceberg and our own reader decode, byte for byte where nothing changed."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.avro.file import AvroFile
from pyiceberg.conversions import to_bytes
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestEntry
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.typedef import Record
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
    LongType,
    NestedField,
    PrimitiveType,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from lakeport.catalog.iceberg.commit.avro import container, number
from lakeport.catalog.iceberg.commit.entries import ADDED, EntryCodec, entry_bytes
from lakeport.catalog.iceberg.commit.listed import ManifestRow, list_file, read_rows, rows_of
from lakeport.catalog.iceberg.commit.partitions import summaries_of
from lakeport.catalog.iceberg.manifests.container import open_container, read_number
from lakeport.catalog.iceberg.manifests.listing import Summary

KINDS: list[tuple[IcebergType, list[Any]]] = [
    (BooleanType(), [False, True]),
    (IntegerType(), [-(2**31), 0, 2**31 - 1]),
    (LongType(), [-(2**63), -1, 2**63 - 1]),
    (FloatType(), [-1.5, -0.0, 0.0, 2.5]),
    (DoubleType(), [-math.inf, -0.0, 0.0, math.inf]),
    (DecimalType(9, 2), [Decimal("-12345.67"), Decimal("0.01")]),
    (DecimalType(38, 0), [Decimal(-(10**37)), Decimal(10**37)]),
    (DateType(), [-719_162, 0, 20_000]),
    (TimeType(), [0, 86_399_999_999]),
    (TimestampType(), [-1, 10**15]),
    (TimestamptzType(), [-1, 10**15]),
    (StringType(), ["", "a", "é", "日本"]),
    (BinaryType(), [b"", b"\x00", b"\xff"]),
    (FixedType(3), [b"\x00\x00\x00", b"abc"]),
    (UUIDType(), [uuid.UUID(int=0), uuid.UUID(int=2**128 - 1)]),
]


def partition(kind: IcebergType) -> StructType:
    return StructType(NestedField(1000, "p q", kind, required=False))


def data_file(values: Sequence[Any], **more: Any) -> DataFile:
    usual: dict[str, Any] = {
        "content": DataFileContent.DATA,
        "file_path": "file:///lake/é.parquet",
        "file_format": FileFormat.PARQUET,
        "partition": Record(*values),
        "record_count": 3,
        "file_size_in_bytes": 2**40,
        "column_sizes": {1: 10, 2_147_483_546: 2**33},
        "value_counts": {1: 3},
        "null_value_counts": {},
        "nan_value_counts": None,
        "lower_bounds": {1: b"\x00" * 200, 2: b""},
        "upper_bounds": None,
        "key_metadata": b"k",
        "split_offsets": [4, 2**35],
        "equality_ids": None,
        "sort_order_id": 0,
    }
    return DataFile.from_args(**{**usual, **more})


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_number_is_read_back(value: int) -> None:
    data = number(value)
    assert read_number(data, 0) == (value, len(data))


@given(st.lists(st.binary(max_size=50)), st.sampled_from(["gzip", "zstd", "uncompressed", "null"]))
def test_a_container_is_read_back(records: list[bytes], codec: str) -> None:
    opened = open_container(container("{}", {"a": "b"}, records, codec))
    assert opened.count == len(records)
    assert opened.data[: opened.end] == b"".join(records)
    assert opened.header["a"] == "b"


@pytest.mark.parametrize(("kind", "values"), KINDS, ids=[str(kind) for kind, _ in KINDS])
def test_entries_are_read_by_pyiceberg_and_copied_by_us(
    tmp_path: Path, kind: IcebergType, values: list[Any]
) -> None:
    codec = EntryCodec(partition(kind))
    files = [codec.added(data_file([value])) for value in (*values, None)]
    records = [entry_bytes(file, ADDED, 7) for file in files]
    path = tmp_path / "m.avro"
    path.write_bytes(container(codec.schema, {}, records, "gzip"))
    opened = AvroFile[ManifestEntry](
        PyArrowFileIO().new_input(str(path)), read_types={-1: ManifestEntry, 2: DataFile}
    )
    with opened as entries:
        found = list(entries)
    stored = [value.bytes if isinstance(value, uuid.UUID) else value for value in values]
    shown = [entry.data_file.partition[0] for entry in found]
    assert [each.bytes if isinstance(each, uuid.UUID) else each for each in shown] == [
        *stored,
        None,
    ]
    assert {entry.data_file.file_path for entry in found} == {"file:///lake/é.parquet"}
    assert found[0].data_file.lower_bounds == {1: b"\x00" * 200, 2: b""}
    assert found[0].data_file.split_offsets == [4, 2**35]
    again = codec.live(path.read_bytes(), sequence=5, snapshot_id=9)
    assert [file.encoded for file in again] == [file.encoded for file in files]
    assert [file.partition for file in again] == [file.partition for file in files]
    assert {(file.snapshot_id, file.sequence, file.file_sequence) for file in again} == {(7, 5, 5)}


@pytest.mark.parametrize(("kind", "values"), KINDS, ids=[str(kind) for kind, _ in KINDS])
def test_partitions_are_summed_up_in_iceberg_order(kind: PrimitiveType, values: list[Any]) -> None:
    shuffled = [(value,) for value in (*values[1:], values[0])]
    [summary] = summaries_of(partition(kind), shuffled)
    bounds = summary.lower, summary.upper
    assert bounds == (to_bytes(kind, values[0]), to_bytes(kind, values[-1]))
    assert not summary.contains_null
    [empty] = summaries_of(partition(kind), [(None,)])
    assert empty == Summary(contains_null=True, contains_nan=False, lower=None, upper=None)


def test_not_a_number_is_no_bound_and_the_zeros_are_two() -> None:
    [summary] = summaries_of(partition(DoubleType()), [(0.0,), (math.nan,), (-0.0,)])
    assert summary.contains_nan
    bounds = summary.lower, summary.upper
    assert bounds == (to_bytes(DoubleType(), -0.0), to_bytes(DoubleType(), 0.0))


_counts = st.integers(0, 2**31 - 1)
_bounds = st.none() | st.binary(max_size=20)
_rows = st.builds(
    ManifestRow,
    path=st.text(),
    length=_counts,
    spec_id=_counts,
    content=st.sampled_from([0, 1]),
    sequence=_counts,
    min_sequence=_counts,
    snapshot_id=st.integers(0, 2**63 - 1),
    added_files=_counts,
    existing_files=_counts,
    deleted_files=_counts,
    added_rows=_counts,
    existing_rows=_counts,
    deleted_rows=_counts,
    summaries=st.none()
    | st.lists(st.builds(Summary, st.booleans(), st.none() | st.booleans(), _bounds, _bounds)).map(
        tuple
    ),
    key_metadata=st.none() | st.binary(max_size=5),
)


@given(st.lists(_rows, max_size=4))
def test_rows_of_a_list_are_read_back(rows: list[ManifestRow]) -> None:
    snapshot = Snapshot.model_validate({"snapshot-id": 1, "manifest-list": "x"})
    assert read_rows(list_file(rows_of(rows), snapshot, "gzip")) == rows_of(rows)

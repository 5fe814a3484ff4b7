"""Bounds as manifests keep them, turned back into the values that PyIceberg made them from."""

from __future__ import annotations

import struct
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.conversions import to_bytes
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    GeometryType,
    IntegerType,
    LongType,
    PrimitiveType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)

from lakeport.catalog.iceberg.pruning.single_values import decode, has_bounds
from lakeport.catalog.iceberg.types.stored import stored_type

INT = st.integers(-(2**31), 2**31 - 1)
LONG = st.integers(-(2**63), 2**63 - 1)

# Every type with values in the form that manifests have them.
VALUES: list[tuple[PrimitiveType, st.SearchStrategy[Any]]] = [
    (BooleanType(), st.booleans()),
    (IntegerType(), INT),
    (LongType(), LONG),
    (FloatType(), st.floats(width=32, allow_nan=False)),
    (DoubleType(), st.floats(allow_nan=False)),
    (DateType(), INT),
    (TimeType(), st.integers(0, 86_400_000_000 - 1)),
    (TimestampType(), LONG),
    (TimestamptzType(), LONG),
    (TimestampNanoType(), LONG),
    (TimestamptzNanoType(), LONG),
    (StringType(), st.text(max_size=8)),
    (BinaryType(), st.binary(max_size=8)),
    (FixedType(3), st.binary(min_size=3, max_size=3)),
    (UUIDType(), st.uuids()),
    (DecimalType(9, 2), st.integers(-(10**9) + 1, 10**9 - 1).map(lambda n: Decimal(n).scaleb(-2))),
    (DecimalType(38, 0), st.integers(-(10**38) + 1, 10**38 - 1).map(Decimal)),
]


def packed(values: list[bytes | None]) -> pa.LargeBinaryArray:
    return pa.array(values, pa.large_binary())


def plain(array: Any) -> list[Any]:
    """Values in the form that manifests have them."""
    if pa.types.is_temporal(array.type):
        return array.view(pa.int32() if pa.types.is_date32(array.type) else pa.int64()).to_pylist()  # type: ignore[no-any-return]
    return array.to_pylist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(("kind", "values"), VALUES, ids=lambda given: str(given)[:24])
def test_decoding_undoes_pyicebergs_encoding(
    kind: PrimitiveType, values: st.SearchStrategy[Any]
) -> None:
    @settings(derandomize=True, max_examples=40, deadline=None)
    @given(st.lists(st.none() | values, max_size=6))
    def check(given_values: list[Any]) -> None:
        serialised = [None if each is None else to_bytes(kind, each) for each in given_values]
        assert plain(decode(packed(serialised), kind)) == given_values

    check()


@pytest.mark.parametrize(
    ("old", "new", "value", "expected"),
    [
        (IntegerType(), LongType(), -7, -7),
        (FloatType(), DoubleType(), 0.1, struct.unpack("<f", struct.pack("<f", 0.1))[0]),
        (DecimalType(4, 2), DecimalType(20, 2), Decimal("-1.23"), Decimal("-1.23")),
        (DateType(), TimestampType(), -1, np.datetime64("1969-12-31", "us").item()),
        (DateType(), TimestampNanoType(), 1, np.datetime64("1970-01-02", "us").item()),
    ],
    ids=str,
)
def test_a_bound_from_before_its_column_was_widened(
    old: PrimitiveType, new: PrimitiveType, value: Any, expected: object
) -> None:
    found = decode(packed([to_bytes(old, value), None]), new)
    assert found.type == stored_type(new)
    assert found.to_pylist() == [expected, None]


OF_ANY_LENGTH = StringType | BinaryType | FixedType | DecimalType


@pytest.mark.parametrize(
    "kind", [kind for kind, _ in VALUES if not isinstance(kind, OF_ANY_LENGTH)], ids=str
)
def test_bytes_of_the_wrong_length_say_nothing(kind: PrimitiveType) -> None:
    found = decode(packed([b"", b"123", b"0123456789abcdef0"]), kind)
    assert found.null_count == 3


def test_bytes_that_are_no_text_say_nothing() -> None:
    found = decode(packed([b"ab", b"\xff\xfe", "é".encode()[:1], None]), StringType())
    assert found.to_pylist() == ["ab", None, None, None]


def test_a_decimal_of_too_many_bytes_says_nothing() -> None:
    found = decode(packed([b"\x01" * 17, b"", b"\x05"]), DecimalType(38, 0))
    assert found.to_pylist() == [None, None, Decimal(5)]


def test_a_date_that_is_no_timestamp_says_nothing() -> None:
    far = to_bytes(DateType(), 2**31 - 1)
    assert decode(packed([far]), TimestampNanoType()).null_count == 1


def test_a_cut_bound_of_fixed_bytes_is_kept() -> None:
    assert decode(packed([b"ab"]), FixedType(16)).to_pylist() == [b"ab"]


def test_a_uuid_is_of_the_type_that_columns_have() -> None:
    value = uuid.UUID(int=1 << 127)
    found = decode(packed([value.bytes, b"short"]), UUIDType())
    assert found.type == pa.uuid()
    assert found.to_pylist() == [value, None]


def test_types_without_bounds_are_known() -> None:
    assert not has_bounds(UnknownType())
    assert not has_bounds(GeometryType())

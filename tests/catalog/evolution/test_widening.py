from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings

from lakeport.catalog.evolution.widening import is_widening
from lakeport.catalog.rows.convert import convert
from tests.strategies import arrow_types, random_batch, seeded

_STRUCT = pa.struct([("x", pa.int32()), ("y", pa.string())])

WIDER = [
    (pa.int8(), pa.int64()),
    (pa.uint8(), pa.int16()),
    (pa.uint32(), pa.uint64()),
    (pa.uint32(), pa.int64()),
    (pa.float32(), pa.float64()),
    (pa.decimal128(9, 2), pa.decimal128(18, 2)),
    (pa.decimal64(9, 2), pa.decimal128(9, 2)),
    (pa.time32("s"), pa.time64("ns")),
    (pa.date32(), pa.date64()),
    (pa.timestamp("us", "UTC"), pa.timestamp("us", "Europe/Zurich")),
    (pa.string(), pa.large_string()),
    (pa.binary(16), pa.binary()),
    (pa.null(), pa.int32()),
    (pa.dictionary(pa.uint8(), pa.string()), pa.string()),
    (pa.dictionary(pa.uint8(), pa.string()), pa.dictionary(pa.uint16(), pa.string())),
    (pa.list_(pa.int8()), pa.large_list(pa.int16())),
    (_STRUCT, pa.struct([("x", pa.int64()), ("y", pa.string())])),
    (pa.map_(pa.string(), pa.int8()), pa.map_(pa.string(), pa.int64())),
    (pa.list_(pa.field("l", pa.int8(), nullable=False)), pa.list_(pa.int8())),
]

NOT_WIDER = [
    (pa.int64(), pa.int32()),
    (pa.int32(), pa.uint64()),
    (pa.uint64(), pa.int64()),
    (pa.uint8(), pa.int8()),
    (pa.int32(), pa.float64()),
    (pa.float64(), pa.float32()),
    (pa.decimal128(9, 2), pa.decimal128(18, 4)),
    (pa.decimal128(9, 2), pa.decimal128(8, 2)),
    (pa.timestamp("s"), pa.timestamp("us")),
    (pa.timestamp("us"), pa.timestamp("us", "UTC")),
    (pa.date32(), pa.timestamp("us")),
    (pa.string(), pa.binary()),
    (pa.string(), pa.uuid()),
    (pa.uuid(), pa.binary(16)),
    (pa.binary(), pa.binary(16)),
    (_STRUCT, pa.struct([("x", pa.int64())])),
    (_STRUCT, pa.struct([("y", pa.string()), ("x", pa.int32())])),
    (pa.map_(pa.int8(), pa.int8()), pa.map_(pa.int64(), pa.int8())),
    (pa.list_(pa.int8()), pa.list_(pa.field("item", pa.int8(), nullable=False))),
    (pa.list_(pa.int8()), pa.list_(pa.int8(), 2)),
    (pa.sparse_union([pa.field("a", pa.int8())]), pa.sparse_union([pa.field("a", pa.int64())])),
]


@pytest.mark.parametrize(("old", "new"), WIDER, ids=str)
def test_a_type_that_holds_every_old_value_is_wider(old: pa.DataType, new: pa.DataType) -> None:
    assert is_widening(old, new)


@pytest.mark.parametrize(("old", "new"), NOT_WIDER, ids=str)
def test_a_type_that_could_lose_or_change_a_value_is_not(
    old: pa.DataType, new: pa.DataType
) -> None:
    assert not is_widening(old, new)


@pytest.mark.parametrize(("old", "new"), WIDER, ids=str)
def test_a_widening_has_a_way_back(old: pa.DataType, new: pa.DataType) -> None:
    (values,) = random_batch(seeded(1), pa.schema([("c", old)]), 50).columns
    if pa.types.is_null(old):
        assert convert(values, new).null_count == 50
    elif pa.types.is_dictionary(old):
        assert convert(values, new).to_pylist() == values.to_pylist()
    else:
        assert convert(convert(values, new), old).equals(values)


@given(data_type=arrow_types())
@settings(max_examples=100, derandomize=True)
def test_a_type_is_as_wide_as_itself(data_type: pa.DataType) -> None:
    assert is_widening(data_type, data_type)

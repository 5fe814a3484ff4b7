"""Every Arrow type that has no fields of its own: the Iceberg type it is stored as, and how.

Iceberg's own types are stored as they are. The others take the nearest type that holds all their values:
numbers one that is wide enough, times of day and nanoseconds a count in their own unit, since Spark opens
no table with an Iceberg `time` and format 2 has no nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    PrimitiveType,
    StringType,
    TimestampType,
    TimestamptzType,
    UUIDType,
)

from lakeport.catalog.iceberg.types import scalars
from lakeport.catalog.iceberg.types.codec import Codec
from lakeport.catalog.iceberg.types.names import BIGNUM, BIT, TIME_TZ
from lakeport.catalog.iceberg.types.stored import stored_type
from lakeport.catalog.predicates.kinds import HUGEINT, UHUGEINT

_WIDEST_DECIMAL = 38


@dataclass(frozen=True, slots=True)
class Leaf:
    iceberg: PrimitiveType
    codec: Codec


class UnstorableError(ValueError):
    """No Iceberg type holds all values of an Arrow type; `nearest` is one to use instead."""

    def __init__(self, reason: str, nearest: str) -> None:
        super().__init__(reason)
        self.nearest = nearest


def leaf_for(data_type: pa.DataType) -> Leaf:
    """`UnstorableError` for a type that cannot be stored exactly."""
    known = _KNOWN.get(data_type)
    if known is not None:
        return known
    if isinstance(data_type, pa.Decimal32Type | pa.Decimal64Type | pa.Decimal128Type):
        return _decimal(data_type)
    if pa.types.is_fixed_size_binary(data_type):
        return _fixed(data_type)
    if isinstance(data_type, pa.TimestampType):
        return _timestamp(data_type)
    reason = "Iceberg has no type that holds its values"
    raise UnstorableError(reason, _NEAREST.get(data_type.id, "string or binary"))


_NEAREST = {pa.float16().id: "float32", pa.decimal256(1, 0).id: "decimal128"}


def _plain(iceberg: PrimitiveType) -> Leaf:
    return Leaf(iceberg, scalars.same(stored_type(iceberg)))


def _as(
    iceberg: PrimitiveType,
    logical: pa.DataType,
    codec: Callable[[pa.DataType, pa.DataType], Codec] = scalars.cast,
) -> Leaf:
    return Leaf(iceberg, codec(stored_type(iceberg), logical))


def _opaque(iceberg: PrimitiveType, logical: pa.BaseExtensionType) -> Leaf:
    # Their bytes are not in the order of what they mean: DuckDB's huge numbers are little-endian.
    return Leaf(iceberg, scalars.wrapped(_plain(iceberg).codec, logical, ordered=False))


def _decimal(data_type: Any) -> Leaf:
    """Iceberg's scale is neither negative nor above the precision."""
    scale = max(data_type.scale, 0)
    digits = max(data_type.precision, scale) - min(data_type.scale, 0)
    if digits > _WIDEST_DECIMAL:
        reason = f"it would need {digits} digits, and Iceberg has {_WIDEST_DECIMAL}"
        raise UnstorableError(reason, f"decimal128({_WIDEST_DECIMAL}, {scale})")
    iceberg = DecimalType(digits, scale)
    return _plain(iceberg) if data_type == stored_type(iceberg) else _as(iceberg, data_type)


def _fixed(data_type: pa.DataType) -> Leaf:
    # Parquet has no values of no bytes.
    width = data_type.byte_width
    return _plain(FixedType(width)) if width else _as(BinaryType(), data_type)


def _timestamp(data_type: Any) -> Leaf:
    iceberg = TimestampType() if data_type.tz is None else TimestamptzType()
    if data_type.unit == "us":
        return _as(iceberg, data_type, scalars.viewed)
    if data_type.unit == "ns":
        return _as(LongType(), data_type, scalars.viewed)
    return _as(iceberg, data_type, scalars.coarse_timestamp)


def _all() -> dict[pa.DataType, Leaf]:
    interval = pa.month_day_nano_interval()
    fixed = FixedType(16)
    found = [
        *(
            _plain(iceberg)
            for iceberg in (
                *(BooleanType(), IntegerType(), LongType(), FloatType(), DoubleType()),
                *(StringType(), BinaryType(), DateType(), UUIDType()),
                *(TimestampType(), TimestamptzType()),
            )
        ),
        *(_as(IntegerType(), n) for n in (pa.int8(), pa.int16(), pa.uint8(), pa.uint16())),
        _as(LongType(), pa.uint32()),
        _as(DecimalType(20, 0), pa.uint64()),
        *(_as(StringType(), other) for other in (pa.large_string(), pa.string_view())),
        *(_as(BinaryType(), other) for other in (pa.large_binary(), pa.binary_view())),
        # Arrow's own rule is that these are whole days, and its cast holds them to it.
        _as(DateType(), pa.date64()),
        *(Leaf(LongType(), scalars.time_of_day(pa.time32(unit))) for unit in ("s", "ms")),
        *(Leaf(LongType(), scalars.time_of_day(pa.time64(unit))) for unit in ("us", "ns")),
        *(_as(LongType(), pa.duration(u), scalars.viewed) for u in ("s", "ms", "us", "ns")),
        Leaf(fixed, scalars.viewed(stored_type(fixed), interval, ordered=False)),
        Leaf(BooleanType(), scalars.boolean_byte()),
        Leaf(StringType(), scalars.nothing(pa.string())),
        *(_opaque(fixed, huge) for huge in (HUGEINT, UHUGEINT)),
        _opaque(FixedType(8), TIME_TZ),
        *(_opaque(BinaryType(), opaque) for opaque in (BIT, BIGNUM)),
    ]
    leaves = {leaf.codec.logical: leaf for leaf in found}
    for text in (pa.string(), pa.large_string(), pa.string_view()):
        codec = scalars.wrapped(leaves[text].codec, pa.json_(text), ordered=True)
        leaves[pa.json_(text)] = Leaf(StringType(), codec)
    return leaves


_KNOWN = _all()

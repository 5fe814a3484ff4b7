"""Every Arrow type that has no fields of its own: the Iceberg type it is stored as, and how.

Iceberg's own types are stored as they are. The others take the nearest type that holds all their values:
numbers one that is wide enough, times of day and nanoseconds a count in their own unit, since Spark opens
no table with an Iceberg `time`. Infinite timestamps of DuckDB stay infinite in any unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
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

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types.codec import Codec, MisfitError, Turn, same
from lakeport.catalog.iceberg.types.names import BIGNUM, BIT, TIME_TZ
from lakeport.catalog.iceberg.types.stored import stored_type
from lakeport.catalog.predicates.kinds import HUGEINT, UHUGEINT

_compute: Any = pc

_WIDEST_DECIMAL = 38
_INFINITY = 2**63 - 1
_MICROSECONDS = {"s": 1_000_000, "ms": 1_000}
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_SECONDS_OF_DAY = 86_400
_BITS_OF_TIME32 = 32


@dataclass(frozen=True, slots=True)
class Leaf:
    iceberg: PrimitiveType
    codec: Codec

    @property
    def is_plain(self) -> bool:
        """Whether the Iceberg type alone gives the logical type back."""
        return self.codec.stored == self.codec.logical


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
    types = pa.types
    if isinstance(data_type, pa.Decimal32Type | pa.Decimal64Type | pa.Decimal128Type):
        return _decimal(data_type)
    if types.is_fixed_size_binary(data_type):
        return _fixed(data_type)
    if isinstance(data_type, pa.TimestampType):
        return _timestamp(data_type)
    reason = "Iceberg has no type that holds its values"
    raise UnstorableError(reason, _NEAREST.get(data_type.id, "string or binary"))


def _plain(iceberg: PrimitiveType) -> Leaf:
    return Leaf(iceberg, same(stored_type(iceberg)))


def _cast(iceberg: PrimitiveType, logical: pa.DataType) -> Leaf:
    """Arrow's own safe cast, which fails rather than change a value."""
    stored = stored_type(iceberg)
    return Leaf(
        iceberg,
        Codec(stored, logical, lambda array: array.cast(logical), lambda array: array.cast(stored)),
    )


def _viewed(iceberg: PrimitiveType, logical: pa.DataType, *, ordered: bool = True) -> Leaf:
    """The same bits under another name."""
    stored = stored_type(iceberg)
    return Leaf(
        iceberg,
        Codec(
            stored,
            logical,
            lambda array: array.view(logical),
            lambda array: array.view(stored),
            ordered,
        ),
    )


def _wrapped(inner: Leaf, logical: pa.DataType, *, ordered: bool = True) -> Leaf:
    """An extension type around what `inner` stores."""
    codec = inner.codec

    def decode(array: Array) -> Array:
        return pa.ExtensionArray.from_storage(logical, codec.decoded(array))  # type: ignore[arg-type]

    def encode(array: Array) -> Array:
        return codec.encoded(storage_of(array))

    return Leaf(inner.iceberg, Codec(codec.stored, logical, decode, encode, ordered))


def storage_of(array: Array) -> Array:
    storage: Array = array.storage if isinstance(array, pa.ExtensionArray) else array
    return storage


def _decimal(data_type: Any) -> Leaf:
    """Iceberg's scale is neither negative nor above the precision."""
    precision, scale = data_type.precision, data_type.scale
    digits = max(precision, scale) - min(scale, 0)
    if digits > _WIDEST_DECIMAL:
        reason = (
            f"it would need a decimal of {digits} digits, and Iceberg's end at {_WIDEST_DECIMAL}"
        )
        raise UnstorableError(reason, f"decimal128({_WIDEST_DECIMAL}, {max(scale, 0)})")
    iceberg = DecimalType(digits, max(scale, 0))
    return _plain(iceberg) if data_type == stored_type(iceberg) else _cast(iceberg, data_type)


def _fixed(data_type: pa.DataType) -> Leaf:
    width = data_type.byte_width
    # Parquet has no values of no bytes.
    return _plain(FixedType(width)) if width else _cast(BinaryType(), data_type)


def _timestamp(data_type: pa.TimestampType[Any, Any]) -> Leaf:
    iceberg = TimestampType() if data_type.tz is None else TimestamptzType()
    if data_type.unit == "us":
        return _viewed(iceberg, data_type)
    if data_type.unit == "ns":
        return _viewed(LongType(), data_type)
    stored = stored_type(iceberg)
    factor = _MICROSECONDS[data_type.unit]
    return Leaf(
        iceberg,
        Codec(
            stored,
            data_type,
            _or_infinite(data_type, lambda numbers: _coarser(numbers, factor)),
            _or_infinite(stored, lambda numbers: _finer(numbers, factor)),
        ),
    )


def _or_infinite(to: pa.DataType, scale: Callable[[Any], Any]) -> Turn:
    """Arrow's cast, or a slower way where it meets DuckDB's infinity, which has no unit."""

    def turn(array: Array) -> Array:
        try:
            return array.cast(to)
        except pa.ArrowInvalid:
            numbers = array.view(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
            infinite = (numbers == _INFINITY) | (numbers == -_INFINITY)
            scaled = np.where(infinite, numbers, scale(np.where(infinite, 0, numbers)))
            valid = array.is_valid() if array.null_count else None
            built = pa.array(scaled, pa.int64())
            if valid is not None:
                built = _compute.if_else(valid, built, pa.scalar(None, pa.int64()))
            return built.view(to)

    return turn


def _finer(numbers: Any, factor: int) -> Any:
    if (np.abs(numbers) > _INFINITY // factor).any():
        message = "a timestamp is further away than microseconds can count"
        raise MisfitError(message)
    return numbers * factor


def _coarser(numbers: Any, factor: int) -> Any:
    if (numbers % factor).any():
        message = "a timestamp is finer than the column's unit"
        raise MisfitError(message)
    return numbers // factor


def _boolean_byte() -> Leaf:
    def decode(array: Array) -> Array:
        return pa.ExtensionArray.from_storage(pa.bool8(), array.cast(pa.int8()))

    def encode(array: Array) -> Array:
        truth: Array = _compute.not_equal(storage_of(array), 0)
        return truth

    return Leaf(BooleanType(), Codec(pa.bool_(), pa.bool8(), decode, encode))


def _nothing() -> Leaf:
    def decode(array: Array) -> Array:
        if array.null_count < len(array):
            message = "it holds a value, and its type has none but NULL"
            raise MisfitError(message)
        return nulls(len(array), pa.null())

    def encode(array: Array) -> Array:
        return nulls(len(array), pa.string())

    return Leaf(StringType(), Codec(pa.string(), pa.null(), decode, encode, ordered=False))


def _time_of_day(logical: Any) -> Leaf:
    """A count since midnight in the type's own unit; DuckDB's day ends with 24:00:00 itself."""
    width: pa.DataType = pa.int32() if logical.bit_width == _BITS_OF_TIME32 else pa.int64()
    last = _SECONDS_OF_DAY * _PER_SECOND[logical.unit]

    def decode(array: Array) -> Array:
        ends = _compute.min_max(array)
        if ends["min"].is_valid and not 0 <= ends["min"].as_py() <= ends["max"].as_py() <= last:
            message = "it is no time of day"
            raise MisfitError(message)
        return array.cast(width).view(logical)

    def encode(array: Array) -> Array:
        return array.view(width).cast(pa.int64())

    return Leaf(LongType(), Codec(pa.int64(), logical, decode, encode))


def _all() -> dict[pa.DataType, Leaf]:
    found = [
        *(
            _plain(iceberg)
            for iceberg in (
                *(BooleanType(), IntegerType(), LongType(), FloatType(), DoubleType()),
                *(StringType(), BinaryType(), DateType(), UUIDType()),
                *(TimestampType(), TimestamptzType()),
            )
        ),
        *(_cast(IntegerType(), narrow) for narrow in (pa.int8(), pa.int16())),
        *(_cast(IntegerType(), narrow) for narrow in (pa.uint8(), pa.uint16())),
        _cast(LongType(), pa.uint32()),
        _cast(DecimalType(20, 0), pa.uint64()),
        *(_cast(StringType(), other) for other in (pa.large_string(), pa.string_view())),
        *(_cast(BinaryType(), other) for other in (pa.large_binary(), pa.binary_view())),
        # Arrow's own rule is that these are whole days, and its cast holds them to it.
        _cast(DateType(), pa.date64()),
        *(_time_of_day(pa.time32(unit)) for unit in ("s", "ms")),
        *(_time_of_day(pa.time64(unit)) for unit in ("us", "ns")),
        *(_viewed(LongType(), pa.duration(unit)) for unit in ("s", "ms", "us", "ns")),
        _viewed(FixedType(16), pa.month_day_nano_interval(), ordered=False),
        _boolean_byte(),
        _nothing(),
        # Their bytes are little-endian, so they are not in the order of the numbers.
        *(_wrapped(_plain(FixedType(16)), huge, ordered=False) for huge in (HUGEINT, UHUGEINT)),
        _wrapped(_plain(FixedType(8)), TIME_TZ, ordered=False),
        *(_wrapped(_plain(BinaryType()), opaque, ordered=False) for opaque in (BIT, BIGNUM)),
    ]
    leaves = {leaf.codec.logical: leaf for leaf in found}
    for text in (pa.string(), pa.large_string(), pa.string_view()):
        leaves[pa.json_(text)] = _wrapped(leaves[text], pa.json_(text))
    return leaves


_KNOWN = _all()


_NEAREST = {
    pa.float16().id: "float32",
    pa.decimal256(1, 0).id: "decimal128",
}

"""Codecs of single values: a cast, the same bits under another name, another unit.

Whatever does not fit fails, in both directions: Arrow's casts are the safe ones, and where it has none
that checks, the check is here. DuckDB's infinite timestamps have no unit and stay infinite in any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types.codec import Codec, MisfitError, Turn

_compute: Any = pc
_INFINITY = 2**63 - 1
_MICROSECONDS = {"s": 1_000_000, "ms": 1_000}
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_SECONDS_OF_DAY = 86_400


def same(data_type: pa.DataType) -> Codec:
    """What files hold is what users see."""
    return Codec(data_type, data_type)


def cast(stored: pa.DataType, logical: pa.DataType) -> Codec:
    return Codec(
        stored, logical, lambda array: array.cast(logical), lambda array: array.cast(stored)
    )


def viewed(stored: pa.DataType, logical: pa.DataType, *, ordered: bool = True) -> Codec:
    """The same bits under another name."""
    return Codec(
        stored,
        logical,
        lambda array: array.view(logical),
        lambda array: array.view(stored),
        ordered,
    )


def wrapped(storage: Codec, logical: pa.BaseExtensionType, *, ordered: bool) -> Codec:
    """An extension type around what `storage` gives."""
    extension: Any = logical

    def decode(array: Array) -> Array:
        return pa.ExtensionArray.from_storage(extension, storage.decoded(array))

    def encode(array: Array) -> Array:
        return storage.encoded(storage_of(array))

    return Codec(storage.stored, logical, decode, encode, ordered)


def storage_of(array: Array) -> Array:
    storage: Array = array.storage if isinstance(array, pa.ExtensionArray) else array
    return storage


def boolean_byte() -> Codec:
    def decode(array: Array) -> Array:
        return pa.ExtensionArray.from_storage(pa.bool8(), array.cast(pa.int8()))

    def encode(array: Array) -> Array:
        truth: Array = _compute.not_equal(storage_of(array), 0)
        return truth

    return Codec(pa.bool_(), pa.bool8(), decode, encode)


def nothing(stored: pa.DataType) -> Codec:
    """NULL is the only value."""

    def decode(array: Array) -> Array:
        if array.null_count < len(array):
            message = "it is not NULL"
            raise MisfitError(message)
        return nulls(len(array), pa.null())

    def encode(array: Array) -> Array:
        return nulls(len(array), stored)

    return Codec(stored, pa.null(), decode, encode, ordered=False)


def time_of_day(logical: Any) -> Codec:
    """A count since midnight in the type's own unit; DuckDB's day ends with 24:00:00 itself."""
    width: pa.DataType = pa.int32() if pa.types.is_time32(logical) else pa.int64()
    last = _SECONDS_OF_DAY * _PER_SECOND[logical.unit]

    def decode(array: Array) -> Array:
        ends = _compute.min_max(array)
        if ends["min"].is_valid and not 0 <= ends["min"].as_py() <= ends["max"].as_py() <= last:
            message = "it is no time of day"
            raise MisfitError(message)
        return array.cast(width).view(logical)

    def encode(array: Array) -> Array:
        return array.view(width).cast(pa.int64())

    return Codec(pa.int64(), logical, decode, encode)


def coarse_timestamp(stored: pa.DataType, logical: Any) -> Codec:
    """Seconds or milliseconds, stored as microseconds."""
    factor = _MICROSECONDS[logical.unit]
    return Codec(
        stored,
        logical,
        _or_infinite(logical, lambda numbers: _coarser(numbers, factor)),
        _or_infinite(stored, lambda numbers: _finer(numbers, factor)),
    )


def _or_infinite(to: pa.DataType, scale: Callable[[Any], Any]) -> Turn:
    """Arrow's cast, or a slower way where it meets infinity."""

    def turn(array: Array) -> Array:
        try:
            return array.cast(to)
        except pa.ArrowInvalid:
            numbers = array.view(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
            infinite = (numbers == _INFINITY) | (numbers == -_INFINITY)
            scaled = np.where(infinite, numbers, scale(np.where(infinite, 0, numbers)))
            built: Any = pa.array(scaled, pa.int64())
            if array.null_count:
                built = _compute.if_else(array.is_valid(), built, pa.scalar(None, pa.int64()))
            turned: Array = built.view(to)
            return turned

    return turn


def _finer(numbers: Any, factor: int) -> Any:
    last = _INFINITY // factor
    if ((numbers > last) | (numbers < -last)).any():
        message = "a timestamp is further away than microseconds can count"
        raise MisfitError(message)
    return numbers * factor


def _coarser(numbers: Any, factor: int) -> Any:
    if (numbers % factor).any():
        message = "a timestamp is finer than the column's unit"
        raise MisfitError(message)
    return numbers // factor

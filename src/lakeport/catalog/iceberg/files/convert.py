"""Values as a file holds them, turned into the storage type of their field.

Iceberg lets a column's type grow (int to long, float to double, more digits, and in format 3 date to
timestamp), and foreign writers choose among types that mean the same. Whatever loses a value fails
instead; only nanoseconds are cut to microseconds, as every reader of such files does.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.files.spelling import spell_out
from lakeport.catalog.predicates.kinds import is_bytes, is_text

_ASCII = 0x7F
_Decimal: TypeAlias = pa.Decimal32Type | pa.Decimal64Type | pa.Decimal128Type | pa.Decimal256Type


def plain_type(found: pa.DataType) -> pa.DataType:
    """The type of the values themselves, without an extension's name or a dictionary."""
    if isinstance(found, pa.BaseExtensionType):
        return plain_type(found.storage_type)
    if isinstance(found, pa.DictionaryType):
        return plain_type(found.value_type)
    return found


def convertible(found: pa.DataType, target: pa.DataType) -> bool:
    """Whether values of a file's column may be read as the (primitive) target type."""
    found, target = plain_type(found), plain_type(target)
    types = pa.types
    if found == target or types.is_null(found) or types.is_null(target):
        return True
    if types.is_integer(target):
        return types.is_integer(found) and found.bit_width <= target.bit_width
    if types.is_floating(target):
        return types.is_floating(found) and found.bit_width <= target.bit_width
    if isinstance(target, _Decimal):
        return isinstance(found, _Decimal) and found.scale == target.scale
    if is_text(target) or types.is_binary(target):
        return is_text(found) or is_bytes(found)
    if types.is_fixed_size_binary(target):
        return types.is_binary(found) or types.is_large_binary(found)
    if types.is_date(target):
        return types.is_date(found)
    if types.is_time(target):
        return types.is_time(found) or types.is_int64(found)
    return types.is_timestamp(target) and (types.is_timestamp(found) or types.is_date(found))


def convert(array: Array, target: pa.DataType) -> Array:
    """The same values in the target type; the very same array if it has it already."""
    if array.type == target:
        return _valid(array)
    if isinstance(array, pa.ExtensionArray):
        return convert(array.storage, target)
    if isinstance(array, pa.DictionaryArray):
        return spell_out(convert(array.dictionary, target), array.indices)
    if isinstance(target, pa.BaseExtensionType):
        wrapped: Array = pa.ExtensionArray.from_storage(target, convert(array, target.storage_type))
        return wrapped
    if pa.types.is_null(target):
        return pa.nulls(len(array))
    if isinstance(target, pa.TimestampType) and isinstance(array.type, pa.TimestampType):
        return _moments(array, array.type, target)
    if _gains_digits(array.type, target) or _is_count_of_day(array.type, target):
        return array.view(target)
    # A time of day is never so far from midnight that cutting it could overflow.
    return _cast(array, target, safe=not pa.types.is_time(target))


def _valid(array: Array) -> Array:
    """Parquet's reader takes any bytes for a text, and what is none may be the end of a client.

    To look for bytes beyond ASCII costs a hundredth of reading them; only with those it costs a tenth.
    """
    if pa.types.is_string(array.type):
        data: Any = array.buffers()[2]
        if data is not None and data.size and np.frombuffer(data, np.uint8).max() > _ASCII:
            array.validate(full=True)
    return array


def _moments(array: Array, found: pa.TimestampType[Any], target: pa.TimestampType[Any]) -> Array:
    """Files count from 1970 in UTC whatever their zone: a cast would shift them to local time."""
    counted = array.view(_timestamp(found.unit, target.tz))
    return _cast(counted, target, safe=found.unit != "ns")


def _gains_digits(found: pa.DataType, target: pa.DataType) -> bool:
    return (
        isinstance(found, pa.Decimal128Type)
        and isinstance(target, pa.Decimal128Type)
        and found.precision <= target.precision
    )


def _is_count_of_day(found: pa.DataType, target: pa.DataType) -> bool:
    """ORC has no time of day: there Iceberg's is a plain number of microseconds."""
    return pa.types.is_int64(found) and pa.types.is_time(target)


def _timestamp(unit: str, zone: str | None) -> pa.DataType:
    timestamp: Any = pa.timestamp
    built: pa.DataType = timestamp(unit, zone)
    return built


def _cast(array: Array, target: pa.DataType, *, safe: bool) -> Array:
    done: Array = array.cast(target, safe=safe)
    return done

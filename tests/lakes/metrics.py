"""What a manifest says about a data file's columns: counts and bounds, computed from the rows.

From the specification (single-value serialization), not from Parquet's footers: NaN is counted and
never a bound, and long text is cut the way Iceberg's default `truncate(16)` does it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Context
from typing import Any

import pyarrow as pa
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
    StringType,
    UnknownType,
    UUIDType,
)

from tests.lakes.storage import leaf_array, leaves, plain_values

TRUNCATED = 16
_EXACT = Context(prec=80)  # the usual one rounds to 28 digits


@dataclass(frozen=True, slots=True)
class Metrics:
    value_counts: Mapping[int, int] = field(default_factory=dict)
    null_counts: Mapping[int, int] = field(default_factory=dict)
    nan_counts: Mapping[int, int] = field(default_factory=dict)
    lower: Mapping[int, bytes] = field(default_factory=dict)
    upper: Mapping[int, bytes] = field(default_factory=dict)


UNMEASURED = Metrics()


def measure(rows: pa.Table, schema: Schema) -> Metrics:
    found = Metrics({}, {}, {}, {}, {})
    for leaf, way in leaves(schema):
        kind, ident = leaf.field_type, leaf.field_id
        if isinstance(kind, UnknownType):
            continue
        values = plain_values(leaf_array(rows, way))
        there = [value for value in values if value is not None]
        numbers = [value for value in there if not _is_nan(value)]
        _put(found.value_counts, ident, len(values))
        _put(found.null_counts, ident, len(values) - len(there))
        if isinstance(kind, FloatType | DoubleType):
            _put(found.nan_counts, ident, len(there) - len(numbers))
        if numbers:
            ordered = sorted(numbers, key=_order)
            _put(found.lower, ident, _lower(kind, ordered[0]))
            _put(found.upper, ident, _upper(kind, ordered[-1]))
    return found


def _put(target: Mapping[int, Any], ident: int, value: object) -> None:
    if value is not None:
        target[ident] = value  # type: ignore[index] # built as a dict above


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _order(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float) and value == 0:
        return (0.0, math.copysign(1, value))  # -0.0 is below 0.0
    return (value, 0) if isinstance(value, float) else value


def single_value(kind: IcebergType, value: Any) -> bytes:
    """The specification's binary form of one value (appendix D)."""
    match kind:
        case BooleanType():
            return bytes([value])
        case IntegerType() | DateType():
            return struct.pack("<i", value)
        case FloatType():
            return struct.pack("<f", value)
        case DoubleType():
            return struct.pack("<d", value)
        case StringType():
            return bytes(value.encode())
        case BinaryType() | FixedType():
            return bytes(value)
        case UUIDType():
            return bytes(value.bytes)
        case DecimalType():
            unscaled = int(value.scaleb(kind.scale, _EXACT))
            bits = unscaled.bit_length() if unscaled >= 0 else (-unscaled - 1).bit_length()
            return unscaled.to_bytes(bits // 8 + 1, "big", signed=True)
    return struct.pack("<q", value)


def _lower(kind: IcebergType, value: Any) -> bytes:
    if isinstance(kind, StringType | BinaryType):
        return single_value(kind, value[:TRUNCATED])
    return single_value(kind, value)


def _upper(kind: IcebergType, value: Any) -> bytes | None:
    """Cut text must not sort before the whole: its last character that can grow does."""
    if not isinstance(kind, StringType | BinaryType) or len(value) <= TRUNCATED:
        return single_value(kind, value)
    for end in range(TRUNCATED, 0, -1):
        kept, last = value[: end - 1], value[end - 1]
        if isinstance(last, int):
            if last < 0xFF:
                return bytes(kept) + bytes([last + 1])
        elif ord(last) + 1 not in {0x110000, 0xD800}:
            return str(kept + chr(ord(last) + 1)).encode()
    return None

"""Which types can be compared, and with what: a *kind* is a set of types that share one order.

Two types of one kind differ only in range and grain (int8 and decimal, seconds and nanoseconds), so
a constant of one can be carried over to the other exactly, or it falls between two of its values.
Types without a kind (intervals, nested types, bit strings, times with an offset, geometry) have no
order that Arrow's kernels could follow; conditions on them are expressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import pyarrow as pa

from lakeport.catalog.arrow import Field

HUGEINT = pa.opaque(pa.binary(16), "hugeint", "DuckDB")
UHUGEINT = pa.opaque(pa.binary(16), "uhugeint", "DuckDB")

_EXTENSION_NAME = b"ARROW:extension:name"
_DAY = 86_400
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DATE_INFINITY = 2**31 - 1
_TIMESTAMP_INFINITY = 2**63 - 1


class Kind(Enum):
    """The words are how messages call a constant of the kind."""

    NULL = "NULL"
    BOOLEAN = "a boolean"
    NUMBER = "an exact number"
    FLOAT = "a floating-point number"
    TEXT = "a text"
    BYTES = "a blob"
    UUID = "a UUID"
    TIME = "a time of day"
    MOMENT = "a date or a timestamp without time zone"
    INSTANT = "a timestamp with time zone"


@dataclass(frozen=True, slots=True)
class Scale:
    """A type of kind NUMBER, TIME, MOMENT or INSTANT: integers `low`…`high` that count 1/`per_one`.

    One is the number 1, or a day. `infinity` and its negative stand outside the range.
    """

    per_one: int
    low: int
    high: int
    infinity: int | None = None


def value_type(data_type: pa.DataType) -> pa.DataType:
    """What the values of a column are, whatever their encoding."""
    if isinstance(data_type, pa.DictionaryType | pa.RunEndEncodedType):
        return value_type(data_type.value_type)
    return data_type


def constant_type(data_type: pa.DataType) -> pa.DataType:
    """The type that constants compared with such a column have."""
    found = value_type(data_type)
    if pa.types.is_fixed_size_binary(found):
        return pa.binary()  # a constant may have another length
    if isinstance(found, pa.TimestampType) and is_zoned_nanoseconds(found):
        return pa.timestamp("us", str(found.tz))
    return found


def is_zoned_nanoseconds(data_type: pa.DataType) -> bool:
    """DuckDB's TIMESTAMPTZ counts microseconds: it sees nothing finer, so neither must we."""
    return (
        isinstance(data_type, pa.TimestampType)
        and data_type.unit == "ns"
        and data_type.tz is not None
    )


def kind_of_field(field: Field) -> Kind | None:
    # An extension that pyarrow does not know arrives as its storage type, with the name beside it.
    if _EXTENSION_NAME in (field.metadata or {}):
        return None
    return kind_of(field.type)


def kind_of(data_type: pa.DataType) -> Kind | None:
    found = value_type(data_type)
    types = pa.types
    if types.is_null(found):
        return Kind.NULL
    if types.is_boolean(found) or found == pa.bool8():
        return Kind.BOOLEAN
    if isinstance(found, pa.BaseExtensionType):
        return _extension_kind(found)
    if types.is_integer(found) or is_decimal(found):
        return Kind.NUMBER
    if types.is_float32(found) or types.is_float64(found):
        return Kind.FLOAT
    if is_text(found):
        return Kind.TEXT
    if is_bytes(found):
        return Kind.BYTES
    if isinstance(found, pa.TimestampType):
        return Kind.MOMENT if found.tz is None else Kind.INSTANT
    if types.is_date(found):
        return Kind.MOMENT
    return Kind.TIME if types.is_time(found) else None


def _extension_kind(data_type: pa.BaseExtensionType) -> Kind | None:
    if data_type in {HUGEINT, UHUGEINT}:
        return Kind.NUMBER
    if isinstance(data_type, pa.JsonType):
        return Kind.TEXT
    return Kind.UUID if data_type == pa.uuid() else None


def is_decimal(data_type: pa.DataType) -> bool:
    """What DuckDB calls a decimal: it has none of 256 bits, and no negative scale."""
    return (
        isinstance(data_type, pa.Decimal32Type | pa.Decimal64Type | pa.Decimal128Type)
        and data_type.scale >= 0
    )


def is_text(data_type: pa.DataType) -> bool:
    types = pa.types
    return (
        types.is_string(data_type)
        or types.is_large_string(data_type)
        or types.is_string_view(data_type)
    )


def is_bytes(data_type: pa.DataType) -> bool:
    types = pa.types
    return (
        types.is_binary(data_type)
        or types.is_large_binary(data_type)
        or types.is_binary_view(data_type)
        or types.is_fixed_size_binary(data_type)
    )


def scale_of(data_type: pa.DataType) -> Scale:
    """Only for the kinds that have one."""
    if data_type == HUGEINT:
        return Scale(1, -(2**127), 2**127 - 1)
    if data_type == UHUGEINT:
        return Scale(1, 0, 2**128 - 1)
    if isinstance(data_type, pa.Decimal32Type | pa.Decimal64Type | pa.Decimal128Type):
        largest = 10**data_type.precision - 1
        return Scale(10**data_type.scale, -largest, largest)
    if isinstance(data_type, pa.Time32Type | pa.Time64Type):
        # DuckDB's day ends with 24:00:00 itself.
        ticks = _DAY * _PER_SECOND[data_type.unit]
        return Scale(ticks, 0, ticks)
    if isinstance(data_type, pa.TimestampType):
        ticks = _DAY * _PER_SECOND[data_type.unit]
        last = _TIMESTAMP_INFINITY - 1
        return Scale(ticks, -last, last, _TIMESTAMP_INFINITY)
    if pa.types.is_date(data_type):
        # One of 64 bits counts milliseconds, but only whole days are valid: constants are days.
        return Scale(1, 1 - _DATE_INFINITY, _DATE_INFINITY - 1, _DATE_INFINITY)
    bits = data_type.bit_width
    if pa.types.is_signed_integer(data_type):
        return Scale(1, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return Scale(1, 0, 2**bits - 1)

"""Names of the types a constant can have, for plain values: short, stable and read back exactly."""

from __future__ import annotations

import re
from collections.abc import Callable

import pyarrow as pa

from lakeport.catalog.predicates.kinds import HUGEINT, UHUGEINT

_TYPES: dict[str, pa.DataType] = {
    **{
        str(data_type): data_type
        for data_type in (
            pa.null(),
            pa.bool_(),
            *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
            *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
            *(pa.float32(), pa.float64()),
            *(pa.string(), pa.large_string(), pa.string_view()),
            *(pa.binary(), pa.large_binary(), pa.binary_view()),
            *(pa.date32(), pa.date64()),
            *(pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")),
            *(pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ns")),
        )
    },
    "bool8": pa.bool8(),
    "uuid": pa.uuid(),
    "json": pa.json_(pa.string()),
    "large_json": pa.json_(pa.large_string()),
    "json_view": pa.json_(pa.string_view()),
    "hugeint": HUGEINT,
    "uhugeint": UHUGEINT,
}
_NAMES = {data_type: name for name, data_type in _TYPES.items()}

_DECIMALS: dict[int, Callable[[int, int], pa.DataType]] = {
    32: pa.decimal32,
    64: pa.decimal64,
    128: pa.decimal128,
}
_DECIMAL = re.compile(r"decimal(32|64|128)\((\d{1,2}), (-?\d{1,2})\)")
_ZONED = re.compile(r"timestamp\[(s|ms|us|ns), tz=(.+)\]")


def type_name(data_type: pa.DataType) -> str:
    """Arrow's own text, except for extension types."""
    return _NAMES.get(data_type, str(data_type))


def type_from_name(name: str) -> pa.DataType:
    """`ValueError` for what is no name of a constant's type."""
    known = _TYPES.get(name)
    if known is not None:
        return known
    decimal = _DECIMAL.fullmatch(name)
    if decimal:
        bits, precision, scale = (int(part) for part in decimal.groups())
        return _DECIMALS[bits](precision, scale)
    zoned = _ZONED.fullmatch(name)
    if zoned:
        plain = _TYPES[f"timestamp[{zoned[1]}]"]
        if isinstance(plain, pa.TimestampType):
            return pa.timestamp(plain.unit, zoned[2])
    raise ValueError(name)

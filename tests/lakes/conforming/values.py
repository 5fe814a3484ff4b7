"""Values in Iceberg's order, and their binary form, as the specification's appendix D has them."""

from __future__ import annotations

import math
import struct
from decimal import Context, Decimal
from typing import Any
from uuid import UUID

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
    UUIDType,
)

_EXACT = Context(prec=80)  # the usual one rounds to 28 digits


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def order(value: Any) -> Any:
    """A key to sort values of one type by: NaN is the greatest, -0.0 is below 0.0."""
    match value:
        case float():
            return (1, 0.0, 0.0) if is_nan(value) else (0, value, math.copysign(1, value))
        case str():
            return value.encode()
        case UUID():
            return value.bytes
    return value


def decoded(kind: IcebergType, data: bytes) -> Any:
    """A bound as it is written; an int or float may stand for a long or double that it became."""
    match kind:
        case BooleanType():
            return data != b"\0"
        case FloatType() | DoubleType():
            return struct.unpack("<f" if len(data) == 4 else "<d", data)[0]
        case StringType():
            return data.decode()
        case BinaryType() | FixedType() | UUIDType():
            return data
        case DecimalType():
            return Decimal(int.from_bytes(data, "big", signed=True)).scaleb(-kind.scale, _EXACT)
        case IntegerType() | DateType():
            return struct.unpack("<i", data)[0]
    return int.from_bytes(data, "little", signed=True)

"""When a column can take another type under its old field id, so that its old files still count.

Iceberg lets a few types grow in place. Beyond that, a logical type of ours may change while what is
stored stays: `int8` and `int16` are both an `int`. Times of day are the exception: they are stored as a
count in their own unit, so the same number would mean another time.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyiceberg.types import (
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    PrimitiveType,
)


def keeps_bits(old: pa.DataType, new: pa.DataType) -> bool:
    """Whether a stored value of the old logical type is the same value of the new one."""
    is_time: Any = pa.types.is_time
    return old == new or not (is_time(old) or is_time(new))


def promotes(old: PrimitiveType, new: PrimitiveType) -> bool:
    """What every reader of format 2 does by itself; the other promotions are of format 3."""
    match old, new:
        case IntegerType(), LongType():
            return True
        case FloatType(), DoubleType():
            return True
        case DecimalType(), DecimalType():
            return old.scale == new.scale and old.precision <= new.precision
    return old == new

"""What a partition value says of the column it was made from: the smallest and the largest it can be.

Every transform but `void` turns NULL into NULL and nothing else. `bucket` says no more than that here
(see buckets.py); what this version does not know says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    YearTransform,
)
from pyiceberg.types import BinaryType, DateType, DecimalType, FixedType, IcebergType, StringType

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types.stored import stored_type

_array: Callable[..., Array] = pa.array

# Python's own arithmetic rounds to 28 digits, and decimals have up to 38.
_EXACT = Context(prec=80)

# numpy's unit for the number that each transform counts in.
_UNITS: dict[type[Transform[Any, Any]], str] = {
    YearTransform: "Y",
    MonthTransform: "M",
    DayTransform: "D",
    HourTransform: "h",
}


def keeps_nulls(transform: Transform[Any, Any]) -> bool:
    """Whether the partition is NULL exactly where the column is."""
    if isinstance(transform, IdentityTransform | BucketTransform | TruncateTransform):
        return True
    return type(transform) in _UNITS


def spans(
    transform: Transform[Any, Any], kind: IcebergType, values: Sequence[Any]
) -> tuple[Array, Array]:
    """For each partition value the ends of what the column may hold; null where nothing is known.

    `kind` is the column's type of today. Values have the form they have in manifests: numbers of
    days or microseconds for dates and times.
    """
    if isinstance(transform, IdentityTransform):
        exact = array_of(values, kind)
        return exact, exact
    unit = _UNITS.get(type(transform))
    if unit is not None:
        return _periods(unit, kind, values)
    if isinstance(transform, TruncateTransform):
        ends = [_truncated(transform.width, kind, value) for value in values]
        return (
            array_of([low for low, _ in ends], kind),
            array_of([high for _, high in ends], kind),
        )
    nothing = nulls(len(values), _bound_type(kind))
    return nothing, nothing


def array_of(values: Sequence[Any], kind: IcebergType) -> Array:
    """Partition values as an array; those that the column of today cannot hold become null."""
    data_type = _bound_type(kind)
    if data_type == pa.uuid():
        plain = [value.bytes if isinstance(value, UUID) else value for value in values]
        return pa.ExtensionArray.from_storage(pa.uuid(), _array(plain, pa.binary(16)))
    try:
        return _array(list(values), data_type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError):
        return _array([_fitting(value, data_type) for value in values], data_type)


def _fitting(value: Any, data_type: pa.DataType) -> Any:
    try:
        pa.array([value], data_type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError):
        return None
    return value


def _bound_type(kind: IcebergType) -> pa.DataType:
    return pa.binary() if isinstance(kind, FixedType) else stored_type(kind)


def _periods(unit: str, kind: IcebergType, values: Sequence[Any]) -> tuple[Array, Array]:
    data_type: Any = stored_type(kind)
    target = "D" if isinstance(kind, DateType) else data_type.unit
    absent = np.array([not isinstance(value, int) for value in values], np.bool_)
    counts = np.array([value if isinstance(value, int) else 0 for value in values], np.int64)
    # Old writers rounded moments before 1970 up instead of down, into the next period.
    firsts = np.where(counts <= 0, counts - 1, counts)
    low, low_fits = _moments(firsts, unit, target)
    after, after_fits = _moments(counts + 1, unit, target)
    integers: Any = pa.int32() if target == "D" else pa.int64()
    return (
        _array(low, integers, mask=absent | ~low_fits).view(data_type),
        _array(after - 1, integers, mask=absent | ~after_fits).view(data_type),
    )


def _moments(counts: Any, unit: str, target: str) -> tuple[Any, Any]:
    """The beginnings of periods in the target unit, and whether they can be written in it."""
    # numpy wraps around silently, so what is too far from 1970 is left out before it is converted.
    per_year = {"Y": 1, "M": 12, "D": 366, "h": 366 * 24}[unit]
    years = {"D": 5_000_000, "us": 290_000, "ns": 290}[target]
    fits = np.abs(counts) <= years * per_year
    safe = np.where(fits, counts, 0).astype(f"datetime64[{unit}]")
    return safe.astype(f"datetime64[{target}]").astype(np.int64), fits


def _truncated(width: int, kind: IcebergType, value: Any) -> tuple[Any, Any]:
    if value is None:
        return None, None
    if isinstance(kind, DecimalType):
        last = _EXACT.scaleb(Decimal(width - 1), -kind.scale)
        return value, _EXACT.add(value, last)
    if isinstance(kind, StringType):
        return value, value if len(value) < width else _after_text(value)
    if isinstance(kind, BinaryType | FixedType):
        return value, value if len(value) < width else _after_bytes(value)
    last = value + width - 1
    if any(value <= limit < last for limit in _LARGEST):
        # Some writers wrap the smallest numbers around, to here.
        return None, None
    return value, last


_LARGEST = (2**31 - 1, 2**63 - 1)


def _after_text(prefix: str) -> str | None:
    """A text that is above all that begin so."""
    while prefix:
        code = ord(prefix[-1]) + 1
        code = 0xE000 if code == 0xD800 else code  # surrogates are no characters
        if code <= 0x10FFFF:
            return prefix[:-1] + chr(code)
        prefix = prefix[:-1]
    return None


def _after_bytes(prefix: bytes) -> bytes | None:
    while prefix:
        if prefix[-1] < 0xFF:
            return prefix[:-1] + bytes([prefix[-1] + 1])
        prefix = prefix[:-1]
    return None

"""Where a constant lies among the values of another type: on one of them, or right above one.

This is arithmetic on Python integers, so that no digit is lost on the way. It answers only where
DuckDB, which would widen the column instead, compares exactly too; otherwise it gives None.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, isfinite

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrow import Scalar
from lakeport.catalog.predicates.constants import PlainValue, plain_value
from lakeport.catalog.predicates.kinds import Kind, Scale, kind_of, scale_of, value_type

_SCALED = {Kind.NUMBER, Kind.TIME, Kind.MOMENT, Kind.INSTANT}
_NANOSECONDS = pa.time64("ns")
_MANTISSA = {32: 24, 64: 53}


@dataclass(frozen=True, slots=True)
class Fit:
    """The largest value not above the constant; None when the constant is below all of them."""

    value: PlainValue
    exact: bool


def fit(constant: Scalar, to: pa.DataType) -> Fit | None:
    """None where the two cannot be compared without rounding, or at all. No NULL, no encodings."""
    source = value_type(constant.type)
    kind, wanted = kind_of(source), kind_of(to)
    value = plain_value(constant)
    if source == to:
        return Fit(value, exact=True)
    if kind is wanted:
        if kind is Kind.TIME and _NANOSECONDS in {source, to}:
            return None  # DuckDB cuts TIME_NS off at the microsecond to compare it with TIME
        if kind in _SCALED and isinstance(value, int):
            return _rescaled(value, scale_of(source), scale_of(to))
        if kind is Kind.FLOAT and isinstance(value, float):
            return _narrowed(value, to)
        return Fit(value, exact=True)
    if wanted is Kind.NUMBER and isinstance(value, float):
        return _floored(value, source, to)
    if wanted is Kind.FLOAT and kind is Kind.NUMBER and isinstance(value, int):
        return _floated(value, scale_of(source), to)
    return None


def _rescaled(value: int, source: Scale, target: Scale) -> Fit:
    if source.infinity is not None and abs(value) == source.infinity:
        infinity = target.infinity or 0
        return Fit(infinity if value > 0 else -infinity, exact=True)
    whole, rest = divmod(value * target.per_one, source.per_one)
    return _within(whole, target, exact=not rest)


def _within(whole: int, target: Scale, *, exact: bool) -> Fit:
    if whole > target.high:
        return Fit(target.high, exact=False)
    if whole < target.low:
        # Below every finite date there is still the one of minus infinity.
        lowest = None if target.infinity is None else -target.infinity
        return Fit(lowest, exact=False)
    return Fit(whole, exact=exact)


def _floored(value: float, source: pa.DataType, to: pa.DataType) -> Fit | None:
    """A float among integers, which DuckDB compares as floats of the constant's width."""
    target = scale_of(to)
    if not pa.types.is_integer(to):
        return None
    if not isfinite(value):
        # NaN and infinity are above every integer.
        return Fit(None, exact=False) if value < 0 else Fit(target.high, exact=False)
    if abs(value) >= 2 ** _MANTISSA[source.bit_width]:
        return None  # integers of this size share a float with their neighbours
    whole = floor(value)
    return _within(whole, target, exact=whole == value)


def _floated(value: int, source: Scale, to: pa.DataType) -> Fit | None:
    """An exact number for a float column, which DuckDB would round to a float first."""
    whole, rest = divmod(value, source.per_one)
    if rest or abs(whole) > 2 ** _MANTISSA[to.bit_width]:
        return None
    return Fit(float(whole), exact=True)


def _narrowed(value: float, to: pa.DataType) -> Fit:
    if pa.types.is_float64(to):
        return Fit(value, exact=True)
    with np.errstate(over="ignore"):
        single = np.float32(value)
    nearest = float(single)
    if nearest > value:
        return Fit(float(np.nextafter(single, np.float32("-inf"))), exact=False)
    return Fit(nearest, exact=not nearest < value)

"""Plain values in another type of their kind, exactly or not at all.

pyarrow's safe casts catch most losses, not all: they round doubles into floats, floats into decimals
and times into dates. Those are cast back and compared. DuckDB's infinite dates and timestamps are the
largest numbers of their type and stay infinite in every unit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrow import Array
from lakeport.catalog.rows.refusals import another_kind, first_misfit, misfit

_compute: Any = pc

_Conversion: TypeAlias = Callable[[Array, pa.DataType], Array]


def convert_scalars(array: Array, to: pa.DataType, where: str) -> Array:
    conversion = _conversion(array.type, to)
    if conversion is None:
        raise another_kind(array.type, to, where)

    def fits(part: Array) -> bool:
        try:
            conversion(part, to)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return False
        return True

    try:
        return conversion(array, to)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise misfit(array, first_misfit(array, fits), to, where) from error


def kind_of(data_type: pa.DataType) -> str | None:
    """What a value is, whatever its width; None for what has no plain values."""
    return next((kind for kind, holds in _KINDS.items() if holds(data_type)), None)


def _conversion(sent: pa.DataType, to: pa.DataType) -> _Conversion | None:
    pair = kind_of(sent), kind_of(to)
    if pair[0] is None:
        return None
    if pair == ("number", "number"):
        return _number
    if pair in {("date", "wall clock"), ("wall clock", "date"), ("date", "date")}:
        return _calendar
    if pair[0] == pair[1]:
        return _calendar if pair[0] in {"wall clock", "instant"} else _plain
    return None


def _plain(array: Array, to: pa.DataType) -> Array:
    return array.cast(to)


def _number(array: Array, to: pa.DataType) -> Array:
    if pa.types.is_float16(array.type):
        array = array.cast(pa.float32())  # which holds all of them, and pyarrow can compare
    exact = not (pa.types.is_floating(array.type) or pa.types.is_floating(to))
    if not exact:
        return _proven(array, array.cast(to, safe=not pa.types.is_floating(to)))
    if pa.types.is_decimal(to) and pa.types.is_integer(array.type):
        # pyarrow wants room for every number of the integer type, even when the ones sent are small.
        target: Any = to
        array = array.cast(pa.decimal256(20 + max(target.scale, 0), max(target.scale, 0)))
    return array.cast(to)


def _proven(array: Array, cast: Array) -> Array:
    back = cast.cast(array.type, safe=not pa.types.is_floating(array.type))
    same = _compute.equal(array, back)
    if pa.types.is_floating(array.type):
        same = _compute.or_(same, _compute.and_(_compute.is_nan(array), _compute.is_nan(back)))
    if not _compute.all(same, min_count=0).as_py():
        message = "a value changed"
        raise pa.ArrowInvalid(message)
    return cast


def _calendar(array: Array, to: pa.DataType) -> Array:
    if array.type == to or getattr(array.type, "unit", None) == getattr(to, "unit", ""):
        return array.cast(to)
    count = _count(array)
    largest, smallest = _ends(array.type)
    found = _compute.min_max(count)
    if found["max"].as_py() != largest and found["min"].as_py() != smallest:
        return _exact_calendar(array, to)
    upper, lower = _compute.equal(count, largest), _compute.equal(count, smallest)
    endless = _compute.or_(upper, lower)
    rest: Any = _exact_calendar(_compute.if_else(endless, pa.scalar(None, array.type), array), to)
    top, bottom = _ends(to)
    width = _count(rest).type
    bounds = _compute.if_else(upper, pa.scalar(top, width), pa.scalar(bottom, width))
    whole: Any = _compute.if_else(endless, bounds, _count(rest))
    return whole.view(to)  # type: ignore[no-any-return]  # compute functions are untyped here


def _exact_calendar(array: Array, to: pa.DataType) -> Array:
    # A cast to a day is not checked by pyarrow: what is left of the hour would just go.
    return _proven(array, array.cast(to)) if kind_of(to) == "date" else array.cast(to)


def _count(array: Array) -> Any:
    kind: Any = array.type
    return array.view(pa.int32() if kind.bit_width == 32 else pa.int64())


def _ends(data_type: pa.DataType) -> tuple[int, int]:
    """Infinity and −infinity, as DuckDB reads them; a date64 counts milliseconds of date32's days."""
    kind: Any = data_type
    if pa.types.is_date(kind):
        largest = (2**31 - 1) * (1 if kind.bit_width == 32 else 86_400_000)
    else:
        largest = 2**63 - 1
    return largest, -largest


_KINDS: dict[str, Callable[[pa.DataType], bool]] = {
    "boolean": pa.types.is_boolean,
    "number": lambda t: pa.types.is_integer(t) or pa.types.is_floating(t) or pa.types.is_decimal(t),
    "text": lambda t: (
        pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t)
    ),
    "bytes": lambda t: (
        pa.types.is_binary(t)
        or pa.types.is_large_binary(t)
        or pa.types.is_binary_view(t)
        or pa.types.is_fixed_size_binary(t)
    ),
    "date": pa.types.is_date,
    "instant": lambda t: pa.types.is_timestamp(t) and t.tz is not None,
    "wall clock": pa.types.is_timestamp,
    "time of day": pa.types.is_time,
    "duration": pa.types.is_duration,
    "interval": pa.types.is_interval,
}

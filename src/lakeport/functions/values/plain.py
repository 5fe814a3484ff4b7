"""One row at a time: Python's own values, which most people write functions over."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from lakeport.catalog.arrays.unfit import UNFIT, unfit
from lakeport.catalog.arrow import Array
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted
from lakeport.functions.values.fit import fit, wrong_type


def python_values(values: Array, parameter: str) -> list[Any]:
    """A date of DuckDB's may be infinite, or further away than Python's go."""
    try:
        plain = values.to_pylist(maps_as_pydicts="strict")
        return list(map(_timedelta, plain)) if pa.types.is_interval(values.type) else plain
    except (ValueError, OverflowError) as error:
        raise InvalidRequestError(
            f"a value of parameter {quoted(parameter)} cannot be told in Python: {error}"
        ) from error


def _timedelta(value: Any) -> dt.timedelta | None:
    if value is None:
        return None
    if value.months:
        raise ValueError(f"{value.months} months have no fixed length")
    return dt.timedelta(days=value.days, microseconds=value.nanoseconds / 1_000)


def array_of_values(values: Sequence[Any], declared: pa.DataType, what: str) -> Array:
    """Arrow itself would cut a fraction off for an integer, and the time off for a day."""
    try:
        if _is_cut(declared):
            return fit(pa.array(values), declared, what)
        made: Array = pa.array(values, declared)
    except UNFIT as error:
        kinds = sorted({type(value).__name__ for value in values if value is not None})
        raise wrong_type(
            what, f"values of type {', '.join(kinds)}", declared, unfit(error)
        ) from error
    return made


def _is_cut(kind: pa.DataType) -> bool:
    if isinstance(kind, pa.BaseExtensionType) or pa.types.is_map(kind):
        return False
    if pa.types.is_nested(kind):
        return any(_is_cut(kind.field(index).type) for index in range(kind.num_fields))
    return pa.types.is_integer(kind) or (
        pa.types.is_temporal(kind)
        and not (pa.types.is_duration(kind) or pa.types.is_interval(kind))
    )

"""What a type annotation says about a value: its Arrow type, the form it is wanted in, whether it may be NULL.

numpy, pandas and polars are recognised by the names of their classes: nobody who does not use them waits
for their import.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import types
import typing
import uuid
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.functions.styles import Style

PLAIN_TYPES: dict[Any, pa.DataType] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    str: pa.string(),
    bytes: pa.binary(),
    dt.date: pa.date32(),
    dt.datetime: pa.timestamp("us"),
    dt.time: pa.time64("us"),
    dt.timedelta: pa.month_day_nano_interval(),  # DuckDB has no other INTERVAL
    uuid.UUID: pa.uuid(),
}

_ARRAYS: dict[Any, pa.DataType] = {
    pa.BooleanArray: pa.bool_(),
    pa.Int8Array: pa.int8(),
    pa.Int16Array: pa.int16(),
    pa.Int32Array: pa.int32(),
    pa.Int64Array: pa.int64(),
    pa.UInt8Array: pa.uint8(),
    pa.UInt16Array: pa.uint16(),
    pa.UInt32Array: pa.uint32(),
    pa.UInt64Array: pa.uint64(),
    pa.FloatArray: pa.float32(),
    pa.DoubleArray: pa.float64(),
    pa.StringArray: pa.string(),
    pa.LargeStringArray: pa.large_string(),
    pa.BinaryArray: pa.binary(),
    pa.LargeBinaryArray: pa.large_binary(),
    pa.Date32Array: pa.date32(),
    pa.TimestampArray: pa.timestamp("us"),
    pa.Time64Array: pa.time64("us"),
    pa.MonthDayNanoIntervalArray: pa.month_day_nano_interval(),
    pa.UuidArray: pa.uuid(),
}
_SERIES = {("pandas", "Series"): Style.PANDAS, ("polars", "Series"): Style.POLARS}
_DECIMAL = "a Decimal does not say how many digits it has: write `Annotated[Decimal, pa.decimal128(18, 2)]`"


class UnclearError(Exception):
    """The annotation does not say enough; the text says what to write instead."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """`type` is None where only a schema or an `Annotated` could tell it; then `reason` says how."""

    type: pa.DataType | None
    style: Style | None = None
    optional: bool = False
    is_any: bool = False
    reason: str = ""


def read(annotation: Any) -> Annotation:
    """Raises `UnclearError` for what means no value of a table at all."""
    if annotation is Any:
        return Annotation(None, is_any=True)
    origin = get_origin(annotation)
    if origin is Annotated:
        return _annotated(annotation)
    if origin in {Union, types.UnionType}:
        return _union(annotation)
    return _vector(annotation, origin) or Annotation(plain_type(annotation), Style.PLAIN)


def plain_type(annotation: Any) -> pa.DataType:
    """The Arrow type of one Python value, nested ones included."""
    known = PLAIN_TYPES.get(annotation)
    if known is not None:
        return known
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return next((each for each in inside[1:] if isinstance(each, pa.DataType)), None) or (
            plain_type(inside[0])
        )
    if origin in {Union, types.UnionType}:
        return plain_type(_without_none(annotation))
    if origin is list and len(inside) == 1:
        return pa.list_(plain_type(inside[0]))
    if origin is dict and len(inside) == 2:
        return pa.map_(plain_type(inside[0]), plain_type(inside[1]))
    if annotation is decimal.Decimal:
        raise UnclearError(_DECIMAL)
    if is_row(annotation):
        return pa.struct(row_fields(annotation))
    numpy_type = _numpy_type(annotation)
    if numpy_type is not None:
        return numpy_type
    shown = getattr(annotation, "__name__", None) or str(annotation)
    raise UnclearError(
        f"`{shown}` is no type that SQL knows: use int, float, str, bytes, bool, a type of datetime,"
        " UUID, list[…], or `Annotated[…, pa.int32()]`"
    )


def is_row(annotation: Any) -> bool:
    """A TypedDict, a NamedTuple or a dataclass: a value with named fields."""
    if not isinstance(annotation, type):
        return False
    named_tuple = issubclass(annotation, tuple) and hasattr(annotation, "_fields")
    return typing.is_typeddict(annotation) or named_tuple or dataclasses.is_dataclass(annotation)


def row_fields(kind: Any) -> list[Field]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return [pa.field(name, plain_type(hint)) for name, hint in hints.items()]


def _annotated(annotation: Any) -> Annotation:
    base, *extra = get_args(annotation)
    told = next((each for each in extra if isinstance(each, pa.DataType)), None)
    any_type = any(each is Any for each in extra)
    if base is Any:
        return Annotation(told, Style.PLAIN) if told else Annotation(None, is_any=True)
    if told is None and not any_type:
        return read(base)
    vector = _vector(base, get_origin(base))
    style = Style.PLAIN if vector is None else vector.style
    return Annotation(told, style, optional=_takes_none(base), is_any=any_type and told is None)


def _union(annotation: Any) -> Annotation:
    found = read(_without_none(annotation))
    return dataclasses.replace(found, optional=True)


def _without_none(annotation: Any) -> Any:
    others = [each for each in get_args(annotation) if each is not types.NoneType]
    if len(others) != 1 or len(others) == len(get_args(annotation)):
        raise UnclearError("a value has one type: write `T | None`, or Any for values of any type")
    return others[0]


def _takes_none(annotation: Any) -> bool:
    return get_origin(annotation) in {Union, types.UnionType} and types.NoneType in get_args(
        annotation
    )


def _vector(annotation: Any, origin: Any) -> Annotation | None:
    """Many values at once."""
    kind = origin or annotation
    if kind in _ARRAYS:
        return Annotation(_ARRAYS[kind], Style.ARROW)
    if isinstance(kind, type) and issubclass(kind, pa.Array | pa.ChunkedArray):
        name = f"pa.{kind.__name__}"
        return Annotation(
            None,
            Style.ARROW,
            reason=f"`{name}` does not say of what: write `Annotated[{name}, pa.int64()]`",
        )
    module = getattr(kind, "__module__", "").partition(".")[0]
    name = getattr(kind, "__name__", "")
    if module == "numpy" and name == "ndarray":
        return _numpy_array(annotation)
    style = _SERIES.get((module, name))
    if style is None:
        return None
    reason = f"`{name}` does not say of what: write `Annotated[{name}, pa.int64()]`"
    return Annotation(None, style, reason=reason)


def _numpy_array(annotation: Any) -> Annotation:
    """`np.ndarray`, or `npt.NDArray[np.int64]`, which is `np.ndarray[shape, np.dtype[np.int64]]`."""
    kinds = [
        get_args(each)[0]
        for each in get_args(annotation)
        if getattr(get_origin(each), "__name__", "") == "dtype"
    ]
    found = next((_numpy_type(each) for each in kinds), None)
    reason = (
        "a numpy array does not say of what: write `npt.NDArray[np.int64]` or"
        " `Annotated[np.ndarray, pa.int64()]`"
    )
    return Annotation(found, Style.NUMPY, reason=reason)


def _numpy_type(annotation: Any) -> pa.DataType | None:
    if getattr(annotation, "__module__", "").partition(".")[0] != "numpy":
        return None
    try:
        return pa.from_numpy_dtype(annotation)
    except (TypeError, pa.ArrowException):
        return None

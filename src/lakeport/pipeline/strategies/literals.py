"""Values as literals of Spark SQL, by the type of the column they are compared with.

Only types whose order is the same for every engine and in every file's statistics: no floats (NaN),
no bytes, no uuids. A value that has no literal is None, and whoever asked does without a bound.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted
from lakeport.pipeline.growth import model
from lakeport.pipeline.growth.conversion import Projected
from lakeport.pipeline.growth.model import DecimalOf, Type
from lakeport.pipeline.growth.spark_select import literal
from lakeport.pipeline.growth.spark_words import text_of
from lakeport.pipeline.strategies.write import Value

_ORDERED = frozenset(
    {model.INT, model.LONG, model.DATE, model.TIMESTAMP, model.TIMESTAMPTZ, model.STRING}
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST = 256
"""Characters of a text: longer ones would make the statement long, and skip no more files."""


def is_ordered(type_: Type) -> bool:
    return type_ in _ORDERED or isinstance(type_, DecimalOf)


def literal_of(type_: Type, value: Value) -> str | None:
    """A key's value as `measure` gives it."""
    match value:
        case bool() | float():
            return None
        case int():
            return _whole(type_, value)
        case Decimal():
            return f"{value:f}BD" if isinstance(type_, DecimalOf) and value.is_finite() else None
        case str():
            return _text(type_, value)


def _whole(type_: Type, value: int) -> str | None:
    try:
        match type_:
            case model.INT:
                return str(value)
            case model.LONG:
                return f"{value}L"
            case model.DATE:
                return f"DATE '{(_EPOCH + timedelta(days=value)).date().isoformat()}'"
            case model.TIMESTAMPTZ:
                return _instant(_EPOCH + timedelta(microseconds=value))
            case _:
                return None
    except OverflowError:
        return None  # before the year 1 or after 9999, where Python's calendar ends


def _text(type_: Type, value: str) -> str | None:
    if type_ == model.STRING:
        return literal(value) if len(value) <= _LONGEST else None
    if type_ != model.TIMESTAMP:
        return None
    try:
        return _wall_clock(datetime.fromisoformat(value))
    except ValueError:
        return None  # the same calendar


def point_literal(column: Projected, point: date | datetime) -> str:
    """An end of a time range, which must be of the column's own kind."""
    is_date = not isinstance(point, datetime)
    if column.type == model.DATE and is_date:
        return f"DATE '{point.isoformat()}'"
    if isinstance(point, datetime):
        if column.type == model.TIMESTAMP and point.tzinfo is None:
            return _wall_clock(point)
        if column.type == model.TIMESTAMPTZ and point.tzinfo is not None:
            return _instant(point)
    raise InvalidRequestError(
        f"column {quoted(column.name)} is {text_of(column.type)}, the range ends at {point.isoformat()}",
        hint="give dates for a date, points in time with a zone for a timestamp, without one for a"
        " timestamp_ntz",
    )


def _wall_clock(point: datetime) -> str:
    return f"TIMESTAMP_NTZ '{point.isoformat(' ', 'microseconds')}'"


def _instant(point: datetime) -> str:
    return f"TIMESTAMP_LTZ '{point.astimezone(UTC).isoformat(' ', 'microseconds')}'"

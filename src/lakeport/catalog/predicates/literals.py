"""Constants as DuckDB's literals, each with its type, so that DuckDB reads back the very same value.

Dates are computed here, not by `datetime`: DuckDB's calendar reaches from 290309 BC to 294247.
"""

from __future__ import annotations

import uuid

import pyarrow as pa

from lakeport.catalog.arrow import Scalar
from lakeport.catalog.predicates.constants import plain_value
from lakeport.catalog.predicates.kinds import (
    Kind,
    Scale,
    constant_type,
    is_zoned_nanoseconds,
    kind_of,
    scale_of,
)
from lakeport.catalog.predicates.ordering import key

_SIMPLE: dict[pa.DataType, str] = {
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.uint8(): "UTINYINT",
    pa.uint16(): "USMALLINT",
    pa.uint32(): "UINTEGER",
    pa.uint64(): "UBIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.date32(): "DATE",
    pa.date64(): "DATE",
    pa.time32("s"): "TIME",
    pa.time32("ms"): "TIME",
    pa.time64("us"): "TIME",
    pa.time64("ns"): "TIME_NS",
    pa.timestamp("s"): "TIMESTAMP_S",
    pa.timestamp("ms"): "TIMESTAMP_MS",
    pa.timestamp("us"): "TIMESTAMP",
    pa.timestamp("ns"): "TIMESTAMP_NS",
}
_DAY_SECONDS = 86_400


def literal(constant: Scalar) -> str:
    if is_zoned_nanoseconds(constant.type):
        return literal(key(constant))
    data_type = constant_type(constant.type)
    value = plain_value(constant)
    kind = kind_of(data_type)
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case str():
            suffix = "::JSON" if isinstance(data_type, pa.JsonType) else ""
            return text_literal(value) + suffix
        case bytes() if kind is Kind.UUID:
            return f"'{uuid.UUID(bytes=value)}'::UUID"
        case bytes():
            return "'" + "".join(f"\\x{byte:02X}" for byte in value) + "'::BLOB"
        case float():
            return f"'{value!r}'::{_SIMPLE[data_type]}"
        case int() if kind is Kind.NUMBER:
            return f"'{_digits(value, scale_of(data_type).per_one)}'::{_number_type(data_type)}"
        case _:
            return _time_literal(value, data_type)


def text_literal(text: str) -> str:
    """DuckDB's parser ends a text at NUL, so that one is joined in."""
    parts = ["'" + part.replace("'", "''") + "'" for part in text.split("\0")]
    return parts[0] if len(parts) == 1 else "(" + " || chr(0) || ".join(parts) + ")"


def _number_type(data_type: pa.DataType) -> str:
    if isinstance(data_type, pa.Decimal32Type | pa.Decimal64Type | pa.Decimal128Type):
        return f"DECIMAL({data_type.precision},{data_type.scale})"
    return _SIMPLE.get(data_type) or ("HUGEINT" if scale_of(data_type).low else "UHUGEINT")


def _digits(value: int, per_one: int) -> str:
    if per_one == 1:
        return str(value)
    whole, rest = divmod(abs(value), per_one)
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{rest:0{len(str(per_one)) - 1}d}"


def _time_literal(value: int, data_type: pa.DataType) -> str:
    name = _SIMPLE.get(data_type, "TIMESTAMPTZ")
    scale = scale_of(data_type)
    if scale.infinity is not None and abs(value) == scale.infinity:
        return f"'{'' if value > 0 else '-'}infinity'::{name}"
    if name.startswith("TIMESTAMP"):
        days, ticks = divmod(value, scale.per_one)
        zone = "+00" if name == "TIMESTAMPTZ" else ""
        return f"'{_date(days)} {_clock(ticks, scale)}{zone}'::{name}"
    text = _date(value) if name == "DATE" else _clock(value, scale)
    return f"'{text}'::{name}"


def _clock(ticks: int, scale: Scale) -> str:
    per_second = scale.per_one // _DAY_SECONDS
    seconds, fraction = divmod(ticks, per_second)
    minutes, second = divmod(seconds, 60)
    text = f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}"
    return f"{text}.{fraction:0{len(str(per_second)) - 1}d}" if fraction else text


def _date(days: int) -> str:
    """The Gregorian date of a day since 1970, extended to all times.

    Years are counted from 1 March 0, so that the leap day is the last day of its year, in cycles
    of 400 years, which are all alike.
    """
    cycle, day_of_cycle = divmod(days + 719_468, 146_097)
    year_of_cycle = (
        day_of_cycle - day_of_cycle // 1460 + day_of_cycle // 36_524 - day_of_cycle // 146_096
    ) // 365
    day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle // 4 - year_of_cycle // 100)
    month_from_march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month_from_march + 2) // 5 + 1
    month = (month_from_march + 2) % 12 + 1
    year = 400 * cycle + year_of_cycle + (month <= 2)
    # There is no year 0: the one before 1 is 1 BC.
    era, shown = ("", year) if year > 0 else (" (BC)", 1 - year)
    return f"{shown:04d}-{month:02d}-{day:02d}{era}"

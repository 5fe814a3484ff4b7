"""Constants as SQL that has exactly their type and value again.

Most are a cast of their text. A VARCHAR is a bare literal, because DuckDB wants patterns, paths and
formats so; nested values are built from their parts, so that each part keeps its own type.
"""

from __future__ import annotations

from decimal import Context, Decimal
from uuid import UUID

from lakeport.airport.pushdown.moments import (
    date_text,
    time_text,
    timestamp_text,
    zoned_time_text,
)
from lakeport.airport.pushdown.nodes import Constant, Interval
from lakeport.airport.pushdown.refusal import NotEvaluatedError
from lakeport.airport.pushdown.types import (
    TIME_TZ,
    TIMESTAMP_TZ,
    DuckType,
    identifier,
    text_literal,
)

_EXACT = Context(prec=80)
_PER_SECOND = {
    "TIME": 10**6,
    "TIME_NS": 10**9,
    "TIMESTAMP": 10**6,
    "TIMESTAMP_S": 1,
    "TIMESTAMP_MS": 10**3,
    "TIMESTAMP_NS": 10**9,
    TIMESTAMP_TZ: 10**6,
}


def literal(constant: Constant) -> str:
    data_type, value = constant.type, constant.value
    if value is None:
        return _null(data_type)
    if isinstance(value, tuple):
        return _nested(constant, value)
    if data_type.id == "BOOLEAN":
        return "true" if value else "false"
    if data_type.id == "INTEGER":
        return str(value)
    if data_type.id == "VARCHAR":
        return _varchar(str(value))
    return cast(text_literal(_text(constant)), data_type)


def cast(sql: str, data_type: DuckType, *, is_try: bool = False) -> str:
    if not data_type.sql:
        raise NotEvaluatedError(f"a cast to an unnamed {data_type.id}")
    return f"{'TRY_CAST' if is_try else 'CAST'}({sql} AS {data_type.sql})"


def _null(data_type: DuckType) -> str:
    if data_type.id == "NULL":
        return "NULL"
    if data_type.sql:
        return cast("NULL", data_type)
    raise NotEvaluatedError(f"NULL as an unnamed {data_type.id}")


def _varchar(text: str) -> str:
    # No SQL text may hold a NUL, but a blob's escapes may stand for one.
    if "\0" not in text:
        return text_literal(text)
    return f"\"decode\"(CAST('{_escaped(text.encode())}' AS BLOB))"


def _escaped(data: bytes) -> str:
    return "".join(f"\\x{byte:02X}" for byte in data)


def _text(constant: Constant) -> str:  # noqa: C901 one arm per form
    data_type, value = constant.type, constant.value
    match value:
        case float():
            return repr(value)
        case Interval(months, days, micros):
            return f"{months} months {days} days {micros} microseconds"
        case bytes() if data_type.id == "UUID":
            return str(UUID(bytes=value))
        case bytes():
            return _escaped(value)
        case str() if "\0" in value:
            raise NotEvaluatedError(f"a NUL in a constant of type {data_type.id}")
        case str():
            return value
        case int() if data_type.id == "DECIMAL":
            return f"{Decimal(value).scaleb(-data_type.scale, _EXACT):f}"
        case int() if data_type.id == "DATE":
            return date_text(value)
        case int() if data_type.id == TIME_TZ:
            return zoned_time_text(value)
        case int() if data_type.id.startswith("TIMESTAMP"):
            return _timestamp(value, data_type.id)
        case int() if data_type.id in _PER_SECOND:
            return time_text(value, _PER_SECOND[data_type.id])
        case _:
            return str(value)


def _timestamp(ticks: int, name: str) -> str:
    text = timestamp_text(ticks, _PER_SECOND[name])
    # DuckDB reads the era after the whole of a date and before its time of day.
    return text + "+00" if name == TIMESTAMP_TZ and "infinity" not in text else text


def _nested(constant: Constant, values: tuple[Constant, ...]) -> str:
    data_type = constant.type
    parts = [literal(value) for value in values]
    match data_type.id:
        case "LIST" | "ARRAY" if not parts:
            return cast('"list_value"()', data_type)
        case "LIST":
            return f'"list_value"({", ".join(parts)})'
        case "ARRAY":
            return f'"array_value"({", ".join(parts)})'
        case "MAP":
            return _map(values, data_type)
        case "UNION":
            return cast(f'"union_value"({identifier(constant.tag)} := {parts[0]})', data_type)
        case _:
            return struct(data_type, parts)


def struct(data_type: DuckType, parts: list[str]) -> str:
    """A STRUCT with these values; one without names is a row."""
    names = [name for name, _ in data_type.parts]
    if len(names) != len(parts):
        raise NotEvaluatedError("a STRUCT of unknown fields")
    if not any(names):
        return f'"row"({", ".join(parts)})'
    named = (f"{identifier(name)} := {sql}" for name, sql in zip(names, parts, strict=True))
    return f'"struct_pack"({", ".join(named)})'


def _map(entries: tuple[Constant, ...], data_type: DuckType) -> str:
    if not entries:
        return cast('"map"()', data_type)
    pairs = [entry.value for entry in entries]
    if not all(isinstance(pair, tuple) for pair in pairs):
        raise NotEvaluatedError("a MAP with an entry that is NULL")
    columns = zip(*(pair for pair in pairs if isinstance(pair, tuple)), strict=True)
    keys, values = (", ".join(map(literal, column)) for column in columns)
    return f'"map"("list_value"({keys}), "list_value"({values}))'

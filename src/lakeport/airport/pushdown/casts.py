"""Casts between DuckDB's types: which can be repeated here, which keep every value, which never fail."""

from __future__ import annotations

from lakeport.airport.pushdown.nodes import Conversion
from lakeport.airport.pushdown.refusal import NotEvaluatedError
from lakeport.airport.pushdown.types import DuckType

_DIGITS = {
    "TINYINT": 3,
    "SMALLINT": 5,
    "INTEGER": 10,
    "BIGINT": 19,
    "UTINYINT": 3,
    "USMALLINT": 5,
    "UINTEGER": 10,
    "UBIGINT": 20,
}
_NUMBERS = {"HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL"}
_WIDER = {
    "TINYINT": {"SMALLINT", "INTEGER", "BIGINT", "HUGEINT"},
    "SMALLINT": {"INTEGER", "BIGINT", "HUGEINT"},
    "INTEGER": {"BIGINT", "HUGEINT"},
    "BIGINT": {"HUGEINT"},
    "UTINYINT": {"SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "USMALLINT", "UINTEGER", "UBIGINT"},
    "USMALLINT": {"INTEGER", "BIGINT", "HUGEINT", "UINTEGER", "UBIGINT", "UHUGEINT"},
    "UINTEGER": {"BIGINT", "HUGEINT", "UBIGINT", "UHUGEINT"},
    "UBIGINT": {"HUGEINT", "UHUGEINT"},
}


def check_cast(conversion: Conversion) -> None:
    before, after = conversion.part.type, conversion.type
    if (before.is_zoned or after.is_zoned) and before != after:
        raise NotEvaluatedError("a cast that depends on the session's time zone")


def is_widening(before: DuckType, after: DuckType) -> bool:
    """Whether every value stays the same number, so that comparing before or after is one."""
    if after.id == "DECIMAL":
        room = after.width - after.scale
        if before.id == "DECIMAL":
            return before.scale <= after.scale and before.width - before.scale <= room
        return _DIGITS.get(before.id, 39) <= room
    return after.id in _WIDER.get(before.id, ())


def never_fails(before: DuckType, after: DuckType) -> bool:
    """Whether every value has an answer, be it a rounded one."""
    if before.id in {*_DIGITS, "BOOLEAN", "FLOAT"} and after.id in {"DOUBLE", "VARCHAR"}:
        return True
    return before == after or is_widening(before, after)


def fails_as_null(before: DuckType, after: DuckType) -> bool:
    """Whether TRY_CAST gives NULL just for what CAST fails at. Inside lists it does not, JSON's null
    is one anyway, and for some of the times it fails as CAST does.
    """
    is_text_or_number = before.id in {*_DIGITS, *_NUMBERS, "BOOLEAN", "VARCHAR"}
    return is_text_or_number and not after.parts

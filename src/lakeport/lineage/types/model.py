"""What a type is: a kind, its numbers, and the types inside it.

Kinds carry Spark's simple names (`int`, `bigint`, `string`, `timestamp_ntz`); a type Spark lacks
keeps the parser's name in lower case. An unknown type is None everywhere, never a kind of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

# Hashing and printing a type descend into it; deeper than this its inside is unknown.
MAX_NESTING = 64


class Field(msgspec.Struct, frozen=True):
    """A named part of a struct, in its original spelling."""

    name: str
    type: SqlType | None


class SqlType(msgspec.Struct, frozen=True, cache_hash=True):
    """`children` are an array's element or a map's key and value; `fields` belong to structs.

    An interval keeps its units in `unit`: `("day", "second")`, one of them twice for a single
    unit, and none for Spark's legacy calendar interval.
    """

    kind: str
    parameters: tuple[int, ...] = ()
    children: tuple[SqlType | None, ...] = ()
    fields: tuple[Field, ...] = ()
    unit: tuple[str, str] | None = None
    # How deep its inside nests; it follows from the parts.
    depth: int = 0
    # How strings of this type are compared, where it is said.
    collation: str | None = None

    @property
    def element(self) -> SqlType | None:
        """What an array holds."""
        return self.children[0] if self.kind == "array" and self.children else None

    @property
    def key(self) -> SqlType | None:
        return self.children[0] if self.kind == "map" and self.children else None

    @property
    def value(self) -> SqlType | None:
        return self.children[1] if self.kind == "map" and len(self.children) > 1 else None


BOOLEAN = SqlType("boolean")
TINYINT = SqlType("tinyint")
SMALLINT = SqlType("smallint")
INT = SqlType("int")
BIGINT = SqlType("bigint")
FLOAT = SqlType("float")
DOUBLE = SqlType("double")
STRING = SqlType("string")
BINARY = SqlType("binary")
DATE = SqlType("date")
TIME = SqlType("time", (6,))
TIMESTAMP = SqlType("timestamp")
TIMESTAMP_NTZ = SqlType("timestamp_ntz")
VARIANT = SqlType("variant")
VOID = SqlType("void")
CALENDAR_INTERVAL = SqlType("interval")
YEAR_TO_MONTH = SqlType("interval", unit=("year", "month"))
DAY_TO_SECOND = SqlType("interval", unit=("day", "second"))

INTEGRAL = frozenset({"tinyint", "smallint", "int", "bigint"})
FLOATING = frozenset({"float", "double"})
NUMERIC = INTEGRAL | FLOATING | {"decimal"}
TEXTUAL = frozenset({"string", "varchar", "char"})
ZONED = frozenset({"timestamp", "timestamptz", "timestampltz"})
INSTANT = ZONED | {"timestamp_ntz", "datetime"}
TEMPORAL = INSTANT | {"date", "time"}
NESTED = frozenset({"array", "map", "struct"})

YEAR_MONTH_UNITS = ("year", "month")
DAY_TIME_UNITS = ("day", "hour", "minute", "second")
_FOLDED_UNITS = {
    "week": "day",
    "quarter": "month",
    "millisecond": "second",
    "microsecond": "second",
}


@lru_cache(maxsize=2048)
def decimal(precision: int, scale: int) -> SqlType:
    """Made once each: what is looked up by a type finds its hash in it."""
    return SqlType("decimal", (precision, scale))


def array_of(element: SqlType | None) -> SqlType:
    inner = _shallow(element)
    return SqlType("array", children=(inner,), depth=_around(inner))


def map_of(key: SqlType | None, value: SqlType | None) -> SqlType:
    inner = _shallow(key), _shallow(value)
    return SqlType("map", children=inner, depth=_around(*inner))


def struct_of(fields: Iterable[tuple[str, SqlType | None]]) -> SqlType:
    inner = tuple(Field(name, _shallow(type_)) for name, type_ in fields)
    return SqlType("struct", fields=inner, depth=_around(*(part.type for part in inner)))


def _shallow(type_: SqlType | None) -> SqlType | None:
    return type_ if type_ is None or type_.depth < MAX_NESTING else None


def _around(*inner: SqlType | None) -> int:
    return 1 + max((type_.depth for type_ in inner if type_ is not None), default=0)


def is_known(type_: SqlType) -> bool:
    """No part of it is unknown."""
    parts = (*type_.children, *(part.type for part in type_.fields))
    return all(part is not None and is_known(part) for part in parts)


def interval_of(first: str, last: str | None = None) -> SqlType | None:
    """An interval of units as they are written: `days`, `WEEK`, `microseconds`."""
    start, end = _unit(first), _unit(last or first)
    for family in (YEAR_MONTH_UNITS, DAY_TIME_UNITS):
        if start in family and end in family:
            return SqlType("interval", unit=(start, end))
    return None


def _unit(text: str) -> str:
    lowered = text.lower()
    unit = lowered.removesuffix("s")
    return _FOLDED_UNITS.get(unit, unit)


def is_year_month(type_: SqlType) -> bool:
    return type_.unit is not None and type_.unit[0] in YEAR_MONTH_UNITS


def is_day_time(type_: SqlType) -> bool:
    return type_.unit is not None and type_.unit[0] in DAY_TIME_UNITS


def spans(left: SqlType, right: SqlType) -> SqlType | None:
    """The interval whose units cover both, if they are of one family."""
    for family in (YEAR_MONTH_UNITS, DAY_TIME_UNITS):
        units = [unit for side in (left, right) for unit in side.unit or ("",)]
        if all(unit in family for unit in units):
            ordered = sorted(units, key=family.index)
            return SqlType("interval", unit=(ordered[0], ordered[-1]))
    return None

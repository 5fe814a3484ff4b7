"""Values of a test file in the types of columns: read, guessed, written as SQL, shown.

TOML knows texts, numbers, booleans, dates and points in time. What it lacks (decimals, binary, exact
integers beyond 64 bits) is written as text and read by the column's type; so may anything else be.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Context, Decimal, InvalidOperation

from lakeport.pipeline.growth import model as types
from lakeport.pipeline.growth.model import (
    DecimalOf,
    Field,
    ListOf,
    MapOf,
    Primitive,
    StructOf,
    Type,
)
from lakeport.pipeline.growth.spark_words import cast_type, text_of

_BITS = {types.BYTE: 8, types.SHORT: 16, types.INT: 32, types.LONG: 64}
_REALS = frozenset({types.FLOAT, types.DOUBLE})
_HEX = "0x"
_WIDE = Context(prec=100)  # Python's own has 28 digits, and Spark's decimals 38
_TRUTH = {"true": True, "false": False}


class WrongValueError(ValueError):
    """A value that its column cannot hold."""


def as_type(value: object, type_: Type) -> object:
    """The value as Arrow hands a column of that type out; None stays."""
    if value is None:
        return None
    match type_:
        case ListOf():
            return [as_type(item, type_.element) for item in _list(value, type_)]
        case StructOf():
            return _struct(value, type_)
        case MapOf():
            given = _table(value, type_)
            entries = (
                (as_type(key, type_.key), as_type(item, type_.value)) for key, item in given.items()
            )
            return sorted(entries, key=lambda entry: shown(entry[0]))
        case DecimalOf():
            return _decimal(value, type_)
        case Primitive():
            return _plain(value, type_)
        case _:
            raise WrongValueError(f"a test cannot hold a value of the type {text_of(type_)}")


def _plain(value: object, type_: Primitive) -> object:
    if type_ in _BITS:
        return _integer(value, type_)
    if type_ in _REALS:
        return _real(value, type_)
    if type_ == types.BOOLEAN:
        return _boolean(value, type_)
    if type_ == types.DATE:
        return _date(value, type_)
    if type_ == types.TIMESTAMPTZ:
        point = _point(value, type_)
        return point.replace(tzinfo=UTC) if point.tzinfo is None else point.astimezone(UTC)
    if type_ == types.TIMESTAMP:
        point = _point(value, type_)
        if point.tzinfo is not None:
            raise _wrong(value, type_, "a wall clock has no zone")
        return point
    if type_ == types.BINARY or types.is_fixed(type_):
        return _bytes(value, type_)
    if not isinstance(value, str):
        raise _wrong(value, type_, "write it in quotes")
    return value


def _wrong(value: object, type_: Type, why: str = "") -> WrongValueError:
    return WrongValueError(f"{shown(value)} is no {text_of(type_)}{why and f': {why}'}")


def _integer(value: object, type_: Primitive) -> int:
    try:
        number = int(value) if isinstance(value, str) else value
    except ValueError:
        raise _wrong(value, type_) from None
    if not isinstance(number, int) or isinstance(number, bool):
        raise _wrong(value, type_)
    limit = 1 << (_BITS[type_] - 1)
    if not -limit <= number < limit:
        raise _wrong(value, type_, "it is out of range")
    return number


def _real(value: object, type_: Primitive) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _wrong(value, type_)
    try:
        return float(value)
    except ValueError:
        raise _wrong(value, type_) from None


def _boolean(value: object, type_: Primitive) -> bool:
    found = _TRUTH.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(found, bool):
        raise _wrong(value, type_)
    return found


def _date(value: object, type_: Primitive) -> date:
    if isinstance(value, str):
        try:
            return date.fromisoformat(value.strip())
        except ValueError:
            raise _wrong(value, type_, "write it as 2026-03-01") from None
    if isinstance(value, datetime) or not isinstance(value, date):
        raise _wrong(value, type_, "write it as 2026-03-01")
    return value


def _point(value: object, type_: Primitive) -> datetime:
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:
            raise _wrong(value, type_, "write it as 2026-03-01T12:30:00") from None
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001  its zone is the type's
    raise _wrong(value, type_, "write it as 2026-03-01T12:30:00")


def _decimal(value: object, type_: DecimalOf) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _wrong(value, type_)
    try:
        number = Decimal(value if isinstance(value, str) else str(value))
        exact = (
            _WIDE.quantize(number, Decimal(1).scaleb(-type_.scale)) if number.is_finite() else None
        )
    except InvalidOperation:
        raise _wrong(value, type_) from None
    if exact is None or exact != number:
        raise _wrong(value, type_, f"it has more than {type_.scale} digits behind the point")
    if exact.adjusted() >= type_.whole and exact:
        raise _wrong(value, type_, "it has too many digits")
    return exact


def _bytes(value: object, type_: Primitive) -> bytes:
    if not isinstance(value, str):
        raise _wrong(value, type_, f'write text, or "{_HEX}00ff"')
    if not value.startswith(_HEX):
        return value.encode()
    try:
        return bytes.fromhex(value.removeprefix(_HEX))
    except ValueError:
        raise _wrong(value, type_, f'write text, or "{_HEX}00ff"') from None


def _list(value: object, type_: Type) -> list[object]:
    if not isinstance(value, list):
        raise _wrong(value, type_, "write […]")
    return value


def _table(value: object, type_: Type) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise _wrong(value, type_, "write {…}")
    return value


def _struct(value: object, type_: StructOf) -> dict[str, object]:
    given = {name.casefold(): item for name, item in _table(value, type_).items()}
    known = {field.name.casefold() for field in type_.fields}
    strange = [name for name in given if name not in known]
    if strange:
        raise WrongValueError(f"{text_of(type_)} has no field {strange[0]}")
    return {
        field.name: as_type(given.get(field.name.casefold()), field.type) for field in type_.fields
    }


# -- guessing ------------------------------------------------------------------------------------


def guessed(values: Iterable[object]) -> Type:
    """The type of a column that nobody declared, from all that stands in it."""
    held = [value for value in values if value is not None]
    kinds = {_kind(value) for value in held}
    if kinds == {"list"}:
        return ListOf(guessed(item for value in held if isinstance(value, list) for item in value))
    if kinds == {"table"}:
        names: dict[str, list[object]] = {}
        for value in held:
            for name, item in value.items() if isinstance(value, Mapping) else ():
                names.setdefault(name, []).append(item)
        return StructOf(tuple(Field(name, guessed(items)) for name, items in names.items()))
    if kinds <= {"integer", "number"} and kinds:
        return types.LONG if kinds == {"integer"} else types.DOUBLE
    if kinds <= {"date", "point"} and kinds:
        return types.DATE if kinds == {"date"} else types.TIMESTAMPTZ
    if kinds == {"boolean"}:
        return types.BOOLEAN
    if kinds <= {"text"}:
        return types.STRING
    raise WrongValueError(f"its values are of different kinds: {', '.join(sorted(kinds))}")


def _kind(value: object) -> str:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "text"
        case datetime():
            return "point"
        case date():
            return "date"
        case list():
            return "list"
        case Mapping():
            return "table"
        case _:
            raise WrongValueError(f"{shown(value)} is of a kind that no column has")


# -- writing -------------------------------------------------------------------------------------


def literal(value: object, type_: Type) -> str:
    """SQL for a value that `as_type` gave."""
    return f"CAST({_inner(value, type_)} AS {cast_type(type_)})"


def _inner(value: object, type_: Type) -> str:
    if value is None:
        return "NULL"
    match type_, value:
        case ListOf(element=element), list():
            return f"array({', '.join(literal(item, element) for item in value)})"
        case StructOf(fields=fields), dict():
            parts = (
                f"{_text(field.name)}, {literal(value[field.name], field.type)}" for field in fields
            )
            return f"named_struct({', '.join(parts)})"
        case MapOf(), list():
            parts = (
                f"{literal(key, type_.key)}, {literal(item, type_.value)}" for key, item in value
            )
            return f"map({', '.join(parts)})"
        case _, bytes():
            return f"X'{value.hex()}'"
        case _, bool():
            return "true" if value else "false"
        case _, datetime():
            return _text(value.isoformat(" ", "microseconds"))
        case _:
            return _text(str(value))


def _text(text: str) -> str:
    escaped = (
        text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    )
    return f"'{escaped}'"


# -- comparing and showing -----------------------------------------------------------------------


def settled(value: object) -> object:
    """A value of Spark's or Arrow's in the one form that `as_type` gives: points in time in UTC, entries of
    maps in order.
    """
    match value:
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC)
        case dict():
            return {name: settled(item) for name, item in value.items()}
        case list() if value and all(isinstance(item, tuple) for item in value):
            entries = ((settled(key), settled(item)) for key, item in value)
            return sorted(entries, key=lambda entry: shown(entry[0]))
        case list():
            return [settled(item) for item in value]
        case _:
            return value


def same(expected: object, got: object) -> bool:
    """Real numbers as far as they can be equal: what is computed in another order differs at the end."""
    match expected, got:
        case float(), float():
            return math.isclose(expected, got, rel_tol=1e-9) or (
                math.isnan(expected) and math.isnan(got)
            )
        case list(), list():
            return len(expected) == len(got) and all(map(same, expected, got))
        case tuple(), tuple():
            return len(expected) == len(got) and all(map(same, expected, got))
        case dict(), dict():
            return expected.keys() == got.keys() and all(
                same(item, got[name]) for name, item in expected.items()
            )
        case _:
            return expected == got


def shown(value: object) -> str:
    """As people write it."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case datetime():
            zone = "" if value.tzinfo is None else "Z"
            return value.replace(tzinfo=None).isoformat() + zone
        case date() | time():
            return value.isoformat()
        case bytes():
            return f'"{_HEX}{value.hex()}"'
        case list() if value and all(isinstance(item, tuple) for item in value):
            return "{" + ", ".join(f"{shown(key)} = {shown(item)}" for key, item in value) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(shown, value)) + "]"
        case Mapping():
            return "{" + ", ".join(f"{name} = {shown(item)}" for name, item in value.items()) + "}"
        case _:
            return str(value)

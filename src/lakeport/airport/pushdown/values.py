"""Constants of a filter: what stands in the JSON, checked against the range of its type.

Each type has its own form (chapter 7.4 of the protocol): a pair of 64 bit halves, an unscaled integer,
escaped text, base64 of DuckDB's internal bytes. A value that is not in that form cannot be evaluated.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable
from math import isinf
from struct import pack, unpack
from typing import Any, TypeAlias

from lakeport.airport.pushdown.moments import DATE_INFINITY, TIMESTAMP_INFINITY
from lakeport.airport.pushdown.nodes import Constant, Interval
from lakeport.airport.pushdown.refusal import NotEvaluatedError
from lakeport.airport.pushdown.types import TIME_TZ, TIMESTAMP_TZ, DuckType, read_type

MAX_BIGNUM = 4_000
"""Bytes: DuckDB reads n digits in n² steps."""

_DAY = 86_400
_LONGEST_OFFSET = 2 * (16 * 3600 - 1)
_ESCAPED = re.compile(r"\\x([0-9A-Fa-f]{2})")

_Reader: TypeAlias = Callable[[Any, DuckType], Any]


def read_value(found: object, inherited: DuckType | None = None) -> Constant:
    """`inherited` is the type for a value that does not say its own."""
    if not isinstance(found, dict):
        raise NotEvaluatedError("a constant in an unknown form")
    given = found.get("type")
    data_type = inherited if given is None and inherited is not None else read_type(given)
    if found.get("is_null") is True or data_type.id == "NULL":
        return Constant(data_type, None)
    try:
        return _read(found["value"], data_type)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise NotEvaluatedError(f"a constant of type {data_type.id} in an unknown form") from None


def _read(value: Any, data_type: DuckType) -> Constant:
    if data_type.id in _NESTED:
        return _NESTED[data_type.id](value["children"], data_type)
    return Constant(data_type, _READERS[data_type.id](value, data_type))


def _boolean(value: Any, _: DuckType) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _integer(low: int, high: int) -> _Reader:
    def read(value: Any, _: DuckType) -> int:
        return _within(_paired(value, signed=low < 0), low, high)

    return read


def _within(value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise ValueError
    return value


def _paired(value: Any, *, signed: bool) -> int:
    """An integer, or its two halves of 64 bits."""
    if isinstance(value, dict):
        low, high = (-(2**63), 2**63 - 1) if signed else (0, 2**64 - 1)
        upper = _within(_whole(value["upper"]), low, high)
        return (upper << 64) + _within(_whole(value["lower"]), 0, 2**64 - 1)
    return _whole(value)


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def _decimal(value: Any, data_type: DuckType) -> int:
    largest = 10**data_type.width - 1
    return _within(_paired(value, signed=True), -largest, largest)


def _double(value: Any, _: DuckType) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError
    return float(value)


def _float(value: Any, data_type: DuckType) -> float:
    given = _double(value, data_type)
    rounded: float = unpack("<f", pack("<f", given))[0]  # OverflowError beyond its range
    if isinf(rounded) and not isinf(given):
        raise ValueError
    return rounded


def _text(value: Any, _: DuckType) -> str:
    found = _bytes(value).decode() if isinstance(value, dict) else value
    if not isinstance(found, str):
        raise TypeError
    found.encode()  # UnicodeEncodeError for half of a surrogate pair
    return found


def _blob(value: Any, _: DuckType) -> bytes:
    r"""Printable characters stand for themselves, everything else is `\xHH`."""
    if isinstance(value, dict):
        return _bytes(value)
    pieces = _ESCAPED.split(value)
    plain, escaped = pieces[::2], pieces[1::2]
    if any("\\" in piece for piece in plain):
        raise ValueError
    ends = [bytes.fromhex(code) for code in escaped] + [b""]
    return b"".join(piece.encode("ascii") + end for piece, end in zip(plain, ends, strict=True))


def _bytes(value: Any) -> bytes:
    """DuckDB's internal bytes: as text when they happen to be one."""
    if isinstance(value, str):
        return value.encode()
    try:
        return b64decode(value["base64"], validate=True)
    except Base64Error:
        raise ValueError from None


def _bits(value: Any, _: DuckType) -> str:
    """The first byte counts the bits of the second that are only padding."""
    padding, *data = _bytes(value)
    bits = "".join(f"{byte:08b}" for byte in data)
    if padding > 7 or padding >= len(bits):
        raise ValueError
    return bits[padding:]


def _bignum(value: Any, _: DuckType) -> int:
    """Three bytes of length and sign, then the magnitude; all bits of a negative one are flipped."""
    data = _bytes(value)
    if not 4 <= len(data) <= MAX_BIGNUM:
        raise ValueError
    is_negative = not data[0] & 0x80
    plain = bytes(byte ^ 0xFF for byte in data) if is_negative else data
    if int.from_bytes(plain[:3], "big") != 0x800000 + len(plain) - 3:
        raise ValueError
    magnitude = int.from_bytes(plain[3:], "big")
    return -magnitude if is_negative else magnitude


def _uuid(value: Any, _: DuckType) -> bytes:
    """DuckDB stores it as a signed number that sorts as the text does: with its top bit flipped."""
    return ((_paired(value, signed=True) + 2**127) % 2**128).to_bytes(16, "big")


def _interval(value: Any, _: DuckType) -> Interval:
    half, whole = 2**31, 2**63
    return Interval(
        _within(_whole(value["months"]), -half, half - 1),
        _within(_whole(value["days"]), -half, half - 1),
        _within(_whole(value["micros"]), -whole, whole - 1),
    )


def _zoned_time(value: Any, _: DuckType) -> int:
    packed = _within(_whole(value), 0, 2**63 - 1)
    _within(packed >> 24, 0, _DAY * 10**6)
    _within(packed & (2**24 - 1), 0, _LONGEST_OFFSET)
    return packed


def _member(value: Any, data_type: DuckType) -> str:
    return data_type.members[_within(_whole(value), 0, len(data_type.members) - 1)]


_TIMESTAMP = _integer(-TIMESTAMP_INFINITY, TIMESTAMP_INFINITY)
_READERS: dict[str, _Reader] = {
    "BOOLEAN": _boolean,
    "TINYINT": _integer(-(2**7), 2**7 - 1),
    "SMALLINT": _integer(-(2**15), 2**15 - 1),
    "INTEGER": _integer(-(2**31), 2**31 - 1),
    "BIGINT": _integer(-(2**63), 2**63 - 1),
    "HUGEINT": _integer(-(2**127), 2**127 - 1),
    "UTINYINT": _integer(0, 2**8 - 1),
    "USMALLINT": _integer(0, 2**16 - 1),
    "UINTEGER": _integer(0, 2**32 - 1),
    "UBIGINT": _integer(0, 2**64 - 1),
    "UHUGEINT": _integer(0, 2**128 - 1),
    "DECIMAL": _decimal,
    "FLOAT": _float,
    "DOUBLE": _double,
    "VARCHAR": _text,
    "JSON": _text,
    "BLOB": _blob,
    "BIT": _bits,
    "BIGNUM": _bignum,
    "UUID": _uuid,
    "DATE": _integer(-DATE_INFINITY, DATE_INFINITY),
    "TIME": _integer(0, _DAY * 10**6),
    "TIME_NS": _integer(0, _DAY * 10**9),
    TIME_TZ: _zoned_time,
    "TIMESTAMP": _TIMESTAMP,
    "TIMESTAMP_S": _TIMESTAMP,
    "TIMESTAMP_MS": _TIMESTAMP,
    "TIMESTAMP_NS": _TIMESTAMP,
    TIMESTAMP_TZ: _TIMESTAMP,
    "INTERVAL": _interval,
    "ENUM": _member,
}


def _elements(children: Any, data_type: DuckType) -> Constant:
    ((_, element),) = data_type.parts
    if data_type.id == "ARRAY" and len(children) != data_type.size:
        raise ValueError
    return Constant(data_type, tuple(read_value(child, element) for child in children))


def _fields(children: Any, data_type: DuckType) -> Constant:
    pairs = zip(children, data_type.parts, strict=True)
    return Constant(data_type, tuple(read_value(child, part) for child, (_, part) in pairs))


def _entries(children: Any, data_type: DuckType) -> Constant:
    """A MAP's entries are structs of key and value."""
    entry = DuckType("STRUCT", "", data_type.parts)
    return Constant(data_type, tuple(read_value(child, entry) for child in children))


def _tagged(children: Any, data_type: DuckType) -> Constant:
    """A UNION is a struct of all its members behind a tag, which says the one that counts."""
    tag = _within(_whole(children[0]["value"]), 0, len(data_type.parts) - 1)
    name, part = data_type.parts[tag]
    return Constant(data_type, (read_value(children[1 + tag], part),), tag=name)


_NESTED: dict[str, Callable[[Any, DuckType], Constant]] = {
    "LIST": _elements,
    "ARRAY": _elements,
    "STRUCT": _fields,
    "MAP": _entries,
    "UNION": _tagged,
}

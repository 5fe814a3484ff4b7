"""Values of every Arrow type that DuckDB can hold, as storage values: integers for times, bytes for
opaque types. That form exists even where a Python object does not (a date of infinity).

A value that DuckDB refuses (a time of 25:00, a day of -2^31) is not here: it belongs to tests of
bad input.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

import pyarrow as pa

Values: TypeAlias = list[Any]

HUGEINT = pa.opaque(pa.binary(16), "hugeint", "DuckDB")
UHUGEINT = pa.opaque(pa.binary(16), "uhugeint", "DuckDB")
BIT = pa.opaque(pa.binary(), "bit", "DuckDB")
BIGNUM = pa.opaque(pa.binary(), "bignum", "DuckDB")
TIME_TZ = pa.opaque(pa.binary(8), "time_tz", "DuckDB")


def pool(rng: random.Random, data_type: pa.DataType) -> Values:
    """A handful of storage values of a leaf type: some of its edges, and some of anything."""
    edges, anything = _domain(rng, data_type)
    chosen = rng.sample(edges, min(len(edges), rng.randint(1, 5)))
    return chosen + [anything() for _ in range(rng.randint(1, 4))]


_INFINITE_DAYS = 2**31 - 1
_INFINITE_TIME = 2**63 - 1
_LAST_MICROSECOND = 9_223_372_022_400_000_000  # beyond it DuckDB has no date for a timestamp
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY_SECONDS = 86_400


def _domain(rng: random.Random, data_type: pa.DataType) -> tuple[Values, Callable[[], Any]]:
    if pa.types.is_null(data_type):
        return [None], lambda: None
    if isinstance(data_type, pa.BaseExtensionType):
        return _extension_domain(rng, data_type)
    if pa.types.is_boolean(data_type):
        return [False, True], lambda: rng.random() < 0.5
    if pa.types.is_integer(data_type):
        bits = data_type.bit_width
        low, high = (
            (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            if pa.types.is_signed_integer(data_type)
            else (0, 2**bits - 1)
        )
        return _integer_domain(rng, low, high)
    if pa.types.is_floating(data_type):
        return _float_domain(rng, single=data_type.bit_width == 32)
    if isinstance(data_type, pa.Decimal32Type | pa.Decimal64Type | pa.Decimal128Type):
        return _integer_domain(rng, 1 - 10**data_type.precision, 10**data_type.precision - 1)
    if pa.types.is_temporal(data_type):
        return _temporal_domain(rng, data_type)
    if isinstance(data_type, pa.FixedSizeBinaryType):
        width = data_type.byte_width
        return [b"\0" * width, b"\xff" * width, b"\x7f" * width], lambda: rng.randbytes(width)
    texts = ["", "a", "ab", "abc", "b", "Ab", "é", "ß", "z" * 40, "\U0001f600", "￿", "a\0b"]
    if data_type in {pa.string(), pa.large_string(), pa.string_view()}:
        return list(texts), lambda: "".join(rng.choices("abcé%_'\"\\ ", k=rng.randint(0, 6)))
    blobs = [b"", b"\0", b"\xff", b"a", b"ab", b"\xff\xff", b"\x80", b"a\0b", b"'\\x41"]
    return list(blobs), lambda: rng.randbytes(rng.randint(0, 6))


def _integer_domain(rng: random.Random, low: int, high: int) -> tuple[Values, Callable[[], int]]:
    edges = [low, low + 1, high - 1, high, *(n for n in (-1, 0, 1, 2, 100) if low <= n <= high)]
    near = (max(low, -9), min(high, 9))
    return edges, lambda: rng.randint(*(near if rng.random() < 0.6 else (low, high)))


def _float_domain(rng: random.Random, *, single: bool) -> tuple[Values, Callable[[], float]]:
    largest, smallest = (
        (struct.unpack("<f", b"\xff\xff\x7f\x7f")[0], 2.0**-149)
        if single
        else (1.7976931348623157e308, 5e-324)
    )
    edges = [0.0, -0.0, math.nan, math.inf, -math.inf, largest, -largest, smallest, 1.0, 0.5, -1.5]

    def anything() -> float:
        value = rng.choice([rng.uniform(-10, 10), float(rng.randint(-5, 5)), rng.gauss(0, 1e6)])
        return float(struct.unpack("<f", struct.pack("<f", value))[0]) if single else value

    return edges, anything


def _temporal_domain(
    rng: random.Random, data_type: pa.DataType
) -> tuple[Values, Callable[[], Any]]:
    if pa.types.is_interval(data_type):
        edges: Values = [(0, 0, 0), (1, 0, 0), (0, 30, 0), (-12, 5, -1000), (0, 0, 10**15)]
        return edges, lambda: (
            rng.randint(-99, 99),
            rng.randint(-99, 99),
            rng.randint(-9, 9) * 1000,
        )
    if pa.types.is_date32(data_type):
        days = [-719_162, -1, 0, 1, 19_000, 2_932_896, _INFINITE_DAYS, -_INFINITE_DAYS]
        return list(days), lambda: rng.randint(-3000, 20_000)
    if pa.types.is_date64(data_type):
        day = _DAY_SECONDS * 1000
        return [-day, 0, day, 2_932_896 * day], lambda: rng.randint(-3000, 20_000) * day
    if isinstance(data_type, pa.Time32Type | pa.Time64Type):
        last = _DAY_SECONDS * _PER_SECOND[data_type.unit] - 1
        return [0, 1, last - 1, last], lambda: rng.randint(0, last)
    if isinstance(data_type, pa.DurationType):
        return [0, 1, -1, 10**9, -(10**9)], lambda: rng.randint(-(10**6), 10**6)
    if not isinstance(data_type, pa.TimestampType):
        raise NotImplementedError(str(data_type))
    per_second = _PER_SECOND[data_type.unit]
    last = min(_LAST_MICROSECOND * per_second // 10**6, _LAST_MICROSECOND)
    edges = [0, -1, 1, last // 10**6, -(last // 10**6)]
    if data_type.tz is None:
        edges += [_INFINITE_TIME, -_INFINITE_TIME]
    elif data_type.unit == "us":
        # With a zone, DuckDB converts other units to microseconds, where infinity would overflow.
        edges += [last, -last, _INFINITE_TIME, -_INFINITE_TIME]
    return edges, lambda: rng.randint(-(10**9), 2 * 10**9) * per_second + rng.randrange(per_second)


def _extension_domain(
    rng: random.Random, data_type: pa.BaseExtensionType
) -> tuple[Values, Callable[[], Any]]:
    if data_type == pa.bool8():
        return [0, 1], lambda: rng.randint(0, 1)
    if data_type == pa.uuid():
        edges: Values = [b"\0" * 16, b"\xff" * 16, b"\x7f" + b"\xff" * 15, b"\x80" + b"\0" * 15]
        return edges, lambda: rng.randbytes(16)
    if data_type == pa.json_(pa.string()):
        texts = ["null", "1", '"a"', "[]", '{"a": [1, 2.5, null]}', '{"ключ": "é"}', "true"]
        return list(texts), lambda: str(rng.randint(-99, 99))
    if data_type == HUGEINT:
        return _encoded(_integer_domain(rng, 1 - 2**127, 2**127 - 1), _signed_128)
    if data_type == UHUGEINT:
        return _encoded(_integer_domain(rng, 0, 2**128 - 1), lambda n: n.to_bytes(16, "little"))
    if data_type == BIGNUM:
        return _encoded(_integer_domain(rng, -(10**40), 10**40), bignum)
    if data_type == BIT:
        return _encoded((["0", "1", "1" * 8, "0" * 9], lambda: f"{rng.randrange(4096):b}"), bit)
    if data_type == TIME_TZ:
        edges = [(0, 0), (1, 57_599), (86_399_999_999, -57_599), (43_200_000_000, 7200)]
        anything = lambda: (rng.randrange(86_400_000_000), rng.randint(-50, 50) * 900)  # noqa: E731 one use
        return _encoded((edges, anything), time_tz)
    raise NotImplementedError(str(data_type))


def _encoded(
    domain: tuple[Values, Callable[[], Any]], encode: Callable[[Any], bytes]
) -> tuple[Values, Callable[[], Any]]:
    edges, anything = domain
    return [encode(edge) for edge in edges], lambda: encode(anything())


def _signed_128(number: int) -> bytes:
    return number.to_bytes(16, "little", signed=True)


def bignum(number: int) -> bytes:
    """DuckDB's form: three bytes of length with the sign on top, big-endian; all flipped if below 0."""
    magnitude = abs(number).to_bytes(max(1, (abs(number).bit_length() + 7) // 8), "big")
    coded = (len(magnitude) | 0x800000).to_bytes(3, "big") + magnitude
    return coded if number >= 0 else bytes(255 - byte for byte in coded)


def bit(digits: str) -> bytes:
    """DuckDB's form: how many bits pad the first byte (with ones), then the bits."""
    padding = -len(digits) % 8
    whole = "1" * padding + digits
    return bytes([padding]) + int(whole, 2).to_bytes(len(whole) // 8, "big")


def time_tz(value: tuple[int, int]) -> bytes:
    microseconds, offset = value
    return ((microseconds << 24) + (57_599 - offset)).to_bytes(8, "little")


def geometries(rng: random.Random) -> Values:
    def coordinates(count: int) -> bytes:
        return b"".join(struct.pack("<d", rng.randint(-9, 9)) for _ in range(2 * count))

    point = struct.pack("<BI", 1, 1) + coordinates(1)
    line = struct.pack("<BII", 1, 2, 3) + coordinates(3)
    empty = struct.pack("<BII", 1, 2, 0)
    return [point, line, empty]

"""Numbers, strings and typed literals in Spark's generated names: the value, as Java prints it."""

from __future__ import annotations

import struct
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.spark_names.moments import date_text, names_zone, time_text, timestamp_text

if TYPE_CHECKING:
    from lakeport.lineage.spark_names.printer import Printer

_T = TokenType
SUFFIXES = frozenset({"L", "S", "Y", "D", "F", "BD"})
_LARGEST_PRECISION = 38


def number_text(text: str, suffix: str = "") -> str:
    """A number as Spark prints its value; an exponent without suffix makes a double."""
    digits = text.upper()
    try:
        if suffix == "F":
            return _floating(float(digits), single=True)
        if suffix == "D" or ("E" in digits and suffix != "BD"):
            return _floating(float(digits), single=False)
        return _exact(Decimal(digits))
    except (InvalidOperation, OverflowError, ValueError):
        return digits


def _exact(value: Decimal) -> str:
    """A decimal keeps its scale; only very small ones are written with an exponent."""
    value = value or value.copy_abs()
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return str(value)
    if exponent >= 0 and len(digits) + exponent <= _LARGEST_PRECISION:
        return f"{value:f}"
    return str(value).replace("E+", "E")


def _floating(value: float, *, single: bool) -> str:
    """Java's shortest form: plain between a thousandth and ten million, otherwise with exponent."""
    shortest = Decimal(_shortest(value, single=single))
    if not shortest.is_finite():
        # Also a double that is too large for a float.
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        plain = f"{shortest:f}"
        return plain if "." in plain else f"{plain}.0"
    digits = "".join(str(digit) for digit in shortest.as_tuple().digits).rstrip("0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{shortest.adjusted()}"


def _shortest(value: float, *, single: bool) -> str:
    """The fewest digits that read back as the same number."""
    if not single:
        return repr(value)
    (exact,) = struct.unpack("f", struct.pack("f", value))
    for precision in range(1, 10):
        text = f"{exact:.{precision}g}"
        if struct.unpack("f", struct.pack("f", float(text)))[0] == exact:
            return text
    return repr(exact)


def string_text(printer: Printer) -> str:
    """Adjacent strings are one; a doubled quote, which the tokenizer splits at, is a quote."""
    token = printer.take()
    text = token.text
    while printer.kind() in {_T.STRING, _T.RAW_STRING}:
        following = printer.take()
        text += ("'" if following.start == token.end + 1 else "") + following.text
        token = following
    return text


def typed_literal(printer: Printer) -> str | None:
    """`DATE '2020-1-1'` and its relatives, with the text in its normal form."""
    name = printer.word()
    if name not in {"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"}:
        return None
    printer.take()
    text = string_text(printer).strip()
    if name == "DATE":
        return f"DATE '{date_text(text)}'"
    if name == "TIME":
        return f"TIME '{time_text(text)}'"
    zone = printer.world.time_zone if name != "TIMESTAMP_NTZ" else None
    moment = timestamp_text(text, zone)
    _, _, fraction = moment.partition(".")
    if name == "TIMESTAMP_LTZ" and len(fraction) <= 6:
        name = "TIMESTAMP"
    elif name == "TIMESTAMP" and printer.world.wall_clock and not names_zone(text):
        name = "TIMESTAMP_NTZ"
    return f"{name} '{moment}'"

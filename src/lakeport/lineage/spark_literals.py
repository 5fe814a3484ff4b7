"""Literals and types in Spark's generated names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from lakeport.lineage.spark_names import Printer

_T = TokenType
_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
_NAMES = {
    "INTEGER": "INT",
    "LONG": "BIGINT",
    "SHORT": "SMALLINT",
    "BYTE": "TINYINT",
    "REAL": "FLOAT",
    "DEC": "DECIMAL",
    "NUMERIC": "DECIMAL",
}


def number_text(text: str, suffix: str = "") -> str:
    """A number as Spark prints its value."""
    digits = text.upper()
    if digits and digits[-1] in "LSYDF" and not suffix:
        digits, suffix = digits[:-1], digits[-1]
    elif digits.endswith("BD"):
        digits, suffix = digits[:-2], "BD"
    if suffix in {"D", "F"} or ("E" in digits and suffix != "BD"):
        return _double(float(digits))
    if "." in digits:
        whole, _, fraction = digits.partition(".")
        return f"{whole or '0'}.{fraction}" if fraction else f"{whole}"
    return str(int(digits)) if digits.isdigit() else digits


def _double(value: float) -> str:
    """Java's shortest form of a double."""
    if value in {float("inf"), float("-inf")}:
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value) if "e" not in repr(value) else f"{value:f}".rstrip("0")
    mantissa, _, exponent = f"{value:e}".partition("e")
    shortest = repr(float(mantissa)) if len(repr(value)) < 22 else mantissa
    exact = re.sub(r"e.*", "", repr(value))
    if "e" in repr(value):
        shortest = exact if "." in exact else f"{exact}.0"
    return f"{shortest}E{int(exponent)}"


def string_text(text: str) -> str:
    """A string's characters, without quotes."""
    return text


def type_name(printer: Printer) -> str:
    """A type after AS, in Spark's capitals."""
    name = printer.take().text.upper()
    name = _NAMES.get(name, name)
    if name == "TIMESTAMP_LTZ" and printer.kind() is not _T.L_PAREN:
        return "TIMESTAMP"
    if name == "TIMESTAMP" and printer.accept("WITHOUT", "TIME", "ZONE"):
        return "TIMESTAMP_NTZ"
    if name == "INTERVAL" and printer.word().rstrip("S") not in _UNITS:
        return name
    if name == "INTERVAL":
        first = printer.take().text.upper().rstrip("S")
        return (
            f"INTERVAL {first} TO {printer.take().text.upper()}"
            if printer.accept("TO")
            else f"INTERVAL {first}"
        )
    if name in {"DOUBLE"}:
        printer.accept("PRECISION")
        return name
    if printer.kind() is _T.L_PAREN:
        printer.take()
        numbers = printer.arguments()
        if name == "DECIMAL":
            return f"DECIMAL({numbers[0]},{numbers[1] if len(numbers) > 1 else '0'})"
        return f"{name.replace('CHARACTER', 'CHAR')}({numbers[0]})"
    if name == "DECIMAL":
        return "DECIMAL(10,0)"
    if name == "TIME":
        return "TIME(6)"
    if printer.word() == "<":
        return _nested(printer, name)
    return name


def _nested(printer: Printer, name: str) -> str:
    printer.take()
    parts: list[str] = []
    while not printer.accept(">"):
        if name == "STRUCT":
            field = printer.take().text
            printer.accept(":")
            parts.append(f"{field}: {type_name(printer)}")
            if printer.accept("NOT", "NULL"):
                parts[-1] += " NOT NULL"
        else:
            parts.append(type_name(printer))
        printer.accept(",")
    return f"{name}<{', '.join(parts)}>"


def interval_text(printer: Printer) -> str | None:
    """`INTERVAL 1 DAY`, `INTERVAL '1-2' YEAR TO MONTH`, in the form Spark prints."""
    if printer.kind(1) not in {_T.STRING, _T.NUMBER, _T.DASH}:
        return None
    printer.take()
    values: list[tuple[str, str]] = []
    while True:
        sign = "-" if printer.accept("-") else ""
        if printer.kind() not in {_T.STRING, _T.NUMBER}:
            break
        value = sign + printer.take().text
        unit = printer.word().rstrip("S")
        if unit not in _UNITS and unit not in {"WEEK", "QUARTER", "MILLISECOND", "MICROSECOND"}:
            return _written_interval(value) if not values else None
        printer.take()
        if printer.accept("TO"):
            last = printer.take().text.upper()
            return f"INTERVAL '{value}' {unit} TO {last}"
        values.append((value, unit))
        if printer.kind() not in {_T.STRING, _T.NUMBER}:
            break
    return _combined(values)


def _written_interval(text: str) -> str | None:
    """`INTERVAL '1 day 2 hours'`."""
    pairs = re.findall(r"([+-]?[\d.]+)\s*([A-Za-z]+)", text)
    return (
        _combined([(value, unit.upper().rstrip("S")) for value, unit in pairs]) if pairs else None
    )


def _combined(values: list[tuple[str, str]]) -> str | None:
    if len(values) == 1:
        value, unit = values[0]
        if unit == "WEEK":
            return f"INTERVAL '{int(value) * 7}' DAY" if value.lstrip("-").isdigit() else None
        if unit in {"MILLISECOND", "MICROSECOND", "SECOND"}:
            return _seconds(value, unit)
        if unit in {"HOUR", "MINUTE"}:
            sign, digits = ("-", value[1:]) if value.startswith("-") else ("", value)
            return f"INTERVAL '{sign}{digits.zfill(2)}' {unit}"
        return f"INTERVAL '{value}' {unit}"
    amounts = {unit: value for value, unit in values}
    if set(amounts) == {"YEAR", "MONTH"}:
        return f"INTERVAL '{amounts['YEAR']}-{amounts['MONTH']}' YEAR TO MONTH"
    present = [unit for unit in _UNITS[2:] if unit in amounts]
    if not present or len(present) != len(amounts):
        return None
    first, last = present[0], present[-1]
    text = amounts[first]
    for unit in _UNITS[_UNITS.index(first) + 1 : _UNITS.index(last) + 1]:
        separator = " " if unit == "HOUR" else ":"
        text += f"{separator}{amounts.get(unit, '0').zfill(2)}"
    return f"INTERVAL '{text}' {first} TO {last}"


def _seconds(value: str, unit: str) -> str | None:
    try:
        amount = float(value) / {"SECOND": 1, "MILLISECOND": 1_000, "MICROSECOND": 1_000_000}[unit]
    except ValueError:
        return None
    text = f"{amount:.6f}".rstrip("0").rstrip(".")
    whole, _, fraction = text.partition(".")
    padded = f"{whole.zfill(2)}" if not whole.startswith("-") else f"-{whole[1:].zfill(2)}"
    return f"INTERVAL '{padded}{'.' + fraction if fraction else ''}' SECOND"

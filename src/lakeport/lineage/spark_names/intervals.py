"""Interval literals: whatever units were written, Spark prints the value from its first unit to its last.

Calendar intervals, which a setting brings back, are printed unit by unit.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.spark_names.literals import string_text

if TYPE_CHECKING:
    from lakeport.lineage.spark_names.printer import Printer

_T = TokenType
_YEAR_MONTH = ("YEAR", "MONTH")
_DAY_TIME = ("DAY", "HOUR", "MINUTE", "SECOND")
_MONTHS = {"YEAR": 12, "MONTH": 1}
_MICROS = {
    "WEEK": 604_800_000_000,
    "DAY": 86_400_000_000,
    "HOUR": 3_600_000_000,
    "MINUTE": 60_000_000,
    "SECOND": 1_000_000,
    "MILLISECOND": 1_000,
    "MICROSECOND": 1,
}
_SHOWN_AS = {"WEEK": "DAY", "MILLISECOND": "SECOND", "MICROSECOND": "SECOND"}
_WRITTEN = re.compile(r"([+-]?\s*[\d.]+)\s*([A-Za-z]+)")
_SIGN = re.compile(r"^([+-])\s+")


def interval_text(printer: Printer) -> str | None:
    """`INTERVAL 1 DAY`, `INTERVAL '1-2' YEAR TO MONTH`, `INTERVAL '1 day 2 hours'`."""
    if printer.kind(1) not in {_T.STRING, _T.NUMBER, _T.DASH, _T.PLUS, _T.DOT}:
        return None
    printer.take()
    calendar = printer.world.calendar_intervals
    amounts: list[tuple[str, str]] = []
    while printer.kind() in {_T.STRING, _T.NUMBER, _T.DASH, _T.PLUS, _T.DOT}:
        start = printer.at
        value = _value(printer)
        unit = _unit(printer.word())
        if value is None or (unit is None and amounts):
            printer.at = start
            break
        if unit is None:
            return _from_words(value, calendar=calendar)
        printer.take()
        if printer.accept("TO"):
            last = _unit(printer.take().text.upper())
            return _from_fields(value, unit, last, calendar=calendar) if last else None
        amounts.append((value, unit))
    return _from_amounts(amounts, calendar=calendar)


def _value(printer: Printer) -> str | None:
    sign = "-" if printer.accept("-") else ""
    if not sign:
        printer.accept("+")
    if printer.kind() is _T.STRING:
        text = _SIGN.sub(r"\1", string_text(printer).strip())
    elif printer.kind() in {_T.NUMBER, _T.DOT}:
        text = printer.take().text
        text += printer.take().text if text == "." else ""
    else:
        return None
    return text[1:] if sign and text.startswith("-") else sign + text


def _unit(word: str) -> str | None:
    singular = word.removesuffix("S")
    return singular if singular in _MICROS or singular in _MONTHS else None


def _from_words(text: str, *, calendar: bool) -> str | None:
    """`1 day -2 hours`, all in one string."""
    bare = re.sub(r"(?i)^\s*interval\s+", "", text)
    pairs = [
        (re.sub(r"\s+", "", amount), _unit(unit.upper())) for amount, unit in _WRITTEN.findall(bare)
    ]
    amounts = [(amount, unit) for amount, unit in pairs if unit is not None]
    return _from_amounts(amounts, calendar=calendar)


def _from_amounts(amounts: list[tuple[str, str]], *, calendar: bool) -> str | None:
    if calendar:
        return _calendar(amounts)
    units = [_SHOWN_AS.get(unit, unit) for _, unit in amounts]
    family = _YEAR_MONTH if all(unit in _MONTHS for unit in units) else _DAY_TIME
    if not units or any(unit not in family for unit in units):
        return None
    first = min(units, key=family.index)
    last = max(units, key=family.index)
    factors = _MONTHS if family is _YEAR_MONTH else _MICROS
    try:
        total = sum(int(Decimal(amount) * factors[unit]) for amount, unit in amounts)
    except (InvalidOperation, ValueError, OverflowError):
        return None
    return _printed(total, first, last)


def _from_fields(text: str, first: str, last: str, *, calendar: bool) -> str | None:
    """`'1 2:3' DAY TO MINUTE`: the fields between two units, by position."""
    family = _YEAR_MONTH if first in _MONTHS else _DAY_TIME
    sign = -1 if text.startswith("-") else 1
    parts = re.split(r"[\s:-]+", text.lstrip("+-"))
    if first not in family or last not in family:
        return None
    units = family[family.index(first) : family.index(last) + 1]
    if len(parts) != len(units):
        return None
    if calendar:
        minus = "-" if sign < 0 else ""
        return _calendar([(minus + part, unit) for part, unit in zip(parts, units, strict=True)])
    factors = _MONTHS if family is _YEAR_MONTH else _MICROS
    try:
        amounts = (
            int(Decimal(part) * factors[unit]) for part, unit in zip(parts, units, strict=True)
        )
        return _printed(sign * sum(amounts), first, last)
    except (InvalidOperation, ValueError, OverflowError):
        return None


def _calendar(amounts: list[tuple[str, str]]) -> str | None:
    """Months, days and the time of day are counted apart: `'1 years 2 months 3 days'`."""
    months = days = micros = 0
    try:
        for amount, unit in amounts:
            if unit in _MONTHS:
                months += int(Decimal(amount) * _MONTHS[unit])
            elif unit in {"WEEK", "DAY"}:
                days += int(Decimal(amount)) * (7 if unit == "WEEK" else 1)
            else:
                micros += int(Decimal(amount) * _MICROS[unit])
    except (InvalidOperation, ValueError, OverflowError):
        return None
    text = _counted(months, (("years", 12), ("months", 1))) + _counted(days, (("days", 1),))
    text += _counted(micros, (("hours", _MICROS["HOUR"]), ("minutes", _MICROS["MINUTE"])))
    seconds = abs(micros) % _MICROS["MINUTE"]
    if seconds or not text:
        sign = "-" if micros < 0 else ""
        exact = f"{sign}{Decimal(seconds).scaleb(-6):f}"
        text.append(f"{exact.rstrip('0').rstrip('.') or '0'} seconds")
    return f"INTERVAL '{' '.join(text)}'"


def _counted(total: int, units: tuple[tuple[str, int], ...]) -> list[str]:
    sign, rest = "-" if total < 0 else "", abs(total)
    shown: list[str] = []
    for name, size in units:
        amount, rest = divmod(rest, size)
        if amount:
            shown.append(f"{sign}{amount} {name}")
    return shown


def _printed(total: int, first: str, last: str) -> str:
    sign, rest = "-" if total < 0 else "", abs(total)
    if first in _MONTHS:
        text = str(rest // _MONTHS[first]) if first == last else f"{rest // 12}-{rest % 12}"
    else:
        text = _clock(rest, _DAY_TIME[_DAY_TIME.index(first) : _DAY_TIME.index(last) + 1])
    units = first if first == last else f"{first} TO {last}"
    return f"INTERVAL '{sign}{text}' {units}"


def _clock(micros: int, units: tuple[str, ...]) -> str:
    """Days as they are, everything below in two digits; the largest unit takes what it must."""
    text = ""
    for unit in units:
        amount, micros = divmod(micros, _MICROS[unit])
        if unit == "DAY":
            text = str(amount)
            continue
        separator = "" if not text else " " if unit == "HOUR" else ":"
        text += f"{separator}{amount:02d}"
    fraction = f"{micros:06d}".rstrip("0") if units[-1] == "SECOND" else ""
    return f"{text}.{fraction}" if fraction else text

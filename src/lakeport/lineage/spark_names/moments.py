"""Dates and times in Spark's normal form; what is not plainly one stays as written.

A timestamp with a zone is shown in the session's zone, which SQL text alone does not tell.
"""

from __future__ import annotations

import re

_DATE = r"([+-]?\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2}))?)?"
_TIME = r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9}))?)?"
# A finer fraction makes a type of its own, which is printed with all of its digits.
_MICROSECONDS = 6
_DATE_ONLY = re.compile(f"{_DATE}(?:[ T].*)?")
_TIME_ONLY = re.compile(_TIME + r"(?:\s*([AaPp][Mm]))?")
_TIMESTAMP = re.compile(f"{_DATE}(?:[ T](?:{_TIME})?)?")


def date_text(text: str) -> str:
    """`2019-1-1` → `2019-01-01`."""
    match = _DATE_ONLY.fullmatch(text)
    return _date(match) if match is not None else text


def time_text(text: str) -> str:
    """`1:2:3.40` → `01:02:03.4`, `1:2 PM` → `13:02:00`."""
    match = _TIME_ONLY.fullmatch(text)
    if match is None:
        return text
    hour, minute, second, fraction, half = match.groups()
    if half is not None:
        hour = str(int(hour) % 12 + (12 if half.upper() == "PM" else 0))
    return _time(hour, minute, second, fraction)


def timestamp_text(text: str) -> str:
    """`2019-01-01 1:2` → `2019-01-01 01:02:00`."""
    match = _TIMESTAMP.fullmatch(text)
    return f"{_date(match)} {_time(*match.groups()[3:7])}" if match is not None else text


def _date(match: re.Match[str]) -> str:
    year, month, day = match.group(1), match.group(2), match.group(3)
    sign = "-" if year.startswith("-") else ""
    digits = year.lstrip("+-").lstrip("0").zfill(4)
    if len(digits) > 4 and not sign:
        sign = "+"
    return f"{sign}{digits}-{(month or '1').zfill(2)}-{(day or '1').zfill(2)}"


def _time(hour: str | None, minute: str | None, second: str | None, fraction: str | None) -> str:
    digits = fraction or ""
    if len(digits) <= _MICROSECONDS:
        digits = digits.rstrip("0")
    clock = ":".join((part or "0").zfill(2) for part in (hour, minute, second))
    return f"{clock}.{digits}" if digits else clock

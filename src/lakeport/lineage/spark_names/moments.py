"""Dates and times in Spark's normal form; what is not plainly one stays as written.

A timestamp with a zone is shown in the session's zone, which the text tells only if it sets one.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_DATE = r"([+-]?\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2}))?)?"
_TIME = r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9}))?)?"
# A finer fraction makes a type of its own, which is printed with all of its digits.
_MICROSECONDS = 6
_DATE_ONLY = re.compile(f"{_DATE}(?:[ T].*)?")
_TIME_ONLY = re.compile(_TIME + r"(?:\s*([AaPp][Mm]))?")
_TIMESTAMP = re.compile(f"{_DATE}(?:[ T](?:{_TIME})?)?")
_ZONED = re.compile(rf"({_DATE}[ T]{_TIME}) ?([A-Za-z+-].*)")
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?", re.IGNORECASE)


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


def names_zone(text: str) -> bool:
    """Whether a timestamp says which zone it is of."""
    return _ZONED.fullmatch(text.strip()) is not None


def timestamp_text(text: str, zone: str | None = None) -> str:
    """`2019-01-01 1:2` → `2019-01-01 01:02:00`; a moment of another zone is shown in `zone`."""
    zoned = _ZONED.fullmatch(text) if zone else None
    if zoned is not None and zone:
        return _moved(timestamp_text(zoned[1]), zoned[zoned.lastindex or 1], zone) or text
    match = _TIMESTAMP.fullmatch(text)
    return f"{_date(match)} {_time(*match.groups()[3:7])}" if match is not None else text


def _moved(moment: str, written: str, shown: str) -> str | None:
    """The same moment on the clocks of another zone; None where they cannot be told."""
    here, there = _zone(written), _zone(shown)
    clock, point, fraction = moment.partition(".")
    if here is None or there is None:
        return None
    try:
        seen = datetime.fromisoformat(clock).replace(tzinfo=here).astimezone(there)
    except (OverflowError, ValueError):
        return None
    return f"{seen.replace(tzinfo=None).isoformat(sep=' ')}{point}{fraction}"


def _zone(name: str) -> tzinfo | None:
    """`Z`, `+02:00`, `UTC+2` or the name of a region."""
    if name.upper() in {"Z", "UTC", "GMT", "UT"}:
        return UTC
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        sign, hours, minutes, seconds = offset.groups(default="0")
        away = timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds))
        return timezone(-away if sign == "-" else away) if away < timedelta(days=1) else None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


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

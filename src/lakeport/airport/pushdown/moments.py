"""Dates and times as text that DuckDB reads back, over its whole range.

Python's own calendar ends at the years 1 and 9999; DuckDB's goes from 290309 BC to 294247, and for
dates on to 5881580. Its text counts years BC as people do: there is no year 0.
"""

from __future__ import annotations

DATE_INFINITY = 2**31 - 1
TIMESTAMP_INFINITY = 2**63 - 1

_DAYS_PER_ERA = 146_097  # 400 years
_DAYS_BEFORE_EPOCH = 719_468  # from 0000-03-01
_MAX_OFFSET = 16 * 3600 - 1


def date_text(days: int) -> str:
    """`days` since 1970-01-01."""
    if abs(days) == DATE_INFINITY:
        return "infinity" if days > 0 else "-infinity"
    year, month, day = _civil(days)
    text = f"{year if year > 0 else 1 - year:04}-{month:02}-{day:02}"
    return text if year > 0 else f"{text} (BC)"


def time_text(ticks: int, per_second: int) -> str:
    """`ticks` since midnight; the last one is 24:00:00 itself."""
    seconds, fraction = divmod(ticks, per_second)
    minutes, second = divmod(seconds, 60)
    digits = len(str(per_second)) - 1
    tail = f".{fraction:0{digits}}" if fraction else ""
    return f"{minutes // 60:02}:{minutes % 60:02}:{second:02}{tail}"


def timestamp_text(ticks: int, per_second: int) -> str:
    """`ticks` since 1970-01-01 00:00:00."""
    if abs(ticks) == TIMESTAMP_INFINITY:
        return "infinity" if ticks > 0 else "-infinity"
    days, within = divmod(ticks, 86_400 * per_second)
    return f"{date_text(days)} {time_text(within, per_second)}"


def zoned_time_text(packed: int) -> str:
    """DuckDB packs microseconds and the offset, which counts downwards from +15:59:59."""
    micros, reversed_offset = packed >> 24, packed & (2**24 - 1)
    offset = _MAX_OFFSET - reversed_offset
    sign, (minutes, second) = "-" if offset < 0 else "+", divmod(abs(offset), 60)
    zone = f"{sign}{minutes // 60:02}:{minutes % 60:02}:{second:02}"
    return time_text(micros, 10**6) + zone


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day in the Gregorian calendar, extended both ways. Years begin in March here,
    so that the leap day is their last.
    """
    era, of_era = divmod(days + _DAYS_BEFORE_EPOCH, _DAYS_PER_ERA)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    from_march = (5 * of_year + 2) // 153
    day = of_year - (153 * from_march + 2) // 5 + 1
    month = from_march + 3 if from_march < 10 else from_march - 9
    return era * 400 + year + (month <= 2), month, day

"""Points in a table's history, typed once, from every spelling a client may use.

A time without a zone means UTC: DuckDB sends timestamps as text without one, and a server must not
read its own zone into them. Times are nanoseconds since 1970 as plain integers, because DuckDB's
range (±infinity, years beyond 9999) is wider than `datetime`'s.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lakeport.core.errors import InvalidRequestError

NANOSECONDS = 1_000_000_000
_INT64_MAX = 2**63 - 1
_INFINITY = 2**127  # beyond int64 seconds in nanoseconds, so that no real time is ever taken for it
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class AtSnapshot:
    """The state that one snapshot left behind, by Iceberg's snapshot id."""

    snapshot_id: int

    def __str__(self) -> str:
        return f"snapshot {self.snapshot_id}"


@dataclass(frozen=True, slots=True)
class AtRef:
    """What a tag or a branch points to now."""

    name: str
    kind: Literal["tag", "branch"] | None = None

    def __str__(self) -> str:
        return f"{self.kind or 'tag or branch'} `{self.name}`"


@dataclass(frozen=True, slots=True)
class AtVersion:
    """The snapshot with this sequence number; 0 is the table before its first snapshot."""

    version: int

    def __str__(self) -> str:
        return f"version {self.version}"


@dataclass(frozen=True, slots=True)
class AtTime:
    """The newest snapshot at or before this moment."""

    nanoseconds: int

    def __str__(self) -> str:
        return format_time(self.nanoseconds)


TimePoint: TypeAlias = AtSnapshot | AtRef | AtVersion | AtTime


def from_seconds(value: object) -> AtTime:
    """Contract 001's `ts`."""
    return AtTime(_epoch(value, "ts", _INT64_MAX) * NANOSECONDS)


def from_nanoseconds(value: object) -> AtTime:
    """Contract 001's `ts_ns`."""
    return AtTime(_epoch(value, "ts_ns", _INT64_MAX))


def from_unit(unit: str, value: str) -> TimePoint | None:
    """Airport's `at_unit` and `at_value`; both empty means now."""
    word = unit.strip().lower()
    if not word:
        if value:
            raise InvalidRequestError(
                f"the time point {value!r} has no unit", hint="units: version, timestamp, snapshot"
            )
        return None
    if word == "version":
        return AtVersion(_number(value, "version"))
    if word == "timestamp":
        return AtTime(parse_time(value))
    if word == "timestamp_ns":
        return AtTime(_number(value, "timestamp_ns"))
    if word == "snapshot":
        return _snapshot_or_ref(value)
    raise InvalidRequestError(
        f"unknown time travel unit {unit!r}", hint="units: version, timestamp, snapshot"
    )


def parse_point(text: str) -> TimePoint:
    """What a person types after `--at`.

    `3` or `version:3`, `snapshot:ID`, `tag:NAME`, `branch:NAME`, `ts:SECONDS`, `ts_ns:NANOSECONDS`,
    a date or time (`2024-01-15`, `2024-01-15T10:30:00Z`), or the bare name of a tag or branch.
    A space or `=` serves as well as the colon.
    """
    word = text.strip()
    found = _KIND.match(word)
    rest = found["rest"] if found else ""
    match found["kind"].lower() if found else "":
        case "version":
            return AtVersion(_number(rest, "version"))
        case "snapshot":
            return _snapshot_or_ref(rest)
        case "tag":
            return AtRef(_ref_name(rest), "tag")
        case "branch":
            return AtRef(_ref_name(rest), "branch")
        case "ts":
            return AtTime(_number(rest, "ts") * NANOSECONDS)
        case "ts_ns":
            return AtTime(_number(rest, "ts_ns"))
    if word.isascii() and word.isdigit():
        return AtVersion(_number(word, "version"))
    if _TIME.match(word) or word.lower() in _INFINITIES:
        return AtTime(parse_time(word))
    return AtRef(_ref_name(word))


def point_text(point: TimePoint) -> str:
    """What `parse_point` reads back as the same point."""
    match point:
        case AtVersion():
            return f"version:{point.version}"
        case AtSnapshot():
            return f"snapshot:{point.snapshot_id}"
        case AtRef():
            # A bare name may read as a date or a number; no kind of ref at all is said by `snapshot`.
            return f"{point.kind or 'snapshot'}:{point.name}"
        case AtTime():
            return format_time(point.nanoseconds)


_KIND = re.compile(
    r"(?P<kind>version|snapshot|tag|branch|ts|ts_ns)\s*[:=\s]\s*(?P<rest>.*)$", re.IGNORECASE
)

_INFINITIES = {"infinity": _INFINITY, "-infinity": -_INFINITY}

_TIME = re.compile(
    r"""(?P<year>[+-]?\d{4,6})-(?P<month>\d{1,2})-(?P<day>\d{1,2})
        (?:[T\x20](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?)?
        \x20?(?P<zone>Z|UTC|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)?
        (?P<bc>\x20\(BC\))?$""",
    re.VERBOSE | re.IGNORECASE,
)


def parse_time(text: str) -> int:
    """Nanoseconds since 1970 from ISO-8601 or from DuckDB's rendering of a date or timestamp."""
    word = text.strip()
    if word.lower() in _INFINITIES:
        return _INFINITIES[word.lower()]
    found = _TIME.match(word)
    if not found:
        raise InvalidRequestError(
            f"{text!r} is not a point in time",
            hint="write it like 2024-01-15, 2024-01-15 10:30:00 or 2024-01-15T10:30:00Z",
        )
    year, month, day = int(found["year"]), int(found["month"]), int(found["day"])
    if found["bc"]:
        year = 1 - year
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    if not (1 <= month <= 12 and 1 <= day <= _month_days(year, month)):
        raise InvalidRequestError(f"{text!r} names a day that does not exist")
    # 24:00:00 and leap seconds are legal ISO; they are simply the next moment.
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second)):
        raise InvalidRequestError(f"{text!r} names a time of day that does not exist")
    seconds = _days_since_epoch(year, month, day) * _DAY + hour * 3600 + minute * 60 + second
    fraction = int((found["fraction"] or "0").ljust(9, "0"))
    return (seconds - _offset_seconds(found["zone"])) * NANOSECONDS + fraction


def format_time(nanoseconds: int) -> str:
    """ISO-8601 in UTC with as many digits as are needed, the way messages and `--json` show times."""
    if abs(nanoseconds) >= _INFINITY:
        return "infinity" if nanoseconds > 0 else "-infinity"
    seconds, fraction = divmod(nanoseconds, NANOSECONDS)
    days, rest = divmod(seconds, _DAY)
    year, month, day = _civil(days)
    shown = (
        f"{year:04d}-{month:02d}-{day:02d}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    )
    if fraction:
        digits = f"{fraction:09d}"
        while digits.endswith("000"):
            digits = digits[:-3]
        shown += "." + digits
    return shown + "Z"


def _epoch(value: object, name: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidRequestError(f"`{name}` must be an integer, got {type(value).__name__}")
    if not 0 <= value <= most:
        raise InvalidRequestError(f"`{name}` must be a non-negative 64-bit integer, got {value}")
    return value


def _number(text: str, unit: str) -> int:
    word = text.strip()
    if not (word.isascii() and word.isdigit()) or len(word) > 19 or int(word) > _INT64_MAX:
        raise InvalidRequestError(f"a {unit} is a non-negative whole number, got {text!r}")
    return int(word)


def _snapshot_or_ref(text: str) -> AtSnapshot | AtRef:
    word = text.strip()
    if word.isascii() and word.isdigit():
        return AtSnapshot(_number(word, "snapshot"))
    return AtRef(_ref_name(word))


def _ref_name(text: str) -> str:
    if not text or any(not character.isprintable() for character in text):
        raise InvalidRequestError(
            f"{text!r} is not a point in time",
            hint="give a version number, a snapshot id, a tag, a branch or a timestamp",
        )
    return text


def _offset_seconds(zone: str | None) -> int:
    if zone is None or zone.upper() in {"Z", "UTC"}:
        return 0
    digits = zone[1:].replace(":", "").ljust(6, "0")
    hours, minutes, seconds = int(digits[:2]), int(digits[2:4]), int(digits[4:6])
    if hours > 15 or minutes > 59 or seconds > 59:
        raise InvalidRequestError(f"{zone!r} is not an offset from UTC")
    total = hours * 3600 + minutes * 60 + seconds
    return -total if zone[0] == "-" else total


def _month_days(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in {4, 6, 9, 11} else 31


def _days_since_epoch(year: int, month: int, day: int) -> int:
    """Proleptic Gregorian day number, counted from March so that leap days come last."""
    shifted = year - (month <= 2)
    era, year_of_era = divmod(shifted, 400)
    day_of_year = (153 * ((month - 3) % 12) + 2) // 5 + day - 1
    return (
        era * 146_097
        + year_of_era * 365
        + year_of_era // 4
        - year_of_era // 100
        + day_of_year
        - 719_468
    )


def _civil(days: int) -> tuple[int, int, int]:
    """The inverse of `_days_since_epoch`."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_index = (5 * day_of_year + 2) // 153
    month = (month_index + 2) % 12 + 1
    day = day_of_year - (153 * month_index + 2) // 5 + 1
    return era * 400 + year_of_era + (month <= 2), month, day

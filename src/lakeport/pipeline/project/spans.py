"""Stretches of time in settings: `range` (two ends, or a duration back from the end) and `lookback`."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from lakeport.core.duration import parse_duration
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted
from lakeport.pipeline.project.model import Ends

_DURATION = "a number and one of s, m, h, d, w: 12h, 3d"


def read_range(name: str, value: Any) -> Ends | str:
    """Raises ValueError with a message and a hint."""
    if isinstance(value, str):
        return _duration(name, value)
    if name == "lookback":
        raise ValueError(f"{quoted(name)} is no length of time", f"write {_DURATION}")
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError(
            f"{quoted(name)} is neither two ends nor a length of time",
            f"write [2024-01-01, 2024-02-01], or {_DURATION}",
        )
    start, end = (_point(name, one) for one in value)
    if isinstance(start, datetime) != isinstance(end, datetime):
        raise ValueError(
            f"one end of {quoted(name)} is a date and the other a point in time",
            "write two dates, or two points in time",
        )
    if _comparable(start) >= _comparable(end):
        raise ValueError(
            f"{quoted(name)} from {start.isoformat()} to {end.isoformat()} is empty",
            "the end comes after the start and is not part of the range",
        )
    return start, end


def _duration(name: str, value: str) -> str:
    try:
        length = parse_duration(value)
    except InvalidRequestError:
        raise ValueError(
            f"{quoted(name)} cannot be {quoted(value)}", f"write {_DURATION}"
        ) from None
    if length <= 0:
        raise ValueError(f"{quoted(name)} cannot be {quoted(value)}", "a length of time is above 0")
    return value


def _point(name: str, value: Any) -> date | datetime:
    """TOML has dates of its own; Python's settings are literals and write them as text."""
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"{value!r} in {quoted(name)} is no date", "write 2024-01-31 or 2024-01-31T12:00:00Z"
        ) from None


def _comparable(point: date | datetime) -> datetime:
    """Without a zone it is UTC, as everywhere in a pipeline."""
    if not isinstance(point, datetime):
        return datetime(point.year, point.month, point.day, tzinfo=UTC)
    return point if point.tzinfo is not None else point.replace(tzinfo=UTC)

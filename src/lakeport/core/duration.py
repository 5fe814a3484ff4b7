"""Lengths of time as people type them: `30s`, `15m`, `12h`, `3d`, `2w`."""

from __future__ import annotations

import re

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted
from lakeport.core.timepoint import NANOSECONDS

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_DURATION = re.compile(r"(?P<count>[0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(?P<unit>[smhdw])", re.ASCII)


def parse_duration(text: str) -> int:
    """In nanoseconds. A bare `0` needs no unit."""
    stripped = text.strip().lower()
    if stripped == "0":
        return 0
    found = _DURATION.fullmatch(stripped)
    if found is None:
        raise InvalidRequestError(
            f"{quoted(text)} is not a length of time",
            hint="write a number and one of s, m, h, d, w: 30s, 12h, 3d",
        )
    return round(float(found["count"]) * _UNITS[found["unit"]] * NANOSECONDS)

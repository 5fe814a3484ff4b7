"""`modules` of dbt: Python's dates, zones, patterns and iterators, as far as a template can be trusted with them.

Every moment is the same one, so that equal requests give equal answers. A pattern that could search
without end is refused: nothing can stop it once it runs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from types import SimpleNamespace
from typing import Any

from jinja2 import TemplateRuntimeError

INSTANT = datetime(2000, 1, 1, tzinfo=UTC)
_LONGEST_PATTERN, _LONGEST_TEXT = 200, 10_000
_REPEATED_GROUP = re.compile(r"\)[*+{]")
_REPETITIONS = re.compile(r"[*+{|]")
_MANY = 6


class StoppedClock(datetime):
    """The datetime class that templates see: it is always the same moment."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> StoppedClock:
        return cls(2000, 1, 1, tzinfo=tz)

    @classmethod
    def utcnow(cls) -> StoppedClock:
        return cls(2000, 1, 1)

    @classmethod
    def today(cls) -> StoppedClock:
        return cls(2000, 1, 1)


class StoppedCalendar(date):
    """The date class that templates see."""

    @classmethod
    def today(cls) -> StoppedCalendar:
        return cls(2000, 1, 1)


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    def checked(pattern: str, *given: Any, **named: Any) -> Any:
        texts = [value for value in (*given, *named.values()) if isinstance(value, str)]
        if len(pattern) > _LONGEST_PATTERN or any(len(text) > _LONGEST_TEXT for text in texts):
            raise TemplateRuntimeError("a pattern or what it searches is too long")
        repetitions = len(_REPETITIONS.findall(pattern))
        if repetitions >= (2 if _REPEATED_GROUP.search(pattern) else _MANY):
            raise TemplateRuntimeError(f"pattern `{pattern}` could search without end")
        return function(pattern, *given, **named)

    return checked


_PATTERNS = SimpleNamespace(
    escape=re.escape,
    **{
        name: _guarded(getattr(re, name))
        for name in ("findall", "fullmatch", "match", "search", "split", "sub")
    },
)
_ITERATORS = SimpleNamespace(
    chain=itertools.chain, islice=itertools.islice, zip_longest=itertools.zip_longest
)
MODULES = SimpleNamespace(
    datetime=SimpleNamespace(
        datetime=StoppedClock, date=StoppedCalendar, timedelta=timedelta, timezone=UTC
    ),
    itertools=_ITERATORS,
    pytz=SimpleNamespace(utc=UTC, UTC=UTC, timezone=lambda _name: UTC),
    re=_PATTERNS,
)

"""The stretch of time that a run of a model is about: what `:start` and `:end` are.

A run goes on where the last one ended, and the table itself remembers where that was: in the summary of
its newest commit of this model. Both `plan` and `run` ask here. Points in time are UTC's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from lakeport.catalog.history import MODEL
from lakeport.core.duration import parse_duration
from lakeport.core.errors import InvalidRequestError
from lakeport.pipeline.growth import model as types
from lakeport.pipeline.growth.model import Type
from lakeport.pipeline.project.model import ModelSettings
from lakeport.pipeline.strategies.write import TimeRange
from lakeport.pipeline.target.head import Commit
from lakeport.pipeline.target.run import INTERVAL, UNFINISHED

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_NANOSECONDS = 1_000


@dataclass(frozen=True, slots=True)
class Interval:
    """From `start` up to, not including, `end`."""

    start: datetime
    end: datetime

    @property
    def text(self) -> str:
        """As a snapshot's summary has it."""
        return f"{self.start.isoformat()}/{self.end.isoformat()}"

    def as_dict(self) -> dict[str, object]:
        return {"start": self.start.isoformat(), "end": self.end.isoformat()}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person said about time (`--from`, `--to`, `--full-refresh`), and when the run began."""

    now: datetime
    start: datetime | None = None
    end: datetime | None = None
    full_refresh: bool = False

    def __post_init__(self) -> None:
        if self.start is not None and self.start >= (self.end or self.now):
            raise InvalidRequestError(
                f"nothing is between {self.start.isoformat()} and {(self.end or self.now).isoformat()}",
                hint="--from comes before --to, which is now unless it is given",
            )


def interval_of(settings: ModelSettings, asked: Asked, last_end: datetime | None) -> Interval:
    """`last_end` is where the model's last commit ended."""
    end = asked.end or asked.now
    if asked.start is not None:
        return Interval(asked.start, end)
    given = settings.range
    if isinstance(given, tuple):
        return Interval(*(_instant(point) for point in given))
    if isinstance(given, str) and not asked.full_refresh:
        return Interval(end - _length(given), end)
    begins_anew = settings.materialized == "table" or settings.strategy == "full"
    if asked.full_refresh or begins_anew or last_end is None:
        return Interval(BEGINNING, end)
    lookback = timedelta() if settings.lookback is None else _length(settings.lookback)
    return Interval(max(BEGINNING, last_end - lookback), end)


def last_end(model: str, commits: Iterable[Commit]) -> datetime | None:
    """Where the newest of these commits that are this model's ended; they come newest first."""
    for commit in commits:
        summary = commit.summary
        if summary.get(MODEL) == model and UNFINISHED not in summary and INTERVAL in summary:
            return end_in(summary[INTERVAL])
    return None


def time_range(column: str, type_: Type | None, interval: Interval) -> TimeRange:
    """The same stretch in the words of the column's type: a date's are whole days."""
    if type_ == types.DATE:
        last = interval.end - timedelta(microseconds=1)
        return TimeRange(column, interval.start.date(), last.date() + timedelta(days=1))
    if type_ == types.TIMESTAMP:
        start, end = (point.astimezone(UTC) for point in (interval.start, interval.end))
        return TimeRange(column, start.replace(tzinfo=None), end.replace(tzinfo=None))
    return TimeRange(column, interval.start, interval.end)


def end_in(text: str | None) -> datetime | None:
    """Where an interval in a summary's words ends."""
    if text is None:
        return None
    try:
        return _instant(datetime.fromisoformat(text.rpartition("/")[2]))
    except ValueError:
        return None  # another program's words


def _instant(point: date | datetime) -> datetime:
    """A date begins at midnight, and a clock without a zone is UTC's."""
    if not isinstance(point, datetime):
        return datetime(point.year, point.month, point.day, tzinfo=UTC)
    return point.replace(tzinfo=UTC) if point.tzinfo is None else point.astimezone(UTC)


def _length(text: str) -> timedelta:
    return timedelta(microseconds=parse_duration(text) // _NANOSECONDS)

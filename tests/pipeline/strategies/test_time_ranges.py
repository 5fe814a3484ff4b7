"""Which stretches of time are whole partitions, and what is wrong with others."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.pipeline.strategies import TimeRange, left_out, statements
from lakeport.pipeline.strategies.time_range import is_aligned
from tests.pipeline.growth.words import columns
from tests.pipeline.strategies.writes import write

WALL_CLOCK = datetime.fromisoformat("2026-01-01")
EAST = timezone(timedelta(hours=2))
EVENTS = columns(At="timestamp", local="timestamp_ntz", on="date", v="int")


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc] # year, month, day…


@pytest.mark.parametrize(
    ("term", "start", "end", "aligned"),
    [
        ("day(At)", utc(2026, 1, 1), utc(2026, 1, 3), True),
        ("days(at)", utc(2026, 1, 1), utc(2026, 1, 3), True),
        ("day(At)", utc(2026, 1, 1, 1), utc(2026, 1, 3), False),
        ("day(At)", utc(2026, 1, 1), utc(2026, 1, 3, 0, 0, 0, 1), False),
        ("hour(At)", utc(2026, 1, 1, 1), utc(2026, 1, 1, 2), True),
        ("hour(At)", utc(2026, 1, 1, 1, 30), utc(2026, 1, 1, 2), False),
        ("month(At)", utc(2026, 1, 1), utc(2026, 2, 1), True),
        ("month(At)", utc(2026, 1, 1), utc(2026, 1, 31), False),
        ("year(At)", utc(2026, 1, 1), utc(2027, 1, 1), True),
        ("year(At)", utc(2026, 1, 1), utc(2026, 2, 1), False),
        ("At", utc(2026, 1, 1, 1, 30), utc(2026, 1, 1, 2), True),
        ("bucket(16, At)", utc(2026, 1, 1), utc(2026, 1, 2), False),
        ("truncate(4, At)", utc(2026, 1, 1), utc(2026, 1, 2), False),
        ("day(other)", utc(2026, 1, 1), utc(2026, 1, 2), False),
        ("day(At)", datetime(2026, 1, 1, 2, tzinfo=EAST), utc(2026, 1, 2), True),
        ("day(At)", datetime(2026, 1, 1, tzinfo=EAST), utc(2026, 1, 2), False),
        ("month(At)", date(2026, 1, 1), date(2026, 2, 1), True),
        ("day(At)", date(2026, 1, 5), date(2026, 1, 6), True),
        ('day("At")', date(2026, 1, 5), date(2026, 1, 6), True),
    ],
)
def test_whole_partitions_are_told_from_parts(
    term: str, start: datetime, end: datetime, *, aligned: bool
) -> None:
    assert is_aligned((term,), TimeRange("At", start, end)) is aligned


def test_a_table_without_partitions_is_cut() -> None:
    assert not is_aligned((), TimeRange("At", utc(2026, 1, 1), utc(2026, 1, 2)))


@pytest.mark.parametrize(
    ("column", "start", "literal"),
    [
        ("on", date(2026, 1, 1), "`on` >= DATE '2026-01-01'"),
        ("LOCAL", WALL_CLOCK, "`local` >= TIMESTAMP_NTZ '2026-01-01 00:00:00.000000'"),
        (
            "at",
            datetime(2026, 1, 1, tzinfo=EAST),
            "`At` >= TIMESTAMP_LTZ '2025-12-31 22:00:00.000000+00:00'",
        ),
    ],
)
def test_ends_are_literals_of_the_columns_kind(column: str, start: datetime, literal: str) -> None:
    span = TimeRange(column, start, start + timedelta(days=1))
    found = statements("time_range", write(EVENTS, EVENTS, time_range=span, branch="b"))
    assert literal in found[1].sql


@pytest.mark.parametrize(
    ("column", "start"),
    [
        ("on", utc(2026, 1, 1)),
        ("local", utc(2026, 1, 1)),
        ("At", WALL_CLOCK),
        ("At", date(2026, 1, 1)),
        ("v", utc(2026, 1, 1)),
    ],
)
def test_an_end_of_another_kind_is_refused(column: str, start: datetime) -> None:
    span = TimeRange(column, start, start + timedelta(days=1))
    with pytest.raises(InvalidRequestError, match=f"column `{column}` is "):
        statements("time_range", write(EVENTS, EVENTS, time_range=span, branch="b"))


def test_ends_of_two_kinds_are_refused() -> None:
    span = TimeRange("At", utc(2026, 1, 1), date(2026, 1, 2))
    with pytest.raises(InvalidRequestError, match="the range ends at 2026-01-02"):
        statements("time_range", write(EVENTS, EVENTS, time_range=span, branch="b"))


def test_an_empty_range_is_refused() -> None:
    span = TimeRange("At", utc(2026, 1, 2), utc(2026, 1, 2))
    with pytest.raises(InvalidRequestError, match="is empty"):
        statements("time_range", write(EVENTS, EVENTS, time_range=span))


def test_a_range_and_a_branch_are_asked_for() -> None:
    with pytest.raises(InvalidRequestError, match="needs a time_column and a range"):
        statements("time_range", write(EVENTS, EVENTS))
    span = TimeRange("At", utc(2026, 1, 1), utc(2026, 1, 2))
    with pytest.raises(InvalidRequestError, match="takes a branch of the run's own"):
        statements("time_range", write(EVENTS, EVENTS, time_range=span))


def test_a_time_column_that_left_the_model_is_refused() -> None:
    span = TimeRange("At", utc(2026, 1, 1), utc(2026, 1, 2))
    with pytest.raises(NotFoundError, match="the model has no column `At`"):
        statements("time_range", write(EVENTS, columns(v="int"), time_range=span))


def test_rows_outside_the_range_are_counted_for_a_warning() -> None:
    span = TimeRange("on", date(2026, 1, 1), date(2026, 1, 2))
    assert left_out(write(EVENTS, EVENTS, time_range=span)) == (
        "SELECT count_if((`on` >= DATE '2026-01-01' AND `on` < DATE '2026-01-02') IS NOT TRUE)\n"
        "FROM `staged`"
    )


def test_overwriting_partitions_needs_partitions() -> None:
    with pytest.raises(InvalidRequestError, match="would replace every row"):
        statements("overwrite_partitions", write())

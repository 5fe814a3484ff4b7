"""What `:start` and `:end` are, and the range that a strategy replaces."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from lakeport.catalog.history import MODEL
from lakeport.core.errors import InvalidRequestError
from lakeport.pipeline.growth import model as types
from lakeport.pipeline.planning.interval import (
    BEGINNING,
    Asked,
    Interval,
    end_in,
    interval_of,
    last_end,
    time_range,
)
from lakeport.pipeline.project.model import ModelSettings
from lakeport.pipeline.target.head import Commit
from lakeport.pipeline.target.run import INTERVAL, UNFINISHED

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
BEFORE = datetime(2026, 3, 9, 6, tzinfo=UTC)
INCREMENTAL = ModelSettings(materialized="incremental")


def test_a_first_run_begins_at_the_beginning() -> None:
    assert interval_of(INCREMENTAL, Asked(NOW), None) == Interval(BEGINNING, NOW)


def test_a_run_goes_on_where_the_last_one_ended() -> None:
    assert interval_of(INCREMENTAL, Asked(NOW), BEFORE) == Interval(BEFORE, NOW)


def test_rows_that_come_late_are_looked_for_again() -> None:
    late = ModelSettings(materialized="incremental", lookback="1d")
    assert interval_of(late, Asked(NOW), BEFORE).start == datetime(2026, 3, 8, 6, tzinfo=UTC)
    assert interval_of(late, Asked(NOW, start=BEFORE), None).start == BEFORE


def test_what_was_asked_for_wins() -> None:
    asked = Asked(NOW, start=datetime(2026, 1, 1, tzinfo=UTC), end=BEFORE)
    ranged = ModelSettings(materialized="incremental", range="3d")
    assert interval_of(ranged, asked, BEFORE) == Interval(datetime(2026, 1, 1, tzinfo=UTC), BEFORE)


def test_a_full_refresh_is_about_everything() -> None:
    asked = Asked(NOW, full_refresh=True)
    assert interval_of(INCREMENTAL, asked, BEFORE).start == BEGINNING


def test_a_range_may_be_two_days_or_a_length() -> None:
    days = ModelSettings(materialized="incremental", range=(date(2026, 1, 1), date(2026, 1, 3)))
    assert interval_of(days, Asked(NOW), BEFORE).end == datetime(2026, 1, 3, tzinfo=UTC)
    length = ModelSettings(materialized="incremental", range="2h")
    assert interval_of(length, Asked(NOW), None).start == datetime(2026, 3, 10, 10, tzinfo=UTC)


def test_nothing_between_two_ends_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="nothing is between"):
        Asked(NOW, start=NOW, end=BEFORE)


def test_the_table_remembers_where_a_model_ended() -> None:
    text = Interval(BEGINNING, BEFORE).text
    newest = Commit(3, 3, {MODEL: "a.b", INTERVAL: "1970/2099-01-01", UNFINISHED: "true"})
    others = Commit(2, 2, {MODEL: "a.c", INTERVAL: text})
    own = Commit(1, 1, {MODEL: "a.b", INTERVAL: text})
    assert last_end("a.b", (newest, others, own)) == BEFORE
    assert last_end("a.d", (newest, others, own)) is None


@pytest.mark.parametrize("text", [None, "", "yesterday", "2026-01-01/soon"])
def test_what_another_program_wrote_is_no_interval(text: str | None) -> None:
    assert end_in(text) is None


def test_a_range_is_written_in_the_words_of_its_column() -> None:
    interval = Interval(BEFORE, NOW)
    assert time_range("t", types.DATE, interval).start == date(2026, 3, 9)
    assert time_range("t", types.DATE, interval).end == date(2026, 3, 11)
    midnight = Interval(BEFORE, datetime(2026, 3, 10, tzinfo=UTC))
    assert time_range("t", types.DATE, midnight).end == date(2026, 3, 10)
    assert time_range("t", types.TIMESTAMP, interval).start == BEFORE.replace(tzinfo=None)
    assert time_range("t", types.TIMESTAMPTZ, interval).end == NOW

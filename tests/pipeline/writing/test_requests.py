"""What may be asked for, by the names that every front end uses."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from lakeport.core.errors import ConfigurationError, InvalidRequestError
from lakeport.core.names import TableName
from lakeport.pipeline.strategies import TimeRange
from lakeport.pipeline.writing import WriteRequest, request_of

INTO = TableName("shop", "orders")
DAYS = (date(2026, 1, 1), date(2026, 2, 1))


def test_a_key_makes_it_delete_insert_and_without_one_rows_are_added() -> None:
    assert request_of(INTO, {}).chosen == "append"
    assert request_of(INTO, {"unique_key": "id"}).chosen == "delete_insert"
    assert request_of(INTO, {"unique_key": ["id"], "strategy": "append"}).chosen == "append"


def test_a_name_alone_is_a_list_of_one() -> None:
    asked = request_of(INTO, {"unique_key": "id", "partitioned_by": ["day(at)", "region"]})
    assert (asked.unique_key, asked.partitioned_by) == (("id",), ("day(at)", "region"))


def test_new_tables_merge_on_read_and_old_ones_stay_as_they_are() -> None:
    assert request_of(INTO, {}).table_properties == {
        "write.merge.mode": "merge-on-read",
        "write.delete.mode": "merge-on-read",
        "write.update.mode": "merge-on-read",
    }
    assert request_of(INTO, {}).wanted_properties == {}
    asked = request_of(INTO, {"write_mode": "cow", "properties": {"a": "b"}})
    assert asked.wanted_properties == asked.table_properties
    assert asked.wanted_properties["write.merge.mode"] == "copy-on-write"
    assert asked.wanted_properties["a"] == "b"


def test_a_range_is_an_interval_of_the_snapshot() -> None:
    asked = request_of(INTO, {"strategy": "time_range", "time_column": "d", "range": DAYS})
    assert asked.time_range == TimeRange("d", *DAYS)
    assert asked.interval == "2026-01-01/2026-02-01"
    assert asked.empties
    assert not WriteRequest(INTO).empties


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"strategy": "replace"}, "there is no strategy `replace`"),
        ({"strategy": "delete_insert"}, "needs a unique_key"),
        ({"strategy": "time_range", "time_column": "d"}, "needs its range"),
        ({"strategy": "time_range", "range": DAYS}, "needs its time_column"),
        ({"time_column": "d", "range": DAYS}, "takes no range"),
        (
            {
                "strategy": "time_range",
                "time_column": "d",
                "range": (DAYS[0], datetime(2026, 1, 1, tzinfo=UTC)),
            },
            "one end of the range is a date",
        ),
        ({"uniqe_key": "id"}, "there is no setting `uniqe_key`"),
        ({"null_keys": "matches"}, "null_keys cannot be `matches`"),
        ({"write_mode": "merge-on-read"}, "write_mode cannot be"),
        ({"unique_key": [""]}, "unique_key is a list of names"),
        ({"on_removed_required": "ignore"}, "on_removed_required cannot be `ignore`"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        request_of(INTO, settings)
    assert told in caught.value.message
    assert caught.value.hint


def test_a_misspelt_setting_names_the_nearest_one() -> None:
    with pytest.raises(ConfigurationError) as caught:
        request_of(INTO, {"uniqe_key": "id"})
    assert "did you mean `unique_key`?" in str(caught.value.hint)

"""Time travel by every kind of point, and at the edges of a table's life."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.ports import ScanRequest
from lakeport.core.errors import NotFoundError
from lakeport.core.timepoint import (
    NANOSECONDS,
    AtRef,
    AtSnapshot,
    AtTime,
    AtVersion,
    TimePoint,
    parse_point,
)
from tests.behaviours.implementations import START
from tests.behaviours.lake import Lake, Subject, values


@pytest.fixture
def travelled(lake: Lake, items_schema: pa.Schema) -> Subject:
    """Version 1 at second 10, version 2 at second 20; it is second 30 now."""
    lake.clock.pass_seconds(10)
    subject = lake.seed(items_schema, name="travelled")
    subject.insert(pa.table({"k": [1], "name": ["a"], "price": [1.0]}, items_schema))
    lake.clock.pass_seconds(10)
    subject.insert(pa.table({"k": [2], "name": ["b"], "price": [2.0]}, items_schema))
    lake.clock.pass_seconds(10)
    return subject


def at_second(second: float) -> AtTime:
    return AtTime(START + int(second * NANOSECONDS))


def keys(subject: Subject, point: TimePoint) -> list[int]:
    return sorted(values(subject.read(ScanRequest(columns=("k",), at=point)), "k"))


def test_history_lists_snapshots_oldest_first(travelled: Subject) -> None:
    history = travelled.travelable.history()
    assert [info.version for info in history] == [1, 2]
    assert [info.timestamp_ns for info in history] == [
        START + 10 * NANOSECONDS,
        START + 20 * NANOSECONDS,
    ]
    assert history[0].parent_id is None
    assert history[1].parent_id == history[0].snapshot_id
    assert [info.operation for info in history] == ["append", "append"]


@pytest.mark.parametrize(("version", "expected"), [(0, []), (1, [1]), (2, [1, 2])])
def test_a_version_is_its_sequence_number(
    travelled: Subject, version: int, expected: list[int]
) -> None:
    assert keys(travelled, AtVersion(version)) == expected
    assert travelled.travelable.state_at(AtVersion(version)).version == version


def test_a_snapshot_is_found_by_its_id(travelled: Subject) -> None:
    first, second = travelled.travelable.history()
    assert keys(travelled, AtSnapshot(first.snapshot_id)) == [1]
    assert keys(travelled, AtSnapshot(second.snapshot_id)) == [1, 2]


@pytest.mark.parametrize(
    ("second", "expected"),
    [(10, [1]), (19.999, [1]), (20, [1, 2]), (29, [1, 2]), (30, [1, 2]), (35, [1, 2])],
)
def test_a_moment_is_the_newest_snapshot_at_or_before_it(
    travelled: Subject, second: float, expected: list[int]
) -> None:
    assert keys(travelled, at_second(second)) == expected


@pytest.mark.parametrize("second", [0, 9.999, 35.001, 10_000])
def test_before_the_table_existed_and_in_the_future_there_is_nothing(
    travelled: Subject, second: float
) -> None:
    found = travelled.read(ScanRequest(at=at_second(second)))
    assert (found.num_rows, found.schema) == (0, travelled.schema)
    state = travelled.travelable.state_at(at_second(second))
    assert (state.snapshot_id, state.version) == (None, 0)


@pytest.mark.parametrize("text", ["infinity", "-infinity"])
def test_infinite_moments_are_empty(travelled: Subject, text: str) -> None:
    assert keys(travelled, parse_point(text)) == []


def test_a_version_above_the_newest_is_an_error_that_names_it(travelled: Subject) -> None:
    with pytest.raises(NotFoundError, match="version 3") as caught:
        travelled.scannable.plan(ScanRequest(at=AtVersion(3)))
    assert "newest version is 2" in str(caught.value.hint)


def test_an_unknown_snapshot_is_an_error(travelled: Subject) -> None:
    with pytest.raises(NotFoundError, match="4711"):
        travelled.travelable.state_at(AtSnapshot(4711))


def test_an_unknown_ref_is_an_error(travelled: Subject) -> None:
    with pytest.raises(NotFoundError, match="nightly"):
        travelled.travelable.state_at(AtRef("nightly"))


def test_main_is_the_head(travelled: Subject) -> None:
    assert keys(travelled, AtRef("main")) == [1, 2]
    assert travelled.travelable.state_at(AtRef("main", "branch")) == travelled.state


def test_a_table_nobody_wrote_to_is_empty_at_every_time(
    lake: Lake, items_schema: pa.Schema
) -> None:
    fresh = lake.seed(items_schema, name="fresh")
    lake.clock.pass_seconds(60)
    for point in (AtVersion(0), at_second(-5), at_second(30), at_second(10_000)):
        assert fresh.read(ScanRequest(at=point)).schema == items_schema


def test_columns_and_conditions_work_at_any_point(travelled: Subject) -> None:
    assert travelled.rows("name", where="k < 2", at=AtVersion(2)) == [("a",)]
    assert travelled.rows("name", where="k > 1", at=AtVersion(1)) == []


def test_row_ids_of_different_versions_differ(travelled: Subject) -> None:
    old = travelled.row_ids(at=AtVersion(1))
    new = travelled.row_ids(at=AtVersion(2))
    assert not set(old) & set(new)

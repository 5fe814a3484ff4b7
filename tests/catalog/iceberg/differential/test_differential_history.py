"""Time travel on tables with a chosen past: moments, tags, branches, expiry, upgrades from format 1."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import IntegerType, LongType, NestedField, StringType

from lakeport.catalog.ports import ScanRequest
from lakeport.core.errors import ExpiredError, NotFoundError
from lakeport.core.timepoint import AtRef, AtSnapshot, AtTime, AtVersion, TimePoint
from tests.behaviours.lake import values
from tests.catalog.iceberg.differential.readers import opened, our_rows
from tests.lakes.lake import START_MS, Lake
from tests.lakes.storage import arrow_schema
from tests.lakes.table import LakeTable

SCHEMA = Schema(NestedField(1, "k", LongType()), NestedField(2, "s", StringType()))
MILLISECOND = 1_000_000


class Hand:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = START_MS

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def lake(tmp_path: Path, hand: Hand) -> Lake:
    return Lake(tmp_path, now=hand)


def one(key: int, schema: Schema = SCHEMA) -> pa.Table:
    row = {"k": key, "s": f"row {key}"}
    return pa.Table.from_pylist([row], arrow_schema(schema))


def keys(lake: Lake, at: TimePoint | None = None) -> list[int]:
    with opened(lake, "h.t") as table:
        return sorted(values(our_rows(table, ScanRequest(at=at)), "k"))


def second(number: float) -> AtTime:
    return AtTime(START_MS * MILLISECOND + int(number * 1_000_000_000))


@pytest.fixture
def past(lake: Lake, hand: Hand) -> LakeTable:
    """Rows 1 … 5, one per commit, at seconds 10, 20 … 50."""
    table = lake.create("h.t", SCHEMA)
    for key in range(1, 6):
        hand.now = START_MS + key * 10_000
        table.append(one(key))
    return table


@pytest.mark.parametrize("version", range(6))
def test_a_version_is_a_sequence_number(lake: Lake, past: LakeTable, version: int) -> None:
    assert keys(lake, AtVersion(version)) == list(range(1, version + 1))
    assert len(past.snapshots) == 5


@pytest.mark.usefixtures("past")
@pytest.mark.parametrize(("moment", "newest"), [(10, 1), (19.999, 1), (20, 2), (49.9, 4), (50, 5)])
def test_a_moment_is_the_newest_commit_before_it(lake: Lake, moment: float, newest: int) -> None:
    assert keys(lake, second(moment)) == list(range(1, newest + 1))


@pytest.mark.usefixtures("past")
def test_before_the_first_commit_there_is_nothing(lake: Lake) -> None:
    assert keys(lake, second(9.999)) == []


def test_expired_history_is_an_error_that_names_the_oldest_left(
    lake: Lake, past: LakeTable
) -> None:
    first, second_id = list(past.snapshots)[:2]
    past.expire(first, second_id)
    assert keys(lake) == [1, 2, 3, 4, 5]
    assert keys(lake, AtVersion(3)) == [1, 2, 3]
    for point in (AtVersion(1), AtVersion(2), second(15), second(5)):
        with pytest.raises(ExpiredError) as caught:
            keys(lake, point)
        assert "3" in str(caught.value)
    with pytest.raises((ExpiredError, NotFoundError)):
        keys(lake, AtSnapshot(first))


def test_a_tag_keeps_what_it_names(lake: Lake, past: LakeTable) -> None:
    third = list(past.snapshots)[2]
    past.ref("release", third)
    past.expire(*list(past.snapshots)[:2])
    assert keys(lake, AtRef("release")) == [1, 2, 3]
    assert keys(lake, AtRef("release", "tag")) == [1, 2, 3]
    with pytest.raises(NotFoundError):
        keys(lake, AtRef("release", "branch"))


def test_a_branch_goes_its_own_way(lake: Lake, past: LakeTable, hand: Hand) -> None:
    hand.now = START_MS + 60_000
    past.commit(add=past.data_files(one(100)), operation="append", branch="side")
    hand.now = START_MS + 70_000
    past.append(one(6))
    assert keys(lake, AtRef("side")) == [1, 2, 3, 4, 5, 100]
    assert keys(lake, AtRef("main")) == keys(lake) == [1, 2, 3, 4, 5, 6]
    # The branch's commit never was the head of the table.
    assert keys(lake, second(65)) == [1, 2, 3, 4, 5]


def test_each_point_has_the_schema_it_was_written_with(lake: Lake, past: LakeTable) -> None:
    wider = Schema(*SCHEMA.fields, NestedField(3, "n", IntegerType()))
    past.evolve(wider)
    with opened(lake, "h.t") as table:
        assert our_rows(table).column_names == ["k", "s", "n"]
        old = our_rows(table, ScanRequest(at=AtVersion(5)))
        assert old.column_names == ["k", "s"]
    past.append(pa.Table.from_pylist([{"k": 6, "n": 7}], arrow_schema(past.schema)))
    with opened(lake, "h.t") as table:
        assert our_rows(table, ScanRequest(at=AtVersion(6))).column_names == ["k", "s", "n"]


def test_format_1_has_no_versions_until_it_is_upgraded(lake: Lake, hand: Hand) -> None:
    table = lake.create("h.t", SCHEMA, version=1)
    first = table.append(one(1))
    hand.now += 10_000
    table.append(one(2))
    assert keys(lake) == [1, 2]
    assert keys(lake, AtSnapshot(first.ident)) == [1]
    assert keys(lake, second(5)) == [1]
    table.upgrade(2)
    hand.now += 10_000
    table.append(one(3))
    assert keys(lake, AtVersion(1)) == [1, 2, 3]
    with opened(lake, "h.t") as ours:
        assert [info.version for info in ours.history()] == [None, None, 1]


def test_a_table_that_was_rolled_back_is_what_it_was(lake: Lake, past: LakeTable) -> None:
    third = list(past.snapshots)[2]
    past.ref("main", third, "branch")
    assert keys(lake) == [1, 2, 3]
    assert keys(lake, AtVersion(5)) == [1, 2, 3, 4, 5]


def test_everything_may_have_been_removed(lake: Lake, past: LakeTable) -> None:
    assert past.head is not None
    past.commit(remove=past.head.files, operation="delete")
    assert keys(lake) == []
    assert keys(lake, AtVersion(5)) == [1, 2, 3, 4, 5]

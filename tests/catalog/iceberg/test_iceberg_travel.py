"""Which snapshot a point means, over whole lives of tables: commits, branches, rollbacks, expiry."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.iceberg.travel import Moment, all_refs, find, history_of
from lakeport.catalog.ports import Ref
from lakeport.core.errors import ExpiredError, NotFoundError
from lakeport.core.timepoint import (
    NANOSECONDS,
    AtRef,
    AtSnapshot,
    AtTime,
    AtVersion,
    TimePoint,
)
from tests.catalog.iceberg.lives import START_MS, STEP_MS, Life, Manner, at

MILLISECOND = NANOSECONDS // 1000


def look(life: Life, point: TimePoint | None) -> Moment:
    return find(life.source, point, life.now * MILLISECOND)


def found(life: Life, point: TimePoint | None) -> int | None:
    snapshot = look(life, point).snapshot
    return None if snapshot is None else snapshot.snapshot_id


# -- versions ------------------------------------------------------------------------------------


def test_a_version_is_the_snapshot_with_that_sequence_number_on_any_branch() -> None:
    life = Life()
    first, other = life.commit(), life.commit("audit")
    assert found(life, AtVersion(1)) == first
    assert found(life, AtVersion(2)) == other
    assert found(life, AtVersion(0)) is None


def test_a_version_above_the_newest_names_the_newest_also_after_a_rollback() -> None:
    life = Life()
    first = life.commit()
    life.commit()
    life.roll_back(first)
    with pytest.raises(NotFoundError, match="no version 3 yet") as caught:
        look(life, AtVersion(3))
    assert caught.value.hint == "the newest version is 2"


def test_an_expired_version_names_the_oldest_left() -> None:
    life = Life()
    gone, kept = life.commit(), life.commit()
    life.expire({gone}, "java")
    with pytest.raises(
        ExpiredError, match=r"version 1 of table `shop.orders` has expired"
    ) as caught:
        look(life, AtVersion(1))
    assert caught.value.hint == "the oldest version left is 2, of 2023-11-14T22:13:40Z"
    assert found(life, AtVersion(2)) == kept


def test_format_1_has_no_versions_but_ids_and_times() -> None:
    life = Life(format_version=1)
    first, second = life.commit(), life.commit()
    with pytest.raises(NotFoundError, match="format 1") as caught:
        look(life, AtVersion(1))
    assert "snapshot" in str(caught.value.hint)
    assert found(life, AtVersion(0)) is None
    assert found(life, AtSnapshot(first)) == first
    assert found(life, at(life.now - 1)) == first
    assert found(life, at(life.now)) == second
    assert found(life, at(START_MS)) is None
    assert [info.version for info in history_of(life.source.metadata)] == [None, None]


def test_an_upgraded_table_counts_from_its_upgrade() -> None:
    life = Life(format_version=1)
    old = life.commit()
    life.upgrade()
    new = life.commit()
    assert [info.version for info in history_of(life.source.metadata)] == [None, 1]
    assert found(life, at(START_MS)) is None
    assert found(life, AtSnapshot(old)) == old
    assert found(life, at(life.now - 1)) == old
    assert found(life, AtVersion(1)) == new


# -- refs and ids --------------------------------------------------------------------------------


def test_refs_are_found_by_name_and_kind() -> None:
    life = Life()
    first = life.commit()
    other = life.commit("audit")
    life.tag("nightly", first)
    assert found(life, AtRef("nightly")) == first
    assert found(life, AtRef("audit", "branch")) == other
    assert found(life, AtRef("main")) == first
    with pytest.raises(NotFoundError, match="no branch `nightly`"):
        look(life, AtRef("nightly", "branch"))
    with pytest.raises(NotFoundError) as caught:
        look(life, AtRef("nihgtly"))
    assert "did you mean `nightly`" in str(caught.value.hint)


def test_a_ref_to_a_snapshot_that_is_gone_is_an_error() -> None:
    life = Life()
    life.commit()
    life.tag("nightly", 4711)
    with pytest.raises(NotFoundError, match="no snapshot 4711"):
        look(life, AtRef("nightly"))


def test_an_unknown_snapshot_of_an_empty_table_says_so() -> None:
    with pytest.raises(NotFoundError) as caught:
        look(Life(), AtSnapshot(1))
    assert "the table has no snapshot yet" in str(caught.value.hint)


# -- schemas -------------------------------------------------------------------------------------


def test_each_point_has_the_schema_it_was_written_with() -> None:
    life = Life()
    first = life.commit()
    life.change_schema()
    second = life.commit()
    life.change_schema()
    assert [look(life, point).schema.schema_id for point in (AtSnapshot(first), AtVersion(2))] == [
        0,
        1,
    ]
    assert look(life, AtVersion(0)).schema.schema_id == 0
    assert look(life, None).schema.schema_id == 2
    assert look(life, AtRef("main")).schema.schema_id == 1
    assert found(life, AtRef("main")) == second
    assert look(life, at(life.now + 60_000)).schema.schema_id == 2
    assert look(life, at(START_MS)).schema.schema_id == 0


def test_a_snapshot_that_names_no_schema_has_the_current_one() -> None:
    life = Life()
    ident = life.commit(with_schema=False)
    life.change_schema()
    assert look(life, AtSnapshot(ident)).schema.schema_id == 1


def test_a_table_nobody_wrote_to_has_its_current_schema_at_every_time() -> None:
    life = Life()
    life.change_schema()
    for moment in (0, life.now, life.now + 60_000):
        assert look(life, at(moment)) == Moment(None, life.source.metadata.schema())


# -- times ---------------------------------------------------------------------------------------


def test_a_time_is_what_main_pointed_at_then() -> None:
    life = Life()
    first, second = life.commit(), life.commit()
    life.commit("audit")
    life.roll_back(first)
    third = life.commit()
    moments = [START_MS + STEP_MS * step for step in range(6)]
    assert [found(life, at(moment)) for moment in moments] == [
        None,
        first,
        second,
        second,
        first,
        third,
    ]


@pytest.mark.parametrize("nanoseconds", [5 * NANOSECONDS, 0, -1])
def test_a_clock_that_runs_a_little_ahead_means_now(nanoseconds: int) -> None:
    life = Life()
    head = life.commit()
    life.now += 1
    assert found(life, AtTime(life.now * MILLISECOND + nanoseconds)) == head


def test_the_future_is_empty() -> None:
    life = Life()
    life.commit()
    assert found(life, AtTime(life.now * MILLISECOND + 5 * NANOSECONDS + 1)) is None


def test_before_the_oldest_is_before_existence_only_if_the_first_is_left() -> None:
    life = Life()
    gone = life.commit()
    life.commit()
    assert found(life, at(START_MS)) is None
    life.expire({gone}, "java")
    with pytest.raises(ExpiredError, match="the state of 2023-11-14T22:13:20Z"):
        look(life, at(START_MS))


@pytest.mark.parametrize("manner", ["java", "pyiceberg"])
def test_a_gap_that_expiry_left_is_never_the_state_before_it(manner: Manner) -> None:
    life = Life()
    first, gone, third = life.commit(), life.commit(), life.commit()
    life.tag("keep", first)
    life.expire({gone}, manner)
    with pytest.raises(ExpiredError):
        look(life, at(START_MS + 2 * STEP_MS))
    assert found(life, at(START_MS + 3 * STEP_MS)) == third
    assert found(life, AtRef("keep")) == first


def test_a_replaced_table_is_still_read_at_earlier_times() -> None:
    life = Life()
    first, second = life.commit(), life.commit()
    third = life.replace()
    moments = [START_MS + STEP_MS * step for step in range(4)]
    assert [found(life, at(moment)) for moment in moments] == [None, first, second, third]


Event = Callable[[Life, int], None]


def _commit(life: Life, _: int) -> None:
    life.commit()


def _commit_aside(life: Life, choice: int) -> None:
    life.commit("audit" if choice % 2 else "other")


def _roll_back(life: Life, choice: int) -> None:
    if life.snapshots:
        life.roll_back(sorted(life.snapshots)[choice % len(life.snapshots)])


def _tag(life: Life, choice: int) -> None:
    if life.snapshots:
        life.tag(f"t{choice % 3}", sorted(life.snapshots)[choice % len(life.snapshots)])


EVENTS: list[Event] = [_commit, _commit, _commit, _commit_aside, _roll_back, _tag]

lives = st.lists(st.tuples(st.sampled_from(EVENTS), st.integers(0, 50)), min_size=1, max_size=14)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    events=lives,
    expired=st.sets(st.integers(1001, 1014)),
    later=lives,
    manner=st.sampled_from(["java", "pyiceberg"]),
)
def test_a_time_is_never_answered_with_another_state_than_that_time_had(
    events: list[tuple[Event, int]],
    expired: set[int],
    later: list[tuple[Event, int]],
    manner: Manner,
) -> None:
    life = Life()
    for event, choice in events:
        event(life, choice)
    life.expire(expired, manner)
    for event, choice in later:
        event(life, choice)
    source = life.source
    lost = {ident for ident in range(1001, 1001 + life.commits) if ident not in life.snapshots}
    # Before the log begins, nobody knows what was rolled back or happened on another branch.
    cut = life.log[0]["timestamp-ms"] if life.log else life.now
    aside = any(event is _commit_aside for event, _ in events + later)
    rolled = sum(event is _roll_back for event, _ in events + later)
    # Nor what lay between two rollbacks, when PyIceberg has forgotten the entry.
    forgotten = rolled > 1 and manner == "pyiceberg"
    for moment in range(START_MS - STEP_MS // 2, life.now + STEP_MS // 2, STEP_MS // 2):
        truth = life.pointed_at(moment)
        try:
            snapshot = find(source, at(moment), life.now * MILLISECOND).snapshot
        except ExpiredError:
            assert lost or (aside and moment < cut), "nothing was expired"
            assert moment < max(cut, life.truth[-1][0]), "the head is always there"
            continue
        if lost and (forgotten or (moment < cut and (rolled or aside))):
            continue
        assert (None if snapshot is None else snapshot.snapshot_id) == truth


def test_history_is_told_oldest_first_with_what_each_commit_said() -> None:
    life = Life()
    first = life.commit()
    second = life.commit()
    source = life.source
    assert [info.snapshot_id for info in history_of(source.metadata)] == [first, second]
    newest = history_of(source.metadata)[-1]
    assert (newest.version, newest.operation, newest.parent_id) == (2, "append", first)
    assert newest.summary == {"added-records": "1"}
    assert newest.timestamp_ns == life.now * MILLISECOND
    assert all_refs(source.metadata) == (Ref("main", "branch", second),)

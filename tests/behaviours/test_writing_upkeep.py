"""Tags, branches and forgetting old snapshots."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.ports import Ref, ScanRequest
from lakeport.core.errors import (
    AlreadyExistsError,
    ExpiredError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
)
from lakeport.core.timepoint import NANOSECONDS, AtRef, AtSnapshot, AtTime, AtVersion
from tests.behaviours.implementations import START
from tests.behaviours.lake import Lake, Subject, schema_of


@pytest.fixture
def log(lake: Lake) -> Subject:
    """Versions 1 … 5, one row each, ten seconds apart, the first at second 0."""
    subject = lake.create(schema_of(k=pa.int64()), name="log")
    for k in range(1, 6):
        subject.insert([{"k": k}])
        lake.clock.pass_seconds(10)
    return subject


def snapshot_id(subject: Subject, version: int) -> int:
    return next(
        info.snapshot_id for info in subject.travelable.history() if info.version == version
    )


def tag(subject: Subject, name: str, version: int) -> None:
    subject.referable.create_ref(Ref(name, "tag", snapshot_id(subject, version)))


def at_second(second: int) -> AtTime:
    return AtTime(START + second * NANOSECONDS)


# -- refs ----------------------------------------------------------------------------------------


def test_a_tag_stays_where_it_was_put(log: Subject) -> None:
    tag(log, "week-1", 2)
    log.insert([{"k": 6}])
    assert log.rows(at=AtRef("week-1")) == [(1,), (2,)]
    assert log.rows(at=AtRef("week-1", "tag")) == [(1,), (2,)]


def test_refs_are_listed_with_the_head_as_main(log: Subject) -> None:
    tag(log, "week-1", 2)
    branch = Ref("audit", "branch", snapshot_id(log, 3))
    log.referable.create_ref(branch)
    assert set(log.referable.refs()) == {
        Ref("main", "branch", snapshot_id(log, 5)),
        Ref("week-1", "tag", snapshot_id(log, 2)),
        branch,
    }


def test_a_tag_is_not_a_branch(log: Subject) -> None:
    tag(log, "week-1", 2)
    with pytest.raises(NotFoundError):
        log.travelable.state_at(AtRef("week-1", "branch"))


def test_a_ref_name_is_given_once(log: Subject) -> None:
    tag(log, "week-1", 2)
    with pytest.raises(AlreadyExistsError):
        tag(log, "week-1", 3)
    with pytest.raises(LakeportError):
        tag(log, "main", 3)


def test_a_ref_needs_a_snapshot_that_exists(log: Subject) -> None:
    with pytest.raises(NotFoundError):
        log.referable.create_ref(Ref("lost", "tag", 4711))


def test_a_dropped_ref_is_gone(log: Subject) -> None:
    tag(log, "week-1", 2)
    log.referable.drop_ref("week-1")
    with pytest.raises(NotFoundError):
        log.rows(at=AtRef("week-1"))
    with pytest.raises(NotFoundError):
        log.referable.drop_ref("week-1")
    with pytest.raises(InvalidRequestError):
        log.referable.drop_ref("main")


# -- expiry --------------------------------------------------------------------------------------


def test_expiry_keeps_the_newest_snapshots_and_all_rows(log: Subject) -> None:
    assert log.expirable.expire(keep=2) == 3
    assert [info.version for info in log.travelable.history()] == [4, 5]
    assert len(log.rows()) == 5
    assert len(log.rows(at=AtVersion(4))) == 4
    assert log.expirable.expire(keep=2) == 0


def test_expiry_does_not_change_the_version(log: Subject) -> None:
    before = log.state
    log.expirable.expire(keep=1)
    assert log.state == before
    assert log.insert([{"k": 6}]).version == 6


def test_an_expired_version_is_an_error_that_names_the_oldest_left(log: Subject) -> None:
    log.expirable.expire(keep=2)
    with pytest.raises(ExpiredError) as caught:
        log.scannable.plan(ScanRequest(at=AtVersion(2)))
    assert "4" in str(caught.value)


def test_an_expired_moment_is_an_error_and_not_before_existence(log: Subject) -> None:
    log.expirable.expire(keep=2)
    for second in (-5, 0, 25):
        with pytest.raises(ExpiredError):
            log.travelable.state_at(at_second(second))
    assert log.travelable.state_at(at_second(35)).version == 4


def test_a_time_before_the_first_snapshot_stays_empty_while_that_is_kept(log: Subject) -> None:
    tag(log, "first", 1)
    log.expirable.expire(keep=2)
    assert log.rows(at=at_second(-5)) == []


def test_a_moment_in_a_gap_is_expired_even_if_an_older_snapshot_is_kept(log: Subject) -> None:
    tag(log, "first", 1)
    log.expirable.expire(keep=2)
    with pytest.raises(ExpiredError):
        log.travelable.state_at(at_second(15))


def test_version_zero_does_not_expire(log: Subject) -> None:
    log.expirable.expire(keep=1)
    assert log.rows(at=AtVersion(0)) == []


def test_an_expired_snapshot_id_is_not_found(log: Subject) -> None:
    gone = snapshot_id(log, 1)
    log.expirable.expire(keep=2)
    with pytest.raises(LakeportError):
        log.travelable.state_at(AtSnapshot(gone))


def test_what_a_ref_holds_does_not_expire(log: Subject) -> None:
    tag(log, "week-1", 2)
    assert log.expirable.expire(keep=1) == 3
    assert [info.version for info in log.travelable.history()] == [2, 5]
    assert log.rows(at=AtRef("week-1")) == [(1,), (2,)]
    log.referable.drop_ref("week-1")
    assert log.expirable.expire(keep=1) == 1


def test_a_split_of_an_expired_snapshot_is_refused(log: Subject) -> None:
    split = log.scannable.plan(ScanRequest(at=AtVersion(1))).splits[0]
    log.expirable.expire(keep=1)
    with pytest.raises(LakeportError):
        log.scannable.open(ScanRequest(), split).read_all()


@pytest.mark.parametrize("keep", [0, -1])
def test_the_head_cannot_be_expired(log: Subject, keep: int) -> None:
    with pytest.raises(InvalidRequestError):
        log.expirable.expire(keep=keep)
    assert len(log.travelable.history()) == 5

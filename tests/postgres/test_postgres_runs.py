"""Leases, runs and lineage on Postgres: the same promises as on SQLite, by the same checks."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from lakeport.catalog.iceberg.profile import Profile
from lakeport.state import Lease, Owner, Store
from tests.state import leases_check, runs_check


@pytest.fixture
def url(profile: Profile) -> str:
    assert profile.uri is not None
    return profile.uri


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as opened:
        yield opened


def test_of_many_processes_one_gets_the_lease_and_a_dead_one_loses_it(url: str) -> None:
    leases_check.check_one_of_many_processes_wins(url)


def test_of_many_threads_one_gets_the_lease(url: str) -> None:
    leases_check.check_one_of_many_threads_wins(url)


def test_a_lease_is_renewed_by_its_owner_and_lost_to_time(store: Store) -> None:
    leases_check.check_a_lease_from_taking_to_losing(store)


def test_times_are_the_databases_whatever_this_machine_believes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    lease = store.leases.acquire("lake", leases_check.ORDERS, Owner.here("run"))
    assert isinstance(lease, Lease)
    assert lease.acquired_ns > real // 2


def test_a_run_is_written_down_from_its_beginning_to_its_end(store: Store) -> None:
    runs_check.check_a_run_from_beginning_to_end(store)


def test_the_newest_of_every_model_is_found(store: Store) -> None:
    runs_check.check_what_is_newest(store)


def test_a_run_that_was_killed_is_taken_up_by_one(store: Store, url: str) -> None:
    runs_check.check_an_interrupted_run_is_taken_up_once(store, url)


def test_old_runs_are_forgotten_but_for_what_is_still_needed(store: Store) -> None:
    runs_check.check_old_runs_are_forgotten(store)


def test_lineage_of_an_environment_is_replaced_as_a_whole(store: Store) -> None:
    runs_check.check_lineage_is_replaced(store)

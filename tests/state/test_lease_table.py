"""Leases on SQLite, and the heartbeat that keeps them."""

from __future__ import annotations

import threading

from sqlalchemy import create_engine, text

from lakeport.state import Heartbeat, Held, Lease, Owner, RunRecord, Store
from tests.state import leases_check
from tests.state.leases_check import ITEMS, ORDERS, elsewhere


def test_of_many_processes_one_gets_the_lease_and_a_dead_one_loses_it(url: str) -> None:
    leases_check.check_one_of_many_processes_wins(url)


def test_of_many_threads_one_gets_the_lease(url: str) -> None:
    leases_check.check_one_of_many_threads_wins(url)


def test_a_lease_is_renewed_by_its_owner_and_lost_to_time(store: Store) -> None:
    leases_check.check_a_lease_from_taking_to_losing(store)


def test_a_heartbeat_keeps_leases_and_tells_what_was_lost(store: Store) -> None:
    told: list[Lease] = []
    owner = Owner.here("run")
    with Heartbeat(store.leases, owner, on_lost=told.append, every=3600) as heart:
        orders, items = heart.acquire("lake", ORDERS), heart.acquire("lake", ITEMS)
        assert isinstance(orders, Lease)
        assert isinstance(items, Lease)
        store.leases.renew([orders, items], ttl=-1)
        heart.beat()
        assert {lease.table for lease in store.leases.held()} == {ORDERS, ITEMS}
        store.leases.renew([items], ttl=-1)
        assert isinstance(store.leases.acquire("lake", ITEMS, elsewhere("b")), Lease)
        heart.beat()
        heart.beat()
        assert told == [items]
        assert heart.lost == {ITEMS}
        assert isinstance(heart.acquire("lake", ITEMS), Held)
        assert heart.release(orders)
        assert not heart.release(items)


def test_the_thread_beats_by_itself_and_stops_when_it_is_closed(store: Store) -> None:
    lost = threading.Event()
    heart = Heartbeat(store.leases, Owner.here("run"), on_lost=lambda _: lost.set(), every=0.01)
    lease = heart.acquire("lake", ORDERS)
    assert isinstance(lease, Lease)
    assert store.leases.release(lease)  # behind its back
    assert lost.wait(30)
    heart.close()
    assert not any(thread.name == "lakeport-heartbeat" for thread in threading.enumerate())


def test_a_lease_that_could_not_be_renewed_in_time_is_nobodys(store: Store, url: str) -> None:
    now = [0.0]
    told: list[Lease] = []
    heart = Heartbeat(
        store.leases, Owner.here("run"), on_lost=told.append, every=3600, clock=lambda: now[0]
    )
    with heart:
        lease = heart.acquire("lake", ORDERS)
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.execute(text("ALTER TABLE lakeport_leases RENAME TO away"))
        now[0] = 59
        heart.beat()
        assert told == []
        now[0] = 61
        heart.beat()
        assert told == [lease]
        with engine.begin() as connection:
            connection.execute(text("ALTER TABLE away RENAME TO lakeport_leases"))
        engine.dispose()


def test_a_heartbeat_beats_for_the_run_too(store: Store) -> None:
    far = elsewhere("run")
    store.runs.begin(RunRecord(owner=far, catalog="lake", started_ns=1), ttl=-1)
    assert [run.run_id for run in store.runs.interrupted("lake")] == ["run"]
    with Heartbeat(store.leases, far, runs=store.runs, every=3600) as heart:
        heart.beat()
        assert store.runs.interrupted("lake") == []

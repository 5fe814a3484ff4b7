"""What leases promise on every database; the suites of both call it with a store of theirs."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace

from lakeport.core.names import TableName
from lakeport.state import Held, Lease, Owner, Store

ORDERS = TableName("shop", "orders")
ITEMS = TableName("shop", "items")

_PROGRAM = """
import sys
from lakeport.core.names import TableName
from lakeport.state import Lease, Owner, Store
with Store.open(sys.argv[1]) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    found = store.leases.acquire("lake", TableName("shop", "orders"), Owner.here(sys.argv[2]))
    print("got" if isinstance(found, Lease) else f"held by {found.by.run_id}", flush=True)
    sys.stdin.read()
"""


class Racer:
    """Another process that wants the lease of `shop.orders`, and keeps it as long as it lives."""

    def __init__(self, url: str, run_id: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, url, run_id],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._line() == "ready"

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        return self._line()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")


def elsewhere(run_id: str) -> Owner:
    """A process of another machine: whether it lives cannot be known here."""
    return Owner(run_id, "far", "another boot/pid:[1]", 7, "1")


def check_one_of_many_processes_wins(url: str) -> None:
    racers = [Racer(url, f"run-{number}") for number in range(3)]
    try:
        for racer in racers:
            racer.go()
        answers = [racer.answer() for racer in racers]
        winner = answers.index("got")
        others = [answer for number, answer in enumerate(answers) if number != winner]
        assert others == [f"held by run-{winner}"] * 2
        with Store.open(url) as store:
            (lease,) = store.leases.held("lake")
            assert (lease.table, lease.owner.run_id) == (ORDERS, f"run-{winner}")
            racers[winner].kill()
            # The winner is dead and of this machine: nobody waits for its minute.
            assert store.leases.held("lake") == []
            taken = store.leases.acquire("lake", ORDERS, Owner.here("next"))
            assert isinstance(taken, Lease)
    finally:
        for racer in racers:
            racer.kill()


def check_one_of_many_threads_wins(url: str) -> None:
    """Each round every thread wants a lease that somebody gives back meanwhile."""
    barrier = threading.Barrier(4)
    got: list[list[str]] = [[] for _ in range(5)]

    def work(name: str) -> None:
        with Store.open(url) as store:
            for round_of in got:
                barrier.wait()
                found = store.leases.acquire("lake", ORDERS, replace(Owner.here(name)))
                if isinstance(found, Lease):
                    round_of.append(name)
                barrier.wait()
                if isinstance(found, Lease):
                    assert store.leases.release(found)

    threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(round_of) for round_of in got] == [1] * 5


def check_a_lease_from_taking_to_losing(store: Store) -> None:
    mine, other = Owner.here("mine"), elsewhere("other")
    lease = store.leases.acquire("lake", ORDERS, mine)
    assert isinstance(lease, Lease)
    again = store.leases.acquire("lake", TableName("SHOP", "Orders"), mine)
    assert isinstance(again, Lease)
    held = store.leases.acquire("lake", TableName("Shop", "ORDERS"), other)
    assert isinstance(held, Held)
    assert held.by == mine
    assert isinstance(store.leases.acquire("eu", ORDERS, other), Lease)
    assert isinstance(store.leases.acquire("lake", ITEMS, other), Lease)
    assert store.leases.renew([lease]) == ()
    # Not even its owner's namesake may give it back or renew it.
    stranger = replace(lease, owner=other)
    assert not store.leases.release(stranger)
    assert store.leases.renew([stranger]) == (stranger,)
    # One whose time is over is anybody's; its owner is told.
    assert store.leases.renew([lease], ttl=-1) == ()
    assert [each.table for each in store.leases.held("lake")] == [ITEMS]
    assert isinstance(store.leases.acquire("lake", ORDERS, other), Lease)
    assert store.leases.renew([lease]) == (lease,)
    assert not store.leases.release(lease)
    assert store.leases.release_all(other) == 3
    assert store.leases.held() == []

"""The state store on Postgres: the same promises as on SQLite, shared by servers."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from lakeport.access import Ability, AuditEntry, AuditLog, Authenticator, grants_for
from lakeport.access.lending import Lender
from lakeport.access.tokens import create_token, revoke_token
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import AlreadyExistsError, UnauthenticatedError, UnavailableError
from lakeport.state import NameKey, Pin, PinKey, Store

READ = grants_for([Ability.READ], ["sales.*"])


@pytest.fixture
def url(profile: Profile) -> str:
    assert profile.uri is not None
    return profile.uri


def test_many_open_one_new_store_and_one_of_them_gets_a_name(url: str) -> None:
    outcomes: list[str] = []
    barrier = threading.Barrier(4)

    def work() -> None:
        barrier.wait()
        with Store.open(url) as store:
            try:
                create_token(store.tokens, "ann", READ, now_ns=1)
                outcomes.append("made")
            except AlreadyExistsError:
                outcomes.append("taken")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made", "taken", "taken", "taken"]


def test_what_one_server_revokes_the_other_refuses(url: str) -> None:
    with Store.open(url) as store, Store.open(url) as other:
        token, _ = create_token(store.tokens, "ann", READ, now_ns=1)
        there = Authenticator(other.tokens, open_at_first=True, probe_seconds=0)
        assert there.authenticate(f"Bearer {token}").grants == READ
        revoke_token(store.tokens, "ANN", now_ns=2)
        with pytest.raises(UnauthenticatedError):
            there.authenticate(f"Bearer {token}")
        assert not there.is_open


def test_a_pass_that_one_server_lends_the_other_knows_at_once(url: str) -> None:
    with Store.open(url) as store, Store.open(url) as other:
        token, _ = create_token(store.tokens, "ann", READ, now_ns=1, growth=True)
        there = Authenticator(other.tokens, open_at_first=False)
        assert there.authenticate(f"Bearer {token}").name == "ann"
        here = Authenticator(store.tokens, open_at_first=False)
        lent = Lender(store.tokens, here).lend(token)
        found = there.authenticate(f"Bearer {lent.secret}")
        assert (found.name, found.grants, found.growth) == ("ann", READ, True)
        assert Lender(other.tokens, there).lend(lent.secret).identity == found


def test_the_audit_is_kept_read_and_forgotten(url: str) -> None:
    call = AuditEntry(at_ns=5, method="DoExchange", table="a\0b", transaction_id="t", ms=0.5)
    with Store.open(url) as store:
        with AuditLog(store.audit, keep_days=None) as log:
            log.record(call)
            log.record(replace(call, at_ns=6, outcome="ABORTED"))
        assert store.audit.last_outcome("t") == "ABORTED"
        assert [entry.at_ns for batch in store.audit.batches(size=1) for entry in batch] == [5, 6]
        assert store.audit.forget(6) == 1
        (left,) = store.audit.newest(5)
        assert left == replace(call, at_ns=6, outcome="ABORTED", table="a\ufffdb")


def test_the_first_of_many_servers_pins_what_a_transaction_reads(url: str) -> None:
    key = PinKey("t", "lake", "u")
    answers: set[Pin] = set()
    barrier = threading.Barrier(4)

    def ask(snapshot: int) -> None:
        with Store.open(url) as store:
            barrier.wait()
            answers.add(store.pins.first(key, Pin(snapshot, 0)))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Store.open(url) as store:
        assert answers == {store.pins.first(key, Pin(9, 0))}
        store.pins.put(key, Pin(10, 0))
        assert store.pins.first(key, Pin(11, 0)) == Pin(10, 0)
        assert store.pins.first(key, Pin(11, 1)) == Pin(11, 1)
        store.pins.drop("lake", "u")
        name = NameKey("t", "lake", "shop", "items")
        assert [store.pins.meant(name, uuid) for uuid in ("u", "v")] == ["u", "u"]
        assert store.pins.first(key, Pin(12, 1)) == Pin(12, 1)


def test_a_store_that_is_not_there_says_so_without_its_address(url: str) -> None:
    with pytest.raises(UnavailableError) as refused:
        Store.open(url.replace("?", "_gone?") if "?" in url else f"{url}_gone")
    assert "_gone" not in str(refused.value)

"""Passes: another secret for the same identity, good for an hour and never longer than its token."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from lakeport.access import EVERYONE, Ability, Authenticator, grants_for
from lakeport.access.lending import PASS_SECONDS, Lender
from lakeport.access.tokens import create_token, digest_of, revoke_token
from lakeport.core.errors import UnauthenticatedError
from lakeport.core.timepoint import NANOSECONDS
from lakeport.state import Store
from tests.access.clock import Clock

GRANTS = grants_for([Ability.READ], ["sales.*"])


@pytest.fixture
def clock() -> Clock:
    return Clock()


def server(store: Store, clock: Clock, *, open_at_first: bool = False) -> Authenticator:
    return Authenticator(
        store.tokens, open_at_first=open_at_first, clock=clock, now_ns=clock.now_ns
    )


def lender(store: Store, clock: Clock) -> Lender:
    return Lender(store.tokens, server(store, clock), clock.now_ns)


def token(store: Store, clock: Clock, seconds: int | None = None, *, growth: bool = False) -> str:
    lifetime = None if seconds is None else seconds * NANOSECONDS
    made = create_token(
        store.tokens, "ann", GRANTS, now_ns=clock.now_ns(), lifetime_ns=lifetime, growth=growth
    )
    return made[0]


def test_a_pass_is_its_tokens_identity(store: Store, clock: Clock) -> None:
    lent = lender(store, clock).lend(token(store, clock, growth=True))
    found = server(store, clock).authenticate(f"Bearer {lent.secret}")
    assert (found.name, found.grants, found.growth) == ("ann", GRANTS, True)


def test_another_server_knows_a_pass_at_once(store: Store, clock: Clock) -> None:
    other, mine = server(store, clock), token(store, clock)
    assert other.authenticate(f"Bearer {mine}").name == "ann"  # it asked the store just now
    lent = lender(store, clock).lend(mine)
    assert other.authenticate(f"Bearer {lent.secret}").name == "ann"


def test_wrong_passes_cost_the_store_little(store: Store, clock: Clock) -> None:
    """After fifty of them in a second, the next one is looked up a second later."""
    other, mine = server(store, clock), token(store, clock)
    for _ in range(60):
        with pytest.raises(UnauthenticatedError):
            other.authenticate("Bearer lp_pass_wrong")
    lent = lender(store, clock).lend(mine)
    with pytest.raises(UnauthenticatedError):
        other.authenticate(f"Bearer {lent.secret}")
    clock.seconds += 1
    assert other.authenticate(f"Bearer {lent.secret}").name == "ann"


def test_a_pass_expires(store: Store, clock: Clock) -> None:
    lent = lender(store, clock).lend(token(store, clock))
    assert lent.seconds == PASS_SECONDS
    clock.seconds += PASS_SECONDS
    with pytest.raises(UnauthenticatedError):
        server(store, clock).authenticate(f"Bearer {lent.secret}")


def test_a_pass_can_be_exchanged_for_a_new_one_while_it_is_good(store: Store, clock: Clock) -> None:
    desk = lender(store, clock)
    first = desk.lend(token(store, clock))
    clock.seconds += PASS_SECONDS - 1
    second = desk.lend(first.secret)
    clock.seconds += 2
    assert server(store, clock).authenticate(f"Bearer {second.secret}").name == "ann"
    with pytest.raises(UnauthenticatedError):
        desk.lend(first.secret)


def test_a_pass_dies_with_its_token(store: Store, clock: Clock) -> None:
    guard = server(store, clock)
    lent = lender(store, clock).lend(token(store, clock))
    assert guard.authenticate(f"Bearer {lent.secret}").name == "ann"
    revoke_token(store.tokens, "ann", now_ns=clock.now_ns())
    clock.seconds += 1
    with pytest.raises(UnauthenticatedError):
        guard.authenticate(f"Bearer {lent.secret}")


def test_a_pass_does_not_outlive_its_token(store: Store, clock: Clock) -> None:
    lent = lender(store, clock).lend(token(store, clock, seconds=10))
    clock.seconds += 10
    with pytest.raises(UnauthenticatedError):
        server(store, clock).authenticate(f"Bearer {lent.secret}")


def test_nothing_is_lent_for_a_wrong_word(store: Store, clock: Clock) -> None:
    token(store, clock)
    for wrong in ("", "x", "lp_x", "lp_pass_x"):
        with pytest.raises(UnauthenticatedError):
            lender(store, clock).lend(wrong)


def test_while_everyone_is_admin_any_word_gets_a_pass(store: Store, clock: Clock) -> None:
    guard = server(store, clock, open_at_first=True)
    lent = Lender(store.tokens, guard, clock.now_ns).lend("whatever")
    assert guard.authenticate(f"Bearer {lent.secret}") is EVERYONE


def test_the_store_has_digests_alone_and_forgets_what_expired(
    store: Store, clock: Clock, tmp_path: Path
) -> None:
    desk, mine = lender(store, clock), token(store, clock)
    desk.lend(mine)
    clock.seconds += PASS_SECONDS + 1
    kept = desk.lend(mine)
    engine = create_engine(f"sqlite:///{tmp_path}/state.db")
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT digest FROM lakeport_passes")).fetchall()
    engine.dispose()
    assert rows == [(digest_of(kept.secret),)]

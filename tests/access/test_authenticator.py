"""From a header to an identity."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from lakeport.access import EVERYONE, Ability, Authenticator, grants_for
from lakeport.access.tokens import create_token, revoke_token
from lakeport.core.errors import UnauthenticatedError, UnavailableError
from lakeport.core.secrets import mask_text
from lakeport.core.timepoint import NANOSECONDS
from lakeport.state import Store
from tests.access.clock import Clock

READ = grants_for([Ability.READ], ["sales.*"])


@pytest.fixture
def clock() -> Clock:
    return Clock()


def guard(store: Store, clock: Clock, *, open_at_first: bool = False) -> Authenticator:
    return Authenticator(
        store.tokens, open_at_first=open_at_first, clock=clock, now_ns=clock.now_ns
    )


def token(store: Store, clock: Clock, name: str = "ann", seconds: int | None = None) -> str:
    lifetime = None if seconds is None else seconds * NANOSECONDS
    return create_token(store.tokens, name, READ, now_ns=clock.now_ns(), lifetime_ns=lifetime)[0]


def refusal(authenticator: Authenticator, authorization: str | None) -> str:
    with pytest.raises(UnauthenticatedError) as refused:
        authenticator.authenticate(authorization)
    return str(refused.value)


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def test_a_token_gives_its_identity_and_grants(store: Store, clock: Clock) -> None:
    mine, other = token(store, clock), token(store, clock, "bob")
    authenticator = guard(store, clock)
    assert authenticator.authenticate(f"Bearer {mine}").name == "ann"
    found = authenticator.authenticate(f"bearer  {other} ")
    assert (found.name, found.grants) == ("bob", READ)


def test_a_token_may_come_as_the_password_of_basic(store: Store, clock: Clock) -> None:
    mine = token(store, clock)
    authenticator = guard(store, clock)
    assert authenticator.authenticate(basic("whoever", mine)).name == "ann"
    assert authenticator.bearer(basic("", mine)) == f"Bearer {mine}"


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer lp_wrong",
        "Bearer \ud800\N{SNOWMAN}",
        "Basic !!",
        "Basic //79",
        "Negotiate abc",
        "Bearer " + "x" * 100_000,
    ],
)
def test_whatever_is_no_token_is_refused_in_the_same_words(
    store: Store, clock: Clock, authorization: str | None
) -> None:
    token(store, clock)
    authenticator = guard(store, clock)
    assert refusal(authenticator, authorization) == refusal(authenticator, "Bearer lp_no")


def test_the_advice_survives_the_masking_of_secrets(store: Store, clock: Clock) -> None:
    said = refusal(guard(store, clock), None)
    assert mask_text(said) == said


def test_the_token_without_its_scheme_or_cut_short_is_refused(store: Store, clock: Clock) -> None:
    mine = token(store, clock)
    authenticator = guard(store, clock)
    for wrong in (mine, f"Bearer {mine[:-1]}", f"Bearer {mine}x", f"Bearer {mine.upper()}"):
        refusal(authenticator, wrong)


def test_an_expired_token_is_refused_from_the_second_it_expires(store: Store, clock: Clock) -> None:
    mine = token(store, clock, seconds=10)
    authenticator = guard(store, clock)
    clock.seconds += 9
    assert authenticator.authenticate(f"Bearer {mine}").name == "ann"
    clock.seconds += 1
    assert refusal(authenticator, f"Bearer {mine}") == refusal(authenticator, None)


def test_a_revoked_token_is_refused_a_second_later_at_most(store: Store, clock: Clock) -> None:
    mine = token(store, clock)
    authenticator = guard(store, clock)
    authenticator.authenticate(f"Bearer {mine}")
    revoke_token(store.tokens, "ann", now_ns=clock.now_ns())
    clock.seconds += 1
    assert refusal(authenticator, f"Bearer {mine}") == refusal(authenticator, None)


def test_a_new_token_is_known_a_second_later_at_most(store: Store, clock: Clock) -> None:
    authenticator = guard(store, clock)
    refusal(authenticator, None)
    mine = token(store, clock)
    clock.seconds += 1
    assert authenticator.authenticate(f"Bearer {mine}").name == "ann"


def test_everyone_is_admin_until_there_is_a_token(store: Store, clock: Clock) -> None:
    authenticator = guard(store, clock, open_at_first=True)
    assert authenticator.is_open
    assert authenticator.authenticate(None) == EVERYONE
    assert authenticator.authenticate("Bearer lp_old") == EVERYONE
    token(store, clock)
    clock.seconds += 1
    assert not authenticator.is_open
    refusal(authenticator, None)


def test_revoking_the_last_token_opens_nothing(store: Store, clock: Clock) -> None:
    token(store, clock)
    revoke_token(store.tokens, "ann", now_ns=clock.now_ns())
    authenticator = guard(store, clock, open_at_first=True)
    assert not authenticator.is_open
    refusal(authenticator, None)


def test_without_a_token_nobody_comes_in_where_it_is_not_open(store: Store, clock: Clock) -> None:
    authenticator = guard(store, clock)
    assert not authenticator.is_open
    refusal(authenticator, None)


def test_wrong_tokens_cost_the_store_nothing(store: Store, clock: Clock) -> None:
    mine = token(store, clock)
    authenticator = guard(store, clock)
    authenticator.authenticate(f"Bearer {mine}")
    revoke_token(store.tokens, "ann", now_ns=clock.now_ns())
    for number in range(100):
        refusal(authenticator, f"Bearer lp_{number}")
    # Had one of them asked the store, the change would be known by now.
    assert authenticator.authenticate(f"Bearer {mine}").name == "ann"


def test_without_the_store_nobody_comes_in(tmp_path: Path, clock: Clock) -> None:
    with Store.open(f"sqlite:///{tmp_path}/state.db") as store:
        mine = token(store, clock)
        authenticator = guard(store, clock)
        authenticator.authenticate(f"Bearer {mine}")
        store.close()
        (tmp_path / "state.db").write_bytes(b"something else entirely " * 1_000)
        clock.seconds += 1
        for _ in range(2):
            with pytest.raises(UnavailableError) as refused:
                authenticator.authenticate(f"Bearer {mine}")
            assert str(tmp_path) not in str(refused.value)

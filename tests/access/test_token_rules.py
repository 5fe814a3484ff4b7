"""How tokens are made, listed and ended."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from lakeport.access import Ability, Authenticator, Grant, StatementLimits, grants_for
from lakeport.access.tokens import TokenState, create_token, list_tokens, revoke_token
from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    LimitError,
    NotFoundError,
)
from lakeport.state import Store, StoredGrant, StoredToken

READ = grants_for([Ability.READ])


def test_a_token_is_random_and_only_its_digest_is_kept(store: Store, tmp_path: Path) -> None:
    first, known = create_token(store.tokens, "ann", READ, now_ns=5, by="root")
    second, _ = create_token(store.tokens, "bob", READ, now_ns=6)
    assert first != second
    assert first.startswith("lp_")
    assert len(first) == 3 + 43  # 256 bits in base64
    assert (known.name, known.state, known.created_by) == ("ann", TokenState.ACTIVE, "root")
    kept = [stored.digest for stored in store.tokens.copy().tokens]
    assert kept == [hashlib.sha256(one.encode()).digest() for one in (first, second)]
    store.close()
    for file in tmp_path.iterdir():
        assert first.encode() not in file.read_bytes()


def test_a_name_belongs_to_one_live_token(store: Store) -> None:
    create_token(store.tokens, "Ann", READ, now_ns=10, lifetime_ns=10)
    with pytest.raises(AlreadyExistsError, match="`ann`"):
        create_token(store.tokens, "ann", READ, now_ns=19)
    create_token(store.tokens, "ann", READ, now_ns=20)
    revoke_token(store.tokens, "ANN", now_ns=30)
    create_token(store.tokens, "ann", READ, now_ns=31)
    states = [token.state for token in list_tokens(store.tokens, now_ns=32)]
    assert states == [TokenState.EXPIRED, TokenState.REVOKED, TokenState.ACTIVE]


@pytest.mark.parametrize("name", ["", " ann", "a\nb", "x" * 256, "Everyone", "__lakeport_x"])
def test_odd_names_are_refused(store: Store, name: str) -> None:
    with pytest.raises(InvalidRequestError):
        create_token(store.tokens, name, READ, now_ns=1)
    assert store.tokens.copy().tokens == ()


@pytest.mark.parametrize("lifetime", [0, -1, 2**63])
def test_a_lifetime_is_longer_than_nothing_and_ends(store: Store, lifetime: int) -> None:
    with pytest.raises(InvalidRequestError):
        create_token(store.tokens, "ann", READ, now_ns=1, lifetime_ns=lifetime)


def test_only_a_live_token_can_be_revoked(store: Store) -> None:
    create_token(store.tokens, "ann", READ, now_ns=1, lifetime_ns=5)
    create_token(store.tokens, "bob", READ, now_ns=1)
    ended = revoke_token(store.tokens, "bob", now_ns=7)
    assert (ended.name, ended.state, ended.revoked_ns) == ("bob", TokenState.REVOKED, 7)
    for gone in ("ann", "bob", "eve"):
        with pytest.raises(NotFoundError):
            revoke_token(store.tokens, gone, now_ns=8)


def test_revoking_leaves_an_expired_token_of_the_same_name_as_it_is(store: Store) -> None:
    create_token(store.tokens, "ann", READ, now_ns=1, lifetime_ns=5)
    create_token(store.tokens, "ann", READ, now_ns=6)
    assert revoke_token(store.tokens, "ann", now_ns=7).created_ns == 6
    states = [token.state for token in list_tokens(store.tokens, now_ns=8)]
    assert states == [TokenState.EXPIRED, TokenState.REVOKED]


def test_grants_come_back_as_they_were_given(store: Store) -> None:
    given = grants_for([Ability.READ, Ability.DDL], ["sales", "hr.p?"], ["eu"])
    create_token(store.tokens, "ann", given, now_ns=1)
    (listed,) = list_tokens(store.tokens, now_ns=2)
    assert frozenset(listed.grants) == given
    assert Grant(Ability.DDL, "sales.*", "eu") in listed.grants


def test_an_ability_of_a_newer_lakeport_gives_nothing(store: Store) -> None:
    grants = (StoredGrant("fly", "*", "*"), StoredGrant("read", "a.*", "*"))
    store.tokens.add(StoredToken("ann", b"d" * 32, 1, None, None, None, grants))
    (listed,) = list_tokens(store.tokens, now_ns=2)
    assert listed.grants == (Grant(Ability.READ, "a.*"),)


def test_an_identity_has_its_tokens_limits(store: Store) -> None:
    secret, known = create_token(
        store.tokens, "ann", READ, now_ns=1, limits=StatementLimits(rows=10, bytes=None)
    )
    assert known.limits == StatementLimits(rows=10)
    authenticator = Authenticator(store.tokens, open_at_first=False)
    assert authenticator.authenticate(f"Bearer {secret}").limits == known.limits


def test_a_tokens_limit_takes_the_place_of_the_servers() -> None:
    everybodys = StatementLimits(rows=100, bytes=1_000)
    assert StatementLimits(rows=500).or_else(everybodys) == StatementLimits(500, 1_000)
    assert StatementLimits().or_else(everybodys) == everybodys


@pytest.mark.parametrize(("rows", "size", "unit"), [(11, 0, "rows"), (0, 101, "bytes")])
def test_a_limit_refuses_the_first_too_many(rows: int, size: int, unit: str) -> None:
    limits = StatementLimits(rows=10, bytes=100)
    limits.check("ann", 10, 100)
    with pytest.raises(LimitError, match=f"`ann`.*statement_{unit}.*--max-{unit}"):
        limits.check("ann", rows, size)

"""Making, listing and revoking tokens.

A token is 256 random bits behind the prefix `lp_`, by which scanners find one that leaked. It is shown
once; the store has its SHA-256, which is enough for something nobody can guess.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from lakeport.access.grants import Ability, Grant
from lakeport.access.identity import EVERYONE
from lakeport.access.limits import NO_LIMITS, StatementLimits
from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.core.names import fold, quoted, why_unsafe
from lakeport.core.timepoint import NANOSECONDS
from lakeport.state import StoredGrant, StoredToken, TokenTable

PREFIX = "lp_"
PASS_PREFIX = f"{PREFIX}pass_"

_BYTES = 32
_LONGEST = 100 * 366 * 86_400 * NANOSECONDS


class TokenState(StrEnum):
    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Token:
    """What may be known of a token."""

    name: str
    state: TokenState
    grants: tuple[Grant, ...]
    created_ns: int
    created_by: str | None
    expires_ns: int | None
    revoked_ns: int | None
    limits: StatementLimits = NO_LIMITS
    pace: int | None = None
    growth: bool = False


def digest_of(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def create_token(  # noqa: PLR0913  a token has this many facts
    tokens: TokenTable,
    name: str,
    grants: Iterable[Grant],
    *,
    now_ns: int,
    lifetime_ns: int | None = None,
    by: str | None = None,
    limits: StatementLimits = NO_LIMITS,
    pace: int | None = None,
    growth: bool = False,
) -> tuple[str, Token]:
    """The token itself, which nobody can show again, and what is known of it."""
    reason = why_unsafe(name)
    if reason is None and fold(name) == EVERYONE.name:
        reason = "it stands for callers without a token"
    if reason is not None:
        raise InvalidRequestError(f"no token can be called {quoted(name)}: {reason}")
    if lifetime_ns is not None and not 0 < lifetime_ns <= _LONGEST:
        raise InvalidRequestError(
            "a token lives longer than nothing and at most a hundred years",
            hint="leave --expires out for a token that does not expire",
        )
    secret = PREFIX + secrets.token_urlsafe(_BYTES)
    stored = StoredToken(
        name=name,
        digest=digest_of(secret),
        created_ns=now_ns,
        created_by=by,
        expires_ns=None if lifetime_ns is None else now_ns + lifetime_ns,
        revoked_ns=None,
        grants=tuple(sorted(StoredGrant(g.ability, g.on, g.catalog) for g in grants)),
        max_rows=limits.rows,
        max_bytes=limits.bytes,
        max_calls=pace,
        growth=growth,
    )
    tokens.add(stored)
    return secret, _known(stored, now_ns)


def list_tokens(tokens: TokenTable, *, now_ns: int) -> tuple[Token, ...]:
    """Every token there ever was, in the order of their making."""
    return tuple(_known(stored, now_ns) for stored in tokens.copy().tokens)


def revoke_token(tokens: TokenTable, name: str, *, now_ns: int) -> Token:
    if not tokens.revoke(name, now_ns):
        live = [stored.name for stored in tokens.copy().tokens if stored.is_live(now_ns)]
        raise NotFoundError.among("active token", name, live)
    named = [stored for stored in tokens.copy().tokens if fold(stored.name) == fold(name)]
    return _known(named[-1], now_ns)


def grants_of(stored: StoredToken) -> frozenset[Grant]:
    """A grant that a newer Lakeport wrote and this one does not know gives nothing."""
    known = set(Ability)
    return frozenset(
        Grant(Ability(grant.ability), grant.pattern, grant.catalog)
        for grant in stored.grants
        if grant.ability in known
    )


def limits_of(stored: StoredToken) -> StatementLimits:
    return StatementLimits(stored.max_rows, stored.max_bytes)


def _known(stored: StoredToken, now_ns: int) -> Token:
    if stored.revoked_ns is not None:
        state = TokenState.REVOKED
    else:
        state = TokenState.ACTIVE if stored.is_live(now_ns) else TokenState.EXPIRED
    return Token(
        name=stored.name,
        state=state,
        grants=tuple(sorted(grants_of(stored))),
        created_ns=stored.created_ns,
        created_by=stored.created_by,
        expires_ns=stored.expires_ns,
        revoked_ns=stored.revoked_ns,
        limits=limits_of(stored),
        pace=stored.max_calls,
        growth=stored.growth,
    )

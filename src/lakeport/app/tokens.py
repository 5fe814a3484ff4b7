"""The tokens of a project as `lakeport token` makes, lists and revokes them."""

from __future__ import annotations

import time
from dataclasses import dataclass

from lakeport.access.grants import Grant, grants_for, parse_abilities
from lakeport.access.limits import NO_LIMITS, StatementLimits
from lakeport.access.tokens import Token, TokenState, create_token, list_tokens, revoke_token
from lakeport.core.duration import parse_duration
from lakeport.core.timepoint import format_time
from lakeport.state import Store


@dataclass(frozen=True, slots=True)
class ListedToken:
    """Times as ISO 8601 in UTC; `expires` is None for a token that does not.

    `max_rows` and `max_bytes` of one statement are None where the server's own limits hold; `max_calls` a
    minute are None for any number. With `growth` tables lose nothing by it.
    """

    name: str
    state: TokenState
    grants: tuple[Grant, ...]
    created: str
    created_by: str | None
    expires: str | None
    revoked: str | None
    max_rows: int | None
    max_bytes: int | None
    max_calls: int | None
    growth: bool


@dataclass(frozen=True, slots=True)
class CreatedToken:
    """`is_first`: until now everyone on this machine could come in without one."""

    name: str
    token: str
    grants: tuple[Grant, ...]
    created: str
    expires: str | None
    max_rows: int | None
    max_bytes: int | None
    max_calls: int | None
    growth: bool
    is_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A token to be made, in the words of whoever wants it."""

    name: str
    abilities: str = "read"
    on: tuple[str, ...] = ()
    catalogs: tuple[str, ...] = ()
    lifetime: str | None = None
    limits: StatementLimits = NO_LIMITS
    pace: int | None = None
    growth: bool = False


def create(store: Store, wish: Wish, *, by: str | None = None) -> CreatedToken:
    grants = grants_for(parse_abilities(wish.abilities), wish.on, wish.catalogs)
    lifetime = None if wish.lifetime is None else parse_duration(wish.lifetime)
    secret, token = create_token(
        store.tokens,
        wish.name,
        grants,
        now_ns=time.time_ns(),
        lifetime_ns=lifetime,
        by=by,
        limits=wish.limits,
        pace=wish.pace,
        growth=wish.growth,
    )
    return CreatedToken(
        name=token.name,
        token=secret,
        grants=token.grants,
        created=format_time(token.created_ns),
        expires=_time(token.expires_ns),
        max_rows=token.limits.rows,
        max_bytes=token.limits.bytes,
        max_calls=token.pace,
        growth=token.growth,
        is_first=len(store.tokens.copy().tokens) == 1,
    )


def listed(store: Store) -> tuple[ListedToken, ...]:
    return tuple(map(_listed, list_tokens(store.tokens, now_ns=time.time_ns())))


def revoke(store: Store, name: str) -> ListedToken:
    return _listed(revoke_token(store.tokens, name, now_ns=time.time_ns()))


def _listed(token: Token) -> ListedToken:
    return ListedToken(
        name=token.name,
        state=token.state,
        grants=token.grants,
        created=format_time(token.created_ns),
        created_by=token.created_by,
        expires=_time(token.expires_ns),
        revoked=_time(token.revoked_ns),
        max_rows=token.limits.rows,
        max_bytes=token.limits.bytes,
        max_calls=token.pace,
        growth=token.growth,
    )


def _time(nanoseconds: int | None) -> str | None:
    return None if nanoseconds is None else format_time(nanoseconds)

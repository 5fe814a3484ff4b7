"""Tokens and what they grant, as they are stored: never a token itself, only its digest.

A revoked token keeps its row: who was admitted when stays known, and so does that there ever was a
token. A pass is what a token lends for a short while: it has no name and no grants of its own, and dies with
its token. Every change bumps a number in the same transaction, which is all that a server has to ask for
to know whether its copy is still good.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, insert, or_, select, update

from lakeport.core.errors import AlreadyExistsError
from lakeport.core.names import fold, quoted
from lakeport.state.database import Database
from lakeport.state.tables import GRANTS, NUMBERS, PASSES, TOKENS

_CHANGES = NUMBERS.c.name == "access"


class StoredGrant(NamedTuple):
    ability: str
    pattern: str
    catalog: str


class StoredPass(NamedTuple):
    digest: bytes
    expires_ns: int


@dataclass(frozen=True, slots=True)
class StoredToken:
    name: str
    digest: bytes
    created_ns: int
    created_by: str | None
    expires_ns: int | None
    revoked_ns: int | None
    grants: tuple[StoredGrant, ...]
    max_rows: int | None = None
    max_bytes: int | None = None
    max_calls: int | None = None
    growth: bool = False
    passes: tuple[StoredPass, ...] = ()

    def is_live(self, now_ns: int) -> bool:
        return self.revoked_ns is None and (self.expires_ns is None or now_ns < self.expires_ns)


class Copy(NamedTuple):
    """All tokens as they were when `changes` had this value, or since."""

    changes: int
    tokens: tuple[StoredToken, ...]


class TokenTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def changes(self) -> int:
        """Grows with every change; one row by its key."""
        with self._database.reading() as connection:
            return _changes(connection)

    def copy(self) -> Copy:
        """In the order of their making."""
        with self._database.reading() as connection:
            changes = _changes(
                connection
            )  # first: rows may then be newer than it says, never older
            rows = connection.execute(select(TOKENS).order_by(TOKENS.c.id)).all()
            grants: dict[int, list[StoredGrant]] = defaultdict(list)
            for grant in connection.execute(select(GRANTS)):
                grants[grant.token_id].append(
                    StoredGrant(grant.ability, grant.pattern, grant.catalog)
                )
            passes: dict[int, list[StoredPass]] = defaultdict(list)
            for lent in connection.execute(select(PASSES)):
                passes[lent.token_id].append(StoredPass(bytes(lent.digest), lent.expires_ns))
        return Copy(
            changes,
            tuple(
                StoredToken(
                    row.name,
                    bytes(row.digest),
                    row.created_ns,
                    row.created_by,
                    row.expires_ns,
                    row.revoked_ns,
                    tuple(sorted(grants[row.id])),
                    row.max_rows,
                    row.max_bytes,
                    row.max_calls,
                    bool(row.growth),
                    tuple(sorted(passes[row.id])),
                )
                for row in rows
            ),
        )

    def add(self, token: StoredToken) -> None:
        """A name belongs to one live token at a time, so that revoking it is unmistakable."""
        with self._database.changing() as connection:
            _bump(connection)
            if fold(token.name) in map(fold, _live_names(connection, token.created_ns)):
                raise AlreadyExistsError(
                    f"there is a token {quoted(token.name)} already",
                    hint=f"`lakeport token revoke {token.name}` ends it, or choose another name",
                )
            made = connection.execute(
                insert(TOKENS)
                .values(
                    name=token.name,
                    digest=token.digest,
                    created_ns=token.created_ns,
                    created_by=token.created_by,
                    expires_ns=token.expires_ns,
                    revoked_ns=token.revoked_ns,
                    max_rows=token.max_rows,
                    max_bytes=token.max_bytes,
                    max_calls=token.max_calls,
                    growth=int(token.growth),
                )
                .returning(TOKENS.c.id)
            ).scalar_one()
            grants = [{"token_id": made, **grant._asdict()} for grant in token.grants]
            if grants:
                connection.execute(insert(GRANTS), grants)

    def lend(self, token_digest: bytes, lent: StoredPass, at_ns: int) -> bool:
        """Whether there was such a live token. Passes that have expired are forgotten by and by."""
        with self._database.changing() as connection:
            _bump(connection)
            connection.execute(delete(PASSES).where(PASSES.c.expires_ns <= at_ns))
            owner = select(TOKENS.c.id).where(TOKENS.c.digest == token_digest, *_live(at_ns))
            token_id = connection.execute(owner).scalar()
            if token_id is None:
                return False
            row = {"token_id": token_id, **lent._asdict()}
            connection.execute(insert(PASSES).values(**row))
        return True

    def revoke(self, name: str, at_ns: int) -> bool:
        """Whether there was a live one; expired ones are left as they are."""
        with self._database.changing() as connection:
            _bump(connection)
            spellings = [
                live for live in _live_names(connection, at_ns) if fold(live) == fold(name)
            ]
            connection.execute(
                update(TOKENS)
                .where(TOKENS.c.name.in_(spellings), *_live(at_ns))
                .values(revoked_ns=at_ns)
            )
        return bool(spellings)


def _changes(connection: Connection) -> int:
    return int(connection.execute(select(NUMBERS.c.value).where(_CHANGES)).scalar_one())


def _bump(connection: Connection) -> None:
    """First in every change: its row is the lock that makes changes wait for each other."""
    connection.execute(update(NUMBERS).where(_CHANGES).values(value=NUMBERS.c.value + 1))


def _live(now_ns: int) -> tuple[ColumnElement[bool], ...]:
    """`StoredToken.is_live`, as conditions."""
    return (
        TOKENS.c.revoked_ns.is_(None),
        or_(TOKENS.c.expires_ns.is_(None), TOKENS.c.expires_ns > now_ns),
    )


def _live_names(connection: Connection, now_ns: int) -> Iterable[str]:
    return connection.execute(select(TOKENS.c.name).where(*_live(now_ns))).scalars()

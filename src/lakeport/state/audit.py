"""What was done by whom: one row per call, added in batches and forgotten after a while."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, insert, or_, select

from lakeport.state.database import Database
from lakeport.state.tables import AUDIT
from lakeport.state.texts import storable

OK = "OK"
"""The outcome of a call that was answered; any other is the name of its gRPC code."""

# What changes rows: these methods, but for functions that an exchange computes, and one action.
_WRITING = ("DoExchange", "DoPut")
_COMPUTING = ("scalar_function", "table_function", "table_function_in_out")
_DELETING = ("DoAction", "Delete")
_PIECE = 5_000
_LONGEST_TEXT = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """`identity` is None where nobody was recognised. `ms` is how long the call took.

    `rows_in` and `rows_out` were moved, whatever came of it; `rows_changed` is what the table shows.
    """

    at_ns: int
    method: str
    outcome: str = OK
    identity: str | None = None
    action: str | None = None
    catalog: str | None = None
    namespace: str | None = None
    table: str | None = None
    rows_in: int = 0
    rows_out: int = 0
    rows_changed: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    ms: float = 0.0
    trace_id: str | None = None
    session_id: str | None = None
    transaction_id: str | None = None
    peer: str | None = None

    def ends(self, transaction_id: str) -> bool:
        """Whether its outcome is the transaction's, until a later one's is."""
        if self.transaction_id != transaction_id:
            return False
        if (self.method, self.action) == _DELETING:
            return True
        return self.method in _WRITING and self.action not in _COMPUTING


_NAMES = tuple(field.name for field in fields(AuditEntry))
_COLUMNS = tuple(AUDIT.c[name] for name in _NAMES)


class AuditTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, entries: Sequence[AuditEntry]) -> None:
        """All in one transaction."""
        if entries:
            with self._database.changing() as connection:
                connection.execute(insert(AUDIT), [_plain(entry) for entry in entries])

    def newest(self, limit: int) -> list[AuditEntry]:
        """The last ones first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                select(*_COLUMNS).order_by(AUDIT.c.id.desc()).limit(limit)
            ).all()
        return [_entry(row) for row in rows]

    def batches(
        self, *, since_ns: int | None = None, identity: str | None = None, size: int = _PIECE
    ) -> Iterator[list[AuditEntry]]:
        """All of them, oldest first, a piece per transaction: nobody waits for a slow reader."""
        last = 0
        while True:
            statement = select(AUDIT.c.id, *_COLUMNS).where(AUDIT.c.id > last)
            if since_ns is not None:
                statement = statement.where(AUDIT.c.at_ns >= since_ns)
            if identity is not None:
                statement = statement.where(AUDIT.c.identity == identity)
            with self._database.reading() as connection:
                rows = connection.execute(statement.order_by(AUDIT.c.id).limit(size)).all()
            if not rows:
                return
            last = rows[-1].id
            yield [_entry(row) for row in rows]

    def last_outcome(self, transaction_id: str) -> str | None:
        """How the transaction's last change of rows ended; None if there was none."""
        with self._database.reading() as connection:
            return connection.execute(
                select(AUDIT.c.outcome)
                .where(AUDIT.c.transaction_id == transaction_id, _changes_rows())
                .order_by(AUDIT.c.id.desc())
                .limit(1)
            ).scalar()

    def forget(self, before_ns: int) -> int:
        """Remove older ones, in pieces, so that no writer waits long. How many there were."""
        removed = 0
        old = select(AUDIT.c.id).where(AUDIT.c.at_ns < before_ns).limit(_PIECE)
        while True:
            with self._database.changing() as connection:
                count = connection.execute(delete(AUDIT).where(AUDIT.c.id.in_(old))).rowcount
            removed += count
            if count < _PIECE:
                return removed


def _changes_rows() -> ColumnElement[bool]:
    """`AuditEntry.ends`, in SQL."""
    action = AUDIT.c.action
    is_statement = or_(action.is_(None), action.not_in(_COMPUTING))
    return or_(
        and_(AUDIT.c.method.in_(_WRITING), is_statement),
        and_(AUDIT.c.method == _DELETING[0], action == _DELETING[1]),
    )


def _plain(entry: AuditEntry) -> dict[str, object]:
    return storable({name: getattr(entry, name) for name in _NAMES}, longest=_LONGEST_TEXT)


def _entry(row: Row[Any]) -> AuditEntry:
    return AuditEntry(**{name: getattr(row, name) for name in _NAMES})

"""Who writes which table now. A lease is advisory: it keeps runs out of each other's way, and no more.

What makes a write correct is the commit. So a lease may be lost, to a clock or to a machine that stood still;
its owner is told at the next renewal. A lease ends when it is given back, when its time is over, or at once
when its process is known to have ended. Times are the store's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, select, update

from lakeport.core.errors import ConflictError
from lakeport.core.names import TableName, quoted
from lakeport.core.timepoint import NANOSECONDS
from lakeport.state.database import Database
from lakeport.state.moment import Clock, store_time
from lakeport.state.owners import Owner
from lakeport.state.tables import LEASES
from lakeport.state.upsert import insert_into

TTL_SECONDS = 60.0
_ATTEMPTS = 20
_OWNER = ("run_id", "host", "place", "pid", "process")


@dataclass(frozen=True, slots=True)
class Lease:
    """One table that `owner` writes."""

    catalog: str
    table: TableName
    owner: Owner
    acquired_ns: int
    until_ns: int


@dataclass(frozen=True, slots=True)
class Held:
    """Somebody else has it."""

    table: TableName
    by: Owner
    until_ns: int


class LeaseTable:
    def __init__(self, database: Database, clock: Clock = store_time) -> None:
        self._database = database
        self._clock = clock

    def acquire(
        self, catalog: str, table: TableName, owner: Owner, ttl: float = TTL_SECONDS
    ) -> Lease | Held:
        """Ours from now on, unless somebody has it who may still live. Once more is as good as once."""
        for _ in range(_ATTEMPTS):
            with self._database.changing() as connection:
                found = self._acquire(connection, catalog, table, owner, ttl)
            if found is not None:
                return found
        raise ConflictError(
            f"the lease of table {quoted(str(table))} changes hands too fast", hint="try again"
        )

    def renew(self, leases: Iterable[Lease], ttl: float = TTL_SECONDS) -> tuple[Lease, ...]:
        """The ones that were lost: somebody took them over after their time. The others last longer."""
        lost = []
        with self._database.changing() as connection:
            until = self._clock(connection) + round(ttl * NANOSECONDS)
            # In one order, so that no two renewals wait for each other.
            for lease in sorted(leases, key=lambda lease: (lease.catalog, lease.table.folded)):
                values = update(LEASES).where(*_is(lease.catalog, lease.table), *_by(lease.owner))
                if not connection.execute(values.values(until_ns=until)).rowcount:
                    lost.append(lease)
        return tuple(lost)

    def release(self, lease: Lease) -> bool:
        """Whether it was still ours."""
        gone = delete(LEASES).where(*_is(lease.catalog, lease.table), *_by(lease.owner))
        with self._database.changing() as connection:
            return bool(connection.execute(gone).rowcount)

    def release_all(self, owner: Owner) -> int:
        with self._database.changing() as connection:
            return connection.execute(delete(LEASES).where(*_by(owner))).rowcount

    def held(self, catalog: str | None = None) -> list[Lease]:
        """Those whose owner may live, oldest first."""
        asked = select(LEASES).order_by(LEASES.c.acquired_ns, LEASES.c.namespace, LEASES.c.table)
        if catalog is not None:
            asked = asked.where(LEASES.c.catalog == catalog)
        with self._database.reading() as connection:
            now = self._clock(connection)
            found = [_lease(row) for row in connection.execute(asked)]
        return [lease for lease in found if _is_live(lease, now)]

    # -- inside ----------------------------------------------------------------------------------

    def _acquire(
        self, connection: Connection, catalog: str, table: TableName, owner: Owner, ttl: float
    ) -> Lease | Held | None:
        """None if it was given back between two of our questions, which Postgres allows."""
        now = self._clock(connection)
        lease = Lease(catalog, table, owner, now, now + round(ttl * NANOSECONDS))
        statement = insert_into(connection, LEASES).values(_values(lease))
        if connection.execute(statement.on_conflict_do_nothing()).rowcount:
            return lease
        mine = _is(catalog, table)
        row = connection.execute(select(LEASES).where(*mine).with_for_update()).first()
        if row is None:
            return None
        found = _lease(row)
        # Read again: others may have kept us waiting for the row.
        if found.owner != owner and _is_live(found, self._clock(connection)):
            return Held(found.table, found.owner, found.until_ns)
        connection.execute(update(LEASES).where(*mine).values(_values(lease)))
        return lease


def _is_live(lease: Lease, now: int) -> bool:
    return lease.until_ns > now and not lease.owner.is_dead


def _is(catalog: str, table: TableName) -> tuple[ColumnElement[bool], ...]:
    namespace, name = table.folded
    return LEASES.c.catalog == catalog, LEASES.c.namespace == namespace, LEASES.c.table == name


def _by(owner: Owner) -> tuple[ColumnElement[bool], ...]:
    return tuple(LEASES.c[name] == getattr(owner, name) for name in _OWNER)


def _values(lease: Lease) -> dict[str, object]:
    namespace, name = lease.table.folded
    return {
        "catalog": lease.catalog,
        "namespace": namespace,
        "table": name,
        "name": str(lease.table),
        **{part: getattr(lease.owner, part) for part in _OWNER},
        "acquired_ns": lease.acquired_ns,
        "until_ns": lease.until_ns,
    }


def _lease(row: Row[Any]) -> Lease:
    owner = Owner(row.run_id, row.host, row.place, row.pid, row.process)
    table = TableName.parse(row.name) or TableName(row.namespace, row.table)
    return Lease(row.catalog, table, owner, row.acquired_ns, row.until_ns)

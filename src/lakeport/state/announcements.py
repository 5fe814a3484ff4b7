"""What servers announced their tables with, by a stamp of the table's state, for those that start later.

A cache and nothing else: whatever is here can be made again, so it is bounded by number, and the oldest
go. Rows of another form than the one that is asked for are of an older or newer Lakeport.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

from sqlalchemy import Connection, delete, func, select

from lakeport.state.database import Database
from lakeport.state.tables import ANNOUNCEMENTS
from lakeport.state.upsert import insert_into

T = TypeVar("T")

_MOST = 20_000
_AT_ONCE = 200  # rows of a statement, within the databases' limit of parameters


class AnnouncementTable:
    """`most` are kept of each catalog."""

    def __init__(
        self, database: Database, clock: Callable[[], int] = time.time_ns, most: int = _MOST
    ) -> None:
        self._database = database
        self._clock = clock
        self._most = most

    def all(self, catalog: str, form: str) -> Mapping[str, bytes]:
        table = ANNOUNCEMENTS.c
        asked = select(table.stamp, table.body).where(table.catalog == catalog, table.form == form)
        with self._database.reading() as connection:
            return {stamp: bytes(body) for stamp, body in connection.execute(asked)}

    def keep(
        self, catalog: str, form: str, fresh: Mapping[str, bytes], gone: Collection[str]
    ) -> None:
        now = self._clock()
        rows: list[dict[str, object]] = [
            {"catalog": catalog, "stamp": stamp, "form": form, "at_ns": now, "body": body}
            for stamp, body in fresh.items()
        ]
        with self._database.changing() as connection:
            for part in _parts(sorted(gone)):
                of_part = ANNOUNCEMENTS.c.stamp.in_(part)
                connection.execute(
                    delete(ANNOUNCEMENTS).where(ANNOUNCEMENTS.c.catalog == catalog, of_part)
                )
            for some in _parts(rows):
                statement = insert_into(connection, ANNOUNCEMENTS).values(some)
                names = ("form", "at_ns", "body")
                connection.execute(
                    statement.on_conflict_do_update(
                        index_elements=list(ANNOUNCEMENTS.primary_key),
                        set_={name: statement.excluded[name] for name in names},
                    )
                )
            self._trim(connection, catalog)

    def _trim(self, connection: Connection, catalog: str) -> None:
        table = ANNOUNCEMENTS.c
        of_catalog = table.catalog == catalog
        count = select(func.count()).select_from(ANNOUNCEMENTS).where(of_catalog)
        surplus = connection.execute(count).scalar_one() - self._most
        if surplus > 0:
            oldest = select(table.stamp).where(of_catalog).order_by(table.at_ns).limit(surplus)
            connection.execute(delete(ANNOUNCEMENTS).where(of_catalog, table.stamp.in_(oldest)))


def _parts(rows: list[T]) -> Iterator[list[T]]:
    return (rows[start : start + _AT_ONCE] for start in range(0, len(rows), _AT_ONCE))

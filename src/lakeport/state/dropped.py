"""Tables that were dropped and can be brought back, as every process of the project sees them."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import delete, select

from lakeport.state.database import Database
from lakeport.state.tables import DROPPED
from lakeport.state.upsert import insert_into


class StoredDrop(NamedTuple):
    """`metadata` is the file that describes the table as it was last: no two drops share one."""

    namespace: str
    table: str
    uuid: str
    location: str
    metadata: str
    dropped_ns: int


class DropTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, catalog: str, drop: StoredDrop) -> None:
        """Once more of the same table: somebody brought it back in a way that we did not see."""
        with self._database.changing() as connection:
            values = insert_into(connection, DROPPED).values(catalog=catalog, **drop._asdict())
            connection.execute(
                values.on_conflict_do_update(
                    index_elements=list(DROPPED.primary_key), set_=drop._asdict()
                )
            )

    def of(self, catalog: str) -> list[StoredDrop]:
        """Newest first."""
        columns = [DROPPED.c[name] for name in StoredDrop._fields]
        found = (
            select(*columns)
            .where(DROPPED.c.catalog == catalog)
            .order_by(DROPPED.c.dropped_ns.desc(), DROPPED.c.metadata)
        )
        with self._database.reading() as connection:
            return [StoredDrop(*row) for row in connection.execute(found)]

    def remove(self, catalog: str, metadata: str) -> None:
        with self._database.changing() as connection:
            connection.execute(
                delete(DROPPED).where(DROPPED.c.catalog == catalog, DROPPED.c.metadata == metadata)
            )

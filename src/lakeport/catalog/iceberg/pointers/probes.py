"""One cheap question to a database: has anything been committed since I last asked?

The answer is a token that differs after every commit by anybody, and may differ without one. Of a
database we have no question for there is no token, and its tables are listed each time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from sqlalchemy import Engine, PoolProxiedConnection

from lakeport.catalog.iceberg.pointers.together import Together
from lakeport.catalog.moment import within_moment


class Probe(Protocol):
    """`is_cheap`: a token takes a small part of the time that any query takes."""

    @property
    def is_cheap(self) -> bool: ...

    def token(self) -> object: ...

    def close(self) -> None: ...


def probe_for(engine: Engine, catalog: str, number: Callable[[], int | None]) -> Probe:
    """`number` is the catalog's own counter, which may grow without any other change."""
    if engine.dialect.name == "sqlite" and engine.url.database not in {None, "", ":memory:"}:
        return _SqliteProbe(engine)
    if engine.dialect.driver in {"psycopg2", "psycopg"}:
        return _PostgresProbe(engine, catalog, number)
    return _NoProbe()


class _SqliteProbe:
    """`data_version` counts what *other* connections commit, so this one is kept, and never writes."""

    is_cheap = True

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._connection: PoolProxiedConnection | None = None
        self._together = Together(self._ask)

    def token(self) -> object:
        return within_moment(self, self._together)

    def _ask(self) -> object:
        with self._lock:
            if self._connection is None:
                self._connection = self._engine.raw_connection()
                self._connection.detach()
            cursor = self._connection.cursor()
            try:
                cursor.execute("PRAGMA data_version")
                return cursor.fetchone()
            finally:
                cursor.close()

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


class _PostgresProbe:
    """First the set of transactions that a reader sees: equal sets mean that no writing one ended.

    In a database with other work that set is never the same twice. Then the server adds up the rows,
    which takes it a few milliseconds for 10,000 tables and moves none of them.
    """

    _ENDED = "SELECT txid_current_snapshot()::text"
    _ROWS = """SELECT
        (SELECT ARRAY[count(*), sum(hashtextextended(
            concat_ws(chr(31), table_namespace, table_name, metadata_location), 0))]
         FROM iceberg_tables WHERE catalog_name = %(catalog)s)::text,
        (SELECT ARRAY[count(*), sum(hashtextextended(
            concat_ws(chr(31), namespace, property_key, property_value), 0))]
         FROM iceberg_namespace_properties WHERE catalog_name = %(catalog)s)::text"""

    is_cheap = False

    def __init__(self, engine: Engine, catalog: str, number: Callable[[], int | None]) -> None:
        self._engine = engine
        self._catalog = catalog
        self._number = number
        self._seen: tuple[str, object] | None = None

    def token(self) -> object:
        with self._engine.connect() as connection:
            ended = str(connection.exec_driver_sql(self._ENDED).scalar())
            seen = self._seen
            if seen is not None and seen[0] == ended:
                return seen[1]
            rows = connection.exec_driver_sql(self._ROWS, {"catalog": self._catalog}).one()
        token = (*rows, self._number())
        # The set is older than the sums: what ended in between is looked for again next time.
        self._seen = ended, token
        return token

    def close(self) -> None:
        """Its connections belong to the pool."""


class _NoProbe:
    is_cheap = False

    def token(self) -> object:
        return None

    def close(self) -> None:
        """Nothing is held."""

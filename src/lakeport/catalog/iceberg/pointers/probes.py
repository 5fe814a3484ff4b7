"""One cheap question to a database: has anything been committed since I last asked?

The answer is a token that differs after every commit by anybody, and may differ without one. Of a
database we have no question for there is no token, and its tables are listed each time.
"""

from __future__ import annotations

import threading
from typing import Protocol

from sqlalchemy import Engine, PoolProxiedConnection


class Probe(Protocol):
    def token(self) -> object: ...

    def close(self) -> None: ...


def probe_for(engine: Engine) -> Probe:
    if engine.dialect.name == "sqlite" and engine.url.database not in {None, "", ":memory:"}:
        return _SqliteProbe(engine)
    if engine.dialect.name == "postgresql":
        return _PostgresProbe(engine)
    return _NoProbe()


class _SqliteProbe:
    """`data_version` counts what *other* connections commit, so this one is kept, and never writes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._connection: PoolProxiedConnection | None = None

    def token(self) -> object:
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
    """The set of transactions a reader sees: equal sets mean that no writing one ended in between."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def token(self) -> object:
        with self._engine.connect() as connection:
            return connection.exec_driver_sql("SELECT txid_current_snapshot()::text").scalar()

    def close(self) -> None:
        """Its connections belong to the pool."""


class _NoProbe:
    def token(self) -> object:
        return None

    def close(self) -> None:
        """Nothing is held."""

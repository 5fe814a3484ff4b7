"""Connections to a catalog's database as we need them.

SQLite: write-ahead logging, so that readers and a writer in another process do not stop each other, and
a busy timeout. Postgres: limits for connecting, for locks, and for a peer that vanished.
"""

from __future__ import annotations

import sqlite3
import time
from typing import Any

from sqlalchemy import Engine, event

from lakeport.catalog.iceberg.drivers.patience import Patience

_MODE_SECONDS = 1.0


def prepare_sqlite(
    engine: Engine, patience: Patience, *, may_change: bool, durable: bool = False
) -> None:
    def set_up(connection: sqlite3.Connection, _: object) -> None:
        cursor = connection.cursor()
        try:
            if may_change:
                _log_ahead(cursor, min(patience.busy, _MODE_SECONDS))
            # Written ahead, a commit that was not synced may be lost in a power failure, never half.
            mode = cursor.execute("PRAGMA journal_mode").fetchone()[0]
            if not durable and mode == "wal":
                cursor.execute("PRAGMA synchronous = NORMAL")
            else:
                cursor.execute("PRAGMA synchronous = FULL")
            cursor.execute(f"PRAGMA busy_timeout = {int(patience.busy * 1000)}")
        finally:
            cursor.close()

    event.listen(engine, "connect", set_up)


def _log_ahead(cursor: sqlite3.Cursor, seconds: float) -> None:
    """Switching a file's mode needs it alone. Whoever cannot have that reads and writes as it is."""
    cursor.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
    deadline = time.monotonic() + seconds
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            # SQLite does not always wait for this lock itself.
            if time.monotonic() > deadline:
                return
            time.sleep(0.01)
        else:
            return


def prepare_postgres(engine: Engine, patience: Patience) -> None:
    def limit(_: object, __: object, ___: object, parameters: dict[str, Any]) -> None:
        parameters.setdefault("connect_timeout", max(1, round(patience.connect)))
        parameters.setdefault("tcp_user_timeout", round(patience.answer * 1000))

    def set_up(connection: Any, _: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {int(patience.busy * 1000)}")
        connection.commit()

    if engine.dialect.driver in {"psycopg2", "psycopg"}:
        event.listen(engine, "do_connect", limit)
        event.listen(engine, "connect", set_up)

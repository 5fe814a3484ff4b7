"""Connections to the store's database: SQLite beside the project, or Postgres.

Many processes use one store at once. SQLite: write-ahead logging, a busy timeout, and every change in
BEGIN IMMEDIATE, so that a transaction that read first cannot fail to write later. Postgres: limits for
connecting and for locks. Whatever the driver raises leaves as an error of ours, without an address.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from lakeport.core.errors import ConfigurationError, UnavailableError
from lakeport.state.steps import is_current, migrate

_BUSY_SECONDS = 30
_CONNECT_SECONDS = 10
_WRITES = "lakeport_writes"
# Any number will do; it is the same in every Lakeport.
_MIGRATION_LOCK = 7_081_965_214


class Database:
    """Reads and changes, each a transaction of its own."""

    def __init__(self, url: str) -> None:
        parsed = _parsed(url)
        self._engine = _engine(parsed)
        try:
            self._prepare()
        except BaseException:
            self._engine.dispose()
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with _translated(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def changing(self) -> Iterator[Connection]:
        """On SQLite it holds the lock from the start. It is committed where the block ends."""
        writing = self._engine.execution_options(**{_WRITES: True})
        with _translated(), writing.begin() as connection:
            yield connection

    def close(self) -> None:
        self._engine.dispose()

    def _prepare(self) -> None:
        with self.reading() as connection:
            if is_current(connection):
                return
        with self.changing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(
                    text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK}
                )
            migrate(connection)


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
        kind = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError) as error:
        raise ConfigurationError(
            "the address of the state store is not a database URL",
            hint="write `sqlite:///FILE` or `postgresql+psycopg2://USER:PASSWORD@HOST/DATABASE`",
        ) from error
    if kind not in {"sqlite", "postgresql"}:
        raise ConfigurationError(
            f"the state store cannot be kept in {kind}", hint="use SQLite or Postgres"
        )
    if kind == "sqlite" and (not parsed.database or parsed.database == ":memory:"):
        raise ConfigurationError(
            "the state store must be a file: other processes read it, too",
            hint="write `sqlite:///FILE`",
        )
    return parsed


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        _make_file(Path(url.database or ""))
        engine = create_engine(url)
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    # A server that vanished must not hold up every call until TCP gives up, a quarter of an hour later.
    limits = {
        "connect_timeout": _CONNECT_SECONDS,
        "tcp_user_timeout": _BUSY_SECONDS * 1000,
        "keepalives_idle": _BUSY_SECONDS,
    }
    by_libpq = url.get_driver_name() in {"psycopg2", "psycopg"}
    try:
        engine = create_engine(url, pool_pre_ping=True, connect_args=limits if by_libpq else {})
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"the state store needs the Python package {error.name}",
            hint="pip install 'lakeport[postgres]', and write postgresql+psycopg2:// in the address",
        ) from error
    event.listen(engine, "connect", _set_up_postgres)
    return engine


def _make_file(path: Path) -> None:
    """Closed to strangers from its first moment; SQLite gives its side files the same rights."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o660))
    except OSError as error:
        raise UnavailableError(
            f"the state store cannot be opened: {error.strerror}",
            hint="`lakeport config state` shows where it is",
        ) from error


def _set_up_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # transactions are ours to begin, not the driver's
    cursor = connection.cursor()
    try:
        cursor.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
        _log_ahead(cursor)
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA foreign_keys = ON")
    finally:
        cursor.close()


def _log_ahead(cursor: sqlite3.Cursor) -> None:
    deadline = time.monotonic() + _BUSY_SECONDS
    while cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            # Switching needs the file alone, and SQLite does not always wait for that by itself.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _set_up_postgres(connection: Any, _: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = {_BUSY_SECONDS * 1000}")
    connection.commit()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (DBAPIError, PoolTimeoutError) as error:
        text_of = str(error.orig) if isinstance(error, DBAPIError) else ""
        if "locked" in text_of or "lock timeout" in text_of or isinstance(error, PoolTimeoutError):
            raise UnavailableError(
                "the state store is busy: another process holds its lock", hint="try again"
            ) from error
        raise UnavailableError(
            "the state store cannot be used",
            hint="`lakeport config state` shows where it is; is it there, may it be written, and has its disk room?",
        ) from error
    except SQLAlchemyError as error:
        raise UnavailableError("the state store cannot be used") from error

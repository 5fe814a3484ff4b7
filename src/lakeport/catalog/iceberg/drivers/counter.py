"""The number in a SQL catalog's database that grows with every change of a definition.

It is bumped in the transaction of the change itself: by any statement of this process that writes to the
catalog's two tables, unless the statement says that it moved rows alone. Two processes read one number.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pyiceberg.catalog.sql import IcebergNamespaceProperties, IcebergTables
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    MetaData,
    String,
    Table,
    case,
    event,
    insert,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError, IntegrityError

from lakeport.catalog.iceberg.failures import is_busy

_MILLISECOND = 1_000_000  # in nanoseconds

_NUMBERS = Table(
    "lakeport_versions",
    MetaData(),
    Column("catalog_name", String(255), primary_key=True),
    Column("version", BigInteger, nullable=False),
)
_WATCHED = {IcebergTables.__tablename__, IcebergNamespaceProperties.__tablename__}

ROWS_ALONE = {"lakeport_rows_alone": True}
"""Execution options of a statement that changes no definition."""


class BusyError(Exception):
    """Somebody holds the lock: try again another time."""


class SharedCounter:
    """At least the milliseconds since 1970 of the last change, so it grows even if the table is lost."""

    def __init__(self, engine: Engine, catalog: str) -> None:
        self._engine = engine
        self._catalog = catalog
        self._mine = _NUMBERS.c.catalog_name == catalog
        self._is_there = False

    def prepare(self) -> None:
        """Create its table, and begin to watch. Who may not do that counts for itself alone."""
        with suppress(DBAPIError):  # another process was faster, or it is not allowed
            _NUMBERS.create(self._engine, checkfirst=True)
        try:
            with self._engine.begin() as connection:
                if connection.execute(self._value()).first() is None:
                    self._begin(connection)
        except DBAPIError:
            return
        self._is_there = True
        event.listen(self._engine, "after_cursor_execute", self._notice)

    def value(self) -> int | None:
        """None if the database has no number for us."""
        if not self._is_there:
            return None
        with self._engine.connect() as connection:
            found = connection.execute(self._value()).scalar()
        return None if found is None else int(found)

    def bump(self, seen: int | None = None) -> int | None:
        """The number after it; with `seen` it is left alone if somebody else has bumped it since.

        Whoever asks for a version reads, and does not wait for a writer: `BusyError` then.
        """
        if not self._is_there:
            return None
        try:
            with self._engine.connect() as connection, _impatient(connection):
                self._add(connection, seen)
                connection.commit()
        except DBAPIError as error:
            if is_busy(error):
                raise BusyError from error
            self._is_there = False  # it may only be read
        return self.value()

    # -- inside ----------------------------------------------------------------------------------

    def _notice(
        self,
        connection: Connection,
        cursor: object,  # noqa: ARG002
        statement: str,  # noqa: ARG002
        parameters: object,  # noqa: ARG002
        context: Any,
        executemany: bool,  # noqa: ARG002, FBT001
    ) -> None:
        if context is None or not (context.isinsert or context.isupdate or context.isdelete):
            return
        options = context.execution_options
        table = getattr(getattr(context.compiled, "statement", None), "table", None)
        if getattr(table, "name", None) in _WATCHED and not options.keys() & ROWS_ALONE.keys():
            self._add(connection, None)

    def _add(self, connection: Connection, seen: int | None) -> None:
        now, number = _now(), _NUMBERS.c.version
        statement = update(_NUMBERS).where(self._mine)
        if seen is not None:
            statement = statement.where(number == seen)
        connection.execute(statement.values(version=case((number < now, now), else_=number + 1)))

    def _begin(self, connection: Connection) -> None:
        try:
            with connection.begin_nested():
                connection.execute(
                    insert(_NUMBERS).values(catalog_name=self._catalog, version=_now())
                )
        except IntegrityError:
            pass  # another process was faster

    def _value(self) -> Any:
        return select(_NUMBERS.c.version).where(self._mine)


@contextmanager
def _impatient(connection: Connection) -> Iterator[None]:
    if connection.dialect.name != "sqlite":  # where only a change in progress holds the row
        yield
        return
    usual = connection.exec_driver_sql("PRAGMA busy_timeout").scalar()
    connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        connection.rollback()
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {usual}")


def _now() -> int:
    return time.time_ns() // _MILLISECOND

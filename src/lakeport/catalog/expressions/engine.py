"""The one DuckDB inside Lakeport: in memory, locked down, and never handed unchecked text.

Locked down means no file, no network, no extension, no setting that can still be changed, no Python
variable as a table, one thread (rows keep their order) and a clock zone of UTC. The database holds
nothing; a thread sees only the batch it registered itself, under a name that is its cursor's own.
`check.py` decides what may be run here. This module only runs it, and stops it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa

from lakeport.core.errors import DeadlineError, InvalidRequestError, LakeportError, LimitError

if TYPE_CHECKING:
    import duckdb

MEMORY_LIMIT = "512MB"
"""For what DuckDB itself accounts for; that strings stay small is proven by `growth.py`."""

_BATCH = "__lakeport_batch"

_AT_START = {
    "allow_community_extensions": "false",
    "arrow_lossless_conversion": "true",  # else HUGEINT, UUID, TIMETZ and BIT lose their type
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "max_temp_directory_size": "0B",
    "memory_limit": MEMORY_LIMIT,
    "python_enable_replacements": "false",  # else a Python variable's name is a table
    "temp_directory": "",
    "threads": "1",
}

# In this order: settings of loaded extensions cannot be given at the start, and the lock comes last.
_AFTER_START = (
    "SET GLOBAL TimeZone = 'UTC'",
    "SET GLOBAL Calendar = 'gregorian'",
    "SET GLOBAL enable_external_access = false",
    "SET GLOBAL lock_configuration = true",
)

_threads = threading.local()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    import duckdb  # noqa: PLC0415 - heavy: most commands evaluate nothing

    database = duckdb.connect(":memory:", config=dict(_AT_START))
    for statement in _AFTER_START:
        database.execute(statement)
    return database


_opening = threading.Lock()


def _cursor() -> duckdb.DuckDBPyConnection:
    cursor: duckdb.DuckDBPyConnection | None = getattr(_threads, "cursor", None)
    if cursor is None:
        with _opening:  # duplicating a connection is not safe while another thread does it
            cursor = _database().cursor()
        _threads.cursor = cursor
    return cursor


def ask(sql: str, *values: str) -> str:
    """The single text a query of our own answers; `values` fill its placeholders."""
    with _translated():
        row = _cursor().execute(sql, list(values)).fetchone()
    return str(row[0]) if row else ""


def compute(sql: str, table: pa.Table, *, seconds: float) -> pa.Table:
    """`SELECT <sql> AS result` for every row of `table`, in order."""
    with _translated(seconds), _registered(table) as cursor, _stopped_after(cursor, seconds):
        return cursor.execute(f"SELECT {sql} AS result FROM {_BATCH}").to_arrow_table()  # noqa: S608 - checked text


def type_name(sql: str, table: pa.Table) -> str:
    """DuckDB's name of the type of `sql` over `table`, without evaluating a row."""
    with _translated(), _registered(table) as cursor:
        return str(cursor.sql(f"SELECT {sql} AS result FROM {_BATCH}").types[0])  # noqa: S608 - checked text


@contextmanager
def _registered(table: pa.Table) -> Iterator[duckdb.DuckDBPyConnection]:
    cursor = _cursor()
    cursor.register(_BATCH, table)
    try:
        yield cursor
    finally:
        cursor.unregister(_BATCH)


@contextmanager
def _stopped_after(cursor: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    alarm = threading.Timer(seconds, cursor.interrupt)
    alarm.daemon = True
    alarm.start()
    try:
        yield
    finally:
        alarm.cancel()
        alarm.join()  # an interrupt that comes late would hit this cursor's next query


@contextmanager
def _translated(seconds: float = 0) -> Iterator[None]:
    import duckdb  # noqa: PLC0415 - heavy: most commands evaluate nothing

    try:
        yield
    except duckdb.Error as error:
        _threads.cursor = None  # an engine fault may not outlive its query
        raise _ours(error, seconds) from None


def _ours(error: duckdb.Error, seconds: float) -> LakeportError:
    import duckdb  # noqa: PLC0415 - heavy: most commands evaluate nothing

    if isinstance(error, duckdb.InterruptException):
        return DeadlineError(
            f"the expression was stopped after {seconds:g} seconds",
            hint="simplify it, or send fewer rows at a time",
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return LimitError(
            f"the expression needs more than {MEMORY_LIMIT} of memory",
            hint="simplify it, or send fewer rows at a time",
        )
    return InvalidRequestError(sentence(str(error)))


def sentence(message: str) -> str:
    """DuckDB's own words, without its error class, its echo of our query and our private names."""
    said = message.strip().split("\n", 1)[0]
    said = re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", said)
    return said.replace(f'"{_BATCH}".', "").replace(f"{_BATCH}.", "")

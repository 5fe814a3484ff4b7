"""The one DuckDB inside Lakeport: in memory, locked down, and never handed unchecked text.

Locked down means no file, no network, no extension, no setting that can still be changed, no Python
variable as a table, one thread (rows keep their order) and a clock zone of UTC. The database holds
nothing; a thread sees only the batch that it asks about. `check.py` decides what may be run here. This
module only runs it, and stops it.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lakeport.catalog.arrow import Array
from lakeport.core.errors import (
    DeadlineError,
    InternalError,
    InvalidRequestError,
    LakeportError,
    LimitError,
)

if TYPE_CHECKING:
    import duckdb

_log = logging.getLogger(__name__)

MEMORY_LIMIT = "512MB"
"""For what DuckDB itself accounts for; that strings stay small is proven by `growth.py`."""

_BATCH = r'"?arrow_object_\w+"?'
"""What DuckDB calls the rows it is asked about, in its errors. To name them takes a third of a millisecond."""

_LONGEST = 400
"""Characters of DuckDB's words that are shown: they may quote a whole value."""

_AT_START = {
    "allow_community_extensions": "false",
    "arrow_lossless_conversion": "true",  # else HUGEINT, UUID, TIMETZ and BIT lose their type
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "max_expression_depth": "250",  # `tree.MAX_DEPTH` is reached first, but not for every operator
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


class _Engine:
    """The database and one cursor of it per thread. After a fault inside DuckDB it starts anew."""

    def __init__(self) -> None:
        self._opening = threading.Lock()
        self._database: duckdb.DuckDBPyConnection | None = None
        self._cursors = threading.local()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._cursors, "cursor", None)
        if cursor is None or self._cursors.database is not self._database:
            with self._opening:  # connections may be duplicated by one thread at a time only
                self._database = self._database or _open()
                self._cursors.database = self._database
                cursor = self._cursors.cursor = self._database.cursor()
        return cursor

    def drop_cursor(self) -> None:
        self._cursors.cursor = None

    def drop_database(self) -> None:
        with self._opening:
            self._database = None
        self.drop_cursor()


_engine = _Engine()


def _open() -> duckdb.DuckDBPyConnection:
    import duckdb  # noqa: PLC0415 - heavy: most commands evaluate nothing

    database = duckdb.connect(":memory:", config=dict(_AT_START))
    for statement in _AFTER_START:
        database.execute(statement)
    return database


def ask(function: str, text: str) -> str:
    """What a function of DuckDB's own answers to one text."""
    # A literal: binding a parameter takes as long again, because it looks for pandas each time.
    literal = text.replace("'", "''")
    with _translated():
        row = _engine.cursor().execute(f"SELECT {function}('{literal}')").fetchone()
    return str(row[0]) if row else ""


def keywords(sql: str) -> Iterator[str]:
    """For each token of DuckDB's own lexer the reserved word it is, or an empty text."""
    import duckdb  # noqa: PLC0415 - heavy: most commands evaluate nothing

    text = sql.encode()
    after_dot = False
    for start, kind in duckdb.tokenize(sql):
        word = re.match(rb"\w*", text[start : start + 16])
        # After a dot any word is a name: `span.end`.
        reserved = word and kind == duckdb.token_type.keyword and not after_dot
        yield word[0].decode(errors="replace").lower() if word and reserved else ""
        after_dot = kind == duckdb.token_type.operator and text[start : start + 1] == b"."


def compute(sql: str, table: pa.Table, *, seconds: float) -> Array:
    """The value of checked SQL for every row of `table`, in order."""
    cursor = _engine.cursor()
    with _translated(), _stopped_after(cursor, seconds):
        found = _asked(cursor, sql, table).to_arrow_table()
    return _whole(found.column(0))


def _whole(column: pa.ChunkedArray[Any]) -> Array:
    """Arrow's own `combine_chunks` fails for no chunks of some nested types."""
    chunks: list[Array] = column.chunks or [pa.nulls(0, column.type)]
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)


def type_name(sql: str, table: pa.Table) -> str:
    """DuckDB's name for the type of checked SQL over `table`, without evaluating a row."""
    with _translated():
        return str(_asked(_engine.cursor(), sql, table).types[0])


def _asked(cursor: duckdb.DuckDBPyConnection, sql: str, table: pa.Table) -> duckdb.DuckDBPyRelation:
    """Over the table itself: to make it a view first, and drop that, takes as long as all the rest."""
    return cursor.from_arrow(table).project(f"{sql} AS result")


@contextmanager
def _stopped_after(cursor: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    finished = threading.Event()

    def watch() -> None:
        patience = seconds
        while not finished.wait(patience):
            cursor.interrupt()
            patience = 0.02  # again: an interrupt that comes before the query starts is forgotten

    watchdog = threading.Thread(target=watch, name="lakeport-expression-watchdog", daemon=True)
    watchdog.start()
    try:
        yield
    finally:
        finished.set()
        watchdog.join()  # else a late interrupt would hit this cursor's next query


@contextmanager
def _translated() -> Iterator[None]:
    import duckdb  # noqa: PLC0415 - heavy: most commands evaluate nothing

    try:
        yield
    except (duckdb.InternalException, duckdb.FatalException) as error:
        _engine.drop_database()
        _log.exception("expression.fault")
        raise InternalError("the expression engine failed and was started anew") from error
    except (duckdb.Error, MemoryError) as error:
        _engine.drop_cursor()
        raise _ours(error) from None


def _ours(error: Exception) -> LakeportError:
    import duckdb  # noqa: PLC0415 - heavy: most commands evaluate nothing

    if isinstance(error, duckdb.InterruptException):
        return DeadlineError(
            "the expression was stopped because it took too long",
            hint="simplify it, or send fewer rows at a time",
        )
    if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
        return LimitError(
            f"the expression needs more than {MEMORY_LIMIT} of memory",
            hint="simplify it, or send fewer rows at a time",
        )
    said = sentence(str(error))
    # It names the value that it failed on.
    return InvalidRequestError(
        said, details={"sample": said}, unseen="the expression cannot be computed for every row"
    )


def sentence(message: str) -> str:
    """DuckDB's own words, without its error class, its echo of our query and our private names."""
    said = message.strip().split("\n", 1)[0]
    said = re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", said)
    said = re.sub(r" when casting from source column value$", "", said)
    said = re.sub(rf"{_BATCH}\.", "", said)
    said = re.sub(_BATCH, "rows", said)
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"

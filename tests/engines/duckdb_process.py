"""DuckDB in a process of its own, attached to Iceberg REST doors with the extensions from PyPI."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa
from duckdb_extensions import import_extension  # type: ignore[import-untyped] # has no stubs

_EXTENSIONS = ("avro", "httpfs", "iceberg")


class Databases:
    """Databases by number: each sees the doors it was attached to."""

    def __init__(self) -> None:
        self._databases: list[duckdb.DuckDBPyConnection] = []

    def open(self) -> int:
        database = duckdb.connect(config={"threads": 1})
        for name in _EXTENSIONS:
            import_extension(name, con=database)
            database.execute(f"LOAD {name}")
        database.execute("SET TimeZone = 'UTC'")
        self._databases.append(database)
        return len(self._databases) - 1

    def sql(self, number: int, text: str) -> pa.Table:
        """The rows of the last statement in it."""
        return self._databases[number].execute(text).to_arrow_table()

    def close(self) -> None:
        for database in self._databases:
            database.close()


@contextmanager
def duckdb_databases() -> Iterator[Databases]:
    opened = Databases()
    try:
        yield opened
    finally:
        opened.close()

"""Plain DuckDB as the judge: what its SQL says about the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import duckdb
import pyarrow as pa


def answers(table: pa.Table, conditions: Sequence[str]) -> list[pa.BooleanArray]:
    """Per condition, TRUE, FALSE or NULL for each row, in the table's order."""
    if not conditions:
        return []
    return _ask(_judging(table), conditions)


def answers_if_any(table: pa.Table, conditions: Sequence[str]) -> list[pa.BooleanArray | None]:
    """The same one by one; None for a condition that DuckDB itself refuses or cannot compute."""
    connection = _judging(table)
    return [_ask_if_possible(connection, condition) for condition in conditions]


def compact(table: pa.Table) -> pa.Table:
    """The same rows in arrays without offsets: DuckDB misreads slices of sparse unions."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        for batch in table.to_batches():
            writer.write_batch(batch)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def _judging(table: pa.Table) -> duckdb.DuckDBPyConnection:
    connection = _database().cursor()
    connection.register("given", compact(table))
    # Stored first: a filter on an Arrow scan may be pushed into pyarrow, and it is on trial here.
    connection.execute("CREATE TEMP TABLE judged AS FROM given")
    connection.unregister("given")
    return connection


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """One for all tests: opening a database takes longer than most questions."""
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    return connection


def _ask(connection: duckdb.DuckDBPyConnection, conditions: Sequence[str]) -> list[pa.BooleanArray]:
    columns = ", ".join(f"({text}) AS c{at}" for at, text in enumerate(conditions))
    found = connection.execute(f"SELECT {columns} FROM judged").to_arrow_table()
    return [_booleans(column) for column in found.columns]


def _ask_if_possible(
    connection: duckdb.DuckDBPyConnection, condition: str
) -> pa.BooleanArray | None:
    try:
        return _ask(connection, [condition])[0]
    except (duckdb.BinderException, duckdb.ConversionException, duckdb.OutOfRangeException):
        return None


def _booleans(column: pa.ChunkedArray[pa.BooleanScalar]) -> pa.BooleanArray:
    combined = column.combine_chunks()
    if not isinstance(combined, pa.BooleanArray):
        raise TypeError(str(combined.type))
    return combined

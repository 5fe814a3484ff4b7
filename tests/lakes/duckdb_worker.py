"""DuckDB's Iceberg reader in a process of its own: it can crash on tables that are valid.

A request is a line of JSON with the SQL to run and where to put the rows; the answer is a line that
says `ok` or why not. Run with `-m`, from the root of the repository.
"""

from __future__ import annotations

import json
import sys

import duckdb
import pyarrow as pa
from duckdb_extensions import import_extension  # type: ignore[import-untyped] # has no stubs


def connect() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": 1})
    for name in ("avro", "iceberg"):
        import_extension(name, con=connection)
        connection.execute(f"LOAD {name}")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET arrow_lossless_conversion = true")
    return connection


def main() -> None:
    connection = connect()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            rows = connection.execute(request["sql"]).to_arrow_table()
            with (
                pa.OSFile(request["out"], "wb") as sink,
                pa.ipc.new_file(sink, rows.schema) as file,
            ):
                file.write_table(rows)
            answer = "ok"
        except (duckdb.Error, pa.ArrowException) as error:
            answer = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            connection = connect()  # a fatal error ends the database
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

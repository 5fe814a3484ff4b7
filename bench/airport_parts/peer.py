"""Programs of the comparison that run in the peers' environment: Quack's server, and everybody's clients.

A client reads the whole of lineitem once for each line of its stdin, into a new table of DuckDB
("create table as") or batch by batch into nothing, and prints the seconds that took.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.flight as fl

if TYPE_CHECKING:
    import duckdb

_ROWS = "SELECT count(*) FROM copied"
_TOKEN = "lakeport-bench"  # noqa: S105  no secret: both ends are here
_PATH = ("bench", "lineitem")


def quack_server(address: str, *paths: str) -> None:
    connection = _duckdb("httpfs", "quack")
    connection.execute(f"CREATE TABLE lineitem AS FROM read_parquet({[*paths]!r})")
    connection.execute(f"CALL quack_serve('{address}', token='{_TOKEN}')").fetchall()
    print("ready", flush=True)
    sys.stdin.readline()


def quack_client(address: str, *settings: str) -> Callable[[], int]:
    connection = _set(_duckdb("httpfs", "quack"), settings)
    connection.execute(f"ATTACH '{address}' AS remote (TOKEN '{_TOKEN}')")

    def read() -> int:
        connection.execute("CREATE OR REPLACE TABLE copied AS FROM remote.lineitem")
        return _count(connection)

    return read


def flight_to_duckdb(address: str, *settings: str) -> Callable[[], int]:
    connection = _set(_duckdb(), settings)
    client = fl.connect(address)

    def read() -> int:
        connection.register("remote", _opened(client).to_reader())
        connection.execute("CREATE OR REPLACE TABLE copied AS FROM remote")
        return _count(connection)

    return read


def flight_batches(address: str) -> Callable[[], int]:
    client = fl.connect(address)
    return lambda: _rows(_opened(client).to_reader())


def flight_sql_batches(address: str) -> Callable[[], int]:
    warnings.simplefilter("ignore")  # that there are no transactions
    driver: Any = import_module("adbc_driver_flightsql.dbapi")
    connection = driver.connect(address)

    def read() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM lineitem")
            return _rows(cursor.fetch_record_batch())

    return read


_CLIENTS: dict[str, Callable[..., Callable[[], int]]] = {
    "quack": quack_client,
    "flight to duckdb": flight_to_duckdb,
    "flight": flight_batches,
    "flight sql": flight_sql_batches,
}


def _duckdb(*extensions: str) -> duckdb.DuckDBPyConnection:
    library: Any = import_module("duckdb")
    connection: duckdb.DuckDBPyConnection = library.connect()
    for extension in extensions:
        import_module("duckdb_extensions").import_extension(extension, con=connection)
        connection.execute(f"LOAD {extension}")
    return connection


def _set(
    connection: duckdb.DuckDBPyConnection, settings: tuple[str, ...]
) -> duckdb.DuckDBPyConnection:
    for setting in settings:
        connection.execute(f"SET {setting}")
    return connection


def _opened(client: fl.FlightClient) -> fl.FlightStreamReader:
    info = client.get_flight_info(fl.FlightDescriptor.for_path(*_PATH))
    return client.do_get(info.endpoints[0].ticket)


def _count(connection: duckdb.DuckDBPyConnection) -> int:
    (count,) = connection.execute(_ROWS).fetchall()[0]
    return int(count)


def _rows(reader: pa.RecordBatchReader) -> int:
    return sum(batch.num_rows for batch in reader)


def main(kind: str, *arguments: str) -> None:
    if kind == "quack server":
        quack_server(*arguments)
        return
    read = _CLIENTS[kind](*arguments)
    print("ready", flush=True)
    while sys.stdin.readline():
        start = time.perf_counter()
        rows = read()
        print(f"{time.perf_counter() - start} {rows}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A reference run as DuckDB's client runs it: decoded from its location, its arguments as they are."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import duckdb
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
from duckdb_extensions import import_extension  # type: ignore[import-untyped]  # it has no stubs

from lakeport.flight.messages import FlightEndpoint

CALL = "data:application/x-msgpack-duckdb-function-call;base64,"
FILE = "data:application/msgpack;base64,"


@dataclass(frozen=True)
class Decoded:
    """One call: its function and the row of its arguments."""

    function: str
    arguments: pa.Table


def decoded(endpoint: FlightEndpoint) -> Decoded:
    (location,) = endpoint.locations
    assert location.startswith(CALL)
    message = msgpack.unpackb(base64.b64decode(location.removeprefix(CALL), validate=True))
    assert set(message) == {"function_name", "data"}
    assert isinstance(message["data"], bytes)
    arguments = pa.ipc.open_stream(message["data"]).read_all()
    assert arguments.num_rows == 1
    return Decoded(message["function_name"], arguments)


def file_of(endpoint: FlightEndpoint) -> dict[str, Any]:
    (location,) = endpoint.locations
    assert location.startswith(FILE)
    message: dict[str, Any] = msgpack.unpackb(base64.b64decode(location.removeprefix(FILE)))
    return message


class Database:
    """DuckDB with the extensions that calls may need."""

    def __init__(self) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        for name in ("avro", "iceberg"):
            import_extension(name, con=self.connection)
            self.connection.execute(f"LOAD {name}")
        # Users have zones, and no moment may move by them.
        self.connection.execute("SET TimeZone = 'Asia/Tokyo'")

    def run(self, call: Decoded) -> duckdb.DuckDBPyRelation:
        """Variables keep the types of their values, so that the binder has nothing to cast."""
        self.connection.register("arguments", call.arguments)
        words = []
        for name in call.arguments.column_names:
            self.connection.execute(f'SET VARIABLE "{name}" = (SELECT "{name}" FROM arguments)')
            value = f"getvariable('{name}')"
            words.append(value if name.startswith("arg_") else f"{name} = {value}")
        return self.connection.sql(f"SELECT * FROM {call.function}({', '.join(words)})")

    def table(self, endpoints: list[FlightEndpoint], columns: pa.Schema) -> pa.Table:
        """All rows, which must have the wanted columns in the types that DuckDB has for them."""
        empty = self.connection.from_arrow(columns.empty_table())
        wanted = dict(zip(empty.columns, map(str, empty.types), strict=True))
        shown = ", ".join(_quoted(name) for name in wanted)
        found: list[pa.Table] = []
        for endpoint in endpoints:
            given = self.run(decoded(endpoint))
            types = dict(zip(given.columns, map(str, given.types), strict=True))
            assert {name: types.get(name) for name in wanted} == wanted
            found.append(given.project(shown).to_arrow_table())
        return pa.concat_tables(found) if found else self.streamed(columns.empty_table())

    def rows(self, endpoints: list[FlightEndpoint], columns: pa.Schema) -> list[Any]:
        return self.table(endpoints, columns).to_pylist()

    def streamed(self, rows: pa.Table) -> pa.Table:
        """What DuckDB makes of rows that were sent to it."""
        return self.connection.from_arrow(rows).to_arrow_table()

    def of_arrow(self, rows: pa.Table) -> list[Any]:
        return self.streamed(rows).to_pylist()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

"""A lake is served, and changed by a client that knows nothing of it.

`lakeport serve` is a process of its own. The client is pyarrow's, with no line of Lakeport in it: tables
are paths, changes of tables are Flight actions with msgpack bodies, rows are Arrow.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from examples.telling import note, say, table

# The published types of the client differ from what it does.
flight: Any = importlib.import_module("pyarrow.flight")

Columns: TypeAlias = dict[str, list[Any]]

LAKEPORT = str(Path(sys.executable).parent / "lakeport")
TYPES: dict[str, pa.DataType] = {
    "berth": pa.int64(),
    "ship": pa.string(),
    "metres": pa.float64(),
}


def main() -> None:
    print("\nLakeport: the lake as a server, changed by a standard Arrow Flight client")
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as address,
        flight.connect(address) as client,
    ):
        create(client)
        insert(client, {"berth": [1, 2], "ship": ["Calypso", "Argo"], "metres": [43.0, 21.5]})
        refuse(client, {"berth": [3, 2], "ship": ["Dove", "Erebus"], "metres": [18.0, 32.0]})
        evolve(client)
        read(client)
        travel(client)
    print("\nDuckDB attaches to the same port: see docs/guides/serve.md.")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server that is ready, of a new and empty lake."""
    say("serve", "`lakeport serve` on a free port")
    subprocess.run([LAKEPORT, "init", str(folder)], check=True, capture_output=True)
    ports = ("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0")
    command = [LAKEPORT, "serve", "--project", str(folder), *ports, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            assert server.stdout is not None  # noqa: S101  it was asked for
            ready = json.loads(server.stdout.readline())
            note(f"it says: {ready['event']}")
            yield ready["grpc"]
        finally:
            server.terminate()


def create(client: Any) -> None:
    say("create", "a schema and a table with a key")
    act(client, "create_schema", {"schema": "harbour", "comment": "who lies where"})
    body = {
        "schema_name": "harbour",
        "table_name": "berths",
        "arrow_schema": pa.schema(TYPES).serialize().to_pybytes(),
        "primary_key_columns": ["berth"],
    }
    made = flight.FlightInfo.deserialize(act(client, "create_table", body))
    note(f"{b'.'.join(made.descriptor.path).decode()}: {', '.join(made.schema.names)}")


def insert(client: Any, rows: Columns) -> None:
    say("insert", "a stream of rows, one commit")
    note(f"total_changed: {put(client, rows)}")


def refuse(client: Any, rows: Columns) -> None:
    say("refuse", "a stream of which one row breaks the key")
    try:
        put(client, rows)
    except pa.ArrowException as error:
        said = str(error).split(" with message: ")[-1]
        note(said.split(". gRPC client debug context")[0])


def evolve(client: Any) -> None:
    say("evolve", "add a column, rename another, and use both")
    flag = pa.schema([pa.field("flag", pa.string())]).serialize().to_pybytes()
    about = {"schema": "harbour", "name": "berths"}
    act(client, "add_column", {**about, "column_schema": flag})
    act(client, "rename_column", {**about, "old_name": "ship", "new_name": "vessel"})
    note(f"total_changed: {put(client, {'flag': ['NO'], 'vessel': ['Fram'], 'berth': [3]})}")


def read(client: Any) -> None:
    say("read", "the path [harbour, berths]")
    info = client.get_flight_info(flight.FlightDescriptor.for_path("harbour", "berths"))
    show(client.do_get(info.endpoints[0].ticket).read_all())


def travel(client: Any) -> None:
    say("travel", "the table as it was before it grew, version 1")
    body = {
        "descriptor": flight.FlightDescriptor.for_path("harbour", "berths").serialize(),
        "parameters": {"at_unit": "VERSION", "at_value": "1"},
    }
    endpoints = msgpack.unpackb(act(client, "endpoints", body))
    for endpoint in map(flight.FlightEndpoint.deserialize, endpoints):
        show(client.do_get(endpoint.ticket).read_all())


def act(client: Any, name: str, body: Mapping[str, object]) -> bytes:
    results = list(client.do_action(flight.Action(name, msgpack.packb(body))))
    return b"".join(result.body.to_pybytes() for result in results)


def put(client: Any, columns: Columns) -> int:
    """How many rows the server has committed."""
    rows = pa.RecordBatch.from_pydict(columns)
    path = flight.FlightDescriptor.for_path("harbour", "berths")
    writer, answers = client.do_put(path, rows.schema)
    with writer:
        writer.write_batch(rows)
        writer.done_writing()
        changed: int = msgpack.unpackb(answers.read().to_pybytes())["total_changed"]
        return changed


def show(rows: pa.Table) -> None:
    rows = rows.drop_columns([name for name in rows.column_names if name == "rowid"])
    cells = [
        ["NULL" if value is None else str(value) for value in row.values()]
        for row in rows.sort_by("berth").to_pylist()
    ]
    table(rows.column_names, cells)


if __name__ == "__main__":
    main()

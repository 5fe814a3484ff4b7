"""A server over five thousand tables, as a program: how long `list_schemas` takes when, printed as JSON.

Each run is a process of its own: nothing is warm but the page cache. Tables are of 4 to 19 columns, with
a snapshot each; those of the Iceberg lake are copies of sixteen that Lakeport wrote, each with a metadata
file and a uuid of its own.
"""
# ruff: noqa: PLC0415  - a server loads its own libraries and no others

from __future__ import annotations

import json
import sqlite3
import sys
import time
import uuid
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import pyarrow as pa
import pyarrow.flight as fl

from bench.airport_parts.server import OpenDoor

SPACE = "wide"
TEMPLATES = 16
CHANGES = 5
_TYPES = (pa.int64(), pa.string(), pa.float64(), pa.timestamp("us", "UTC"), pa.decimal128(21, 2))
_AIRPORT = fl.FlightCallOptions(headers=[(b"airport-user-agent", b"airport/20250723")])  # type: ignore[list-item]  # the stubs are wrong


def columns(number: int) -> pa.Schema:
    count = 4 + number % TEMPLATES
    return pa.schema([pa.field(f"column_{i}", _TYPES[i % len(_TYPES)]) for i in range(count)])


def table(number: int) -> str:
    return f"table_{number:05d}"


def make_lake(folder: Path, tables: int) -> None:
    with _open(folder) as catalog:
        from lakeport.catalog.definition import Definition
        from lakeport.catalog.ports import NamespaceInfo

        space = catalog.create_namespace(NamespaceInfo(SPACE))
        for number in range(TEMPLATES):
            definition = Definition(columns(number), comment=f"number {number}")
            with space.create_table(table(number), definition).insert() as insert:
                insert.add(pa.RecordBatch.from_pylist([{}], schema=columns(number)))
                insert.commit()
    with sqlite3.connect(folder / "catalog.db") as connection:
        found = connection.execute("SELECT * FROM iceberg_tables ORDER BY table_name")
        names = [each[0] for each in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found]
        copies = [_copied(rows[number % TEMPLATES], number) for number in range(TEMPLATES, tables)]
        marks = ", ".join("?" for _ in names)
        connection.executemany(f"INSERT INTO iceberg_tables VALUES ({marks})", copies)


def _copied(row: dict[str, Any], number: int) -> tuple[Any, ...]:
    held = Path(row["metadata_location"].removeprefix("file://"))
    metadata = json.loads(held.read_text())
    metadata["table-uuid"] = str(uuid.uuid4())
    copy = held.with_name(f"00001-{uuid.uuid4()}.metadata.json")
    copy.write_text(json.dumps(metadata))
    fresh = {"table_name": table(number), "metadata_location": f"file://{copy}"}
    return tuple({**row, **fresh, "previous_metadata_location": None}.values())


def _open(folder: Path) -> Any:
    from lakeport.catalog.iceberg.catalog import IcebergCatalog
    from lakeport.catalog.iceberg.profile import Profile

    uri = f"sqlite:///{folder / 'catalog.db'}"
    return IcebergCatalog(Profile("lake", "embedded", uri, f"file://{folder / 'warehouse'}"))


def _memory(tables: int) -> Any:
    from lakeport.catalog.definition import Definition
    from lakeport.catalog.memory import MemoryCatalog
    from lakeport.catalog.ports import NamespaceInfo

    catalog = MemoryCatalog("lake")
    space = catalog.create_namespace(NamespaceInfo(SPACE))
    for number in range(tables):
        space.create_table(table(number), Definition(columns(number), comment=f"number {number}"))
    return catalog


def report(catalog: Any, folder: Path) -> dict[str, Any]:
    """Milliseconds of the first answer, of the next, and of those after one table was altered.

    `cpu` is what this process, server and client, took of a processor for the first and for those.
    """
    from lakeport.airport.announcements import Announcements
    from lakeport.airport.service import AirportService
    from lakeport.catalog.changes import AddColumn
    from lakeport.flight.server import FlightServer
    from lakeport.state.store import Store

    with Store.open(f"sqlite:///{folder / 'state.db'}") as store:
        kept = Announcements(store.announcements)
        service = AirportService([catalog], OpenDoor(), announcements=kept)  # type: ignore[arg-type]  # lazily typed
        with FlightServer(service) as server, fl.connect(server.address) as client:
            client.list_actions()  # connected: to wait for a server is to list its flights
            first, first_cpu, answer = _asked(client)
            figures: dict[str, Any] = getattr(catalog, "cache_figures", dict)()
            read = figures["metadata"].misses if figures else 0
            again, _, _ = _asked(client)
            changed = []
            for number in range(CHANGES):
                column = pa.field(f"more_{time.time_ns()}", pa.int8())
                catalog.namespace(SPACE).table(table(number)).alter([AddColumn(column)])
                changed.append(_asked(client)[:2])
    return {
        "first": first,
        "first_cpu": first_cpu,
        "again": again,
        "changed": [wall for wall, _ in changed],
        "changed_cpu": [cpu for _, cpu in changed],
        "bytes": answer,
        "read": read,
    }


def _asked(client: fl.FlightClient) -> tuple[float, float, int]:
    wall, cpu = time.perf_counter(), time.process_time()
    (answer,) = client.do_action(fl.Action("list_schemas", b""), _AIRPORT)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return 1e3 * wall, 1e3 * cpu, len(answer.body)


def main(kind: str, folder: Path, tables: int) -> None:
    if kind == "make":
        make_lake(folder, tables)
    elif kind == "memory":
        print(json.dumps(report(_memory(tables), folder)))
    else:
        with _open(folder) as catalog:
            print(json.dumps(report(catalog, folder)))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))

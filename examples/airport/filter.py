"""A database of one's own behind a table: conditions become its SQL, under its own names.

ATTACH 'demo' AS "demo" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
SELECT id, full_name, cents / 100.0 FROM people WHERE ("full_name" = ? AND (cents / 100.0) > ?) ('Ann', 10.0)
[{'id': 1, 'name': 'Ann', 'euros': 12.5}]
SELECT id, full_name, cents / 100.0 FROM people WHERE ("full_name" <> ?) ('Ann',)
[{'id': 2, 'name': 'Bob', 'euros': 3.0}]
"""

from __future__ import annotations

import sqlite3
from typing import Any

import pyarrow as pa

import lakeport
from lakeport.airport import Catalog, Mapped, Scan, Server, sql

database = sqlite3.connect(":memory:", check_same_thread=False)
database.execute("CREATE TABLE people (id INTEGER, full_name TEXT, cents INTEGER)")
database.executemany("INSERT INTO people VALUES (?, ?, ?)", [(1, "Ann", 1250), (2, "Bob", 300)])

COLUMNS: dict[str, Mapped] = {"name": "full_name", "euros": sql("cents / 100.0")}
TYPES: dict[str, pa.DataType] = {"id": pa.int64(), "name": pa.string(), "euros": pa.float64()}

demo = Catalog("demo")


@demo.schema("crm").table("people", schema=pa.schema(TYPES))
def people(scan: Scan) -> list[dict[str, Any]]:
    """What SQLite cannot be told is left out: the server applies the whole condition again."""
    where = scan.where(COLUMNS)
    query = f"SELECT id, full_name, cents / 100.0 FROM people WHERE {where}"  # noqa: S608  of `where`
    print(query, where.parameters)
    rows = database.execute(query, where.parameters)
    return [dict(zip(TYPES, row, strict=True)) for row in rows]


def main() -> None:
    with Server(demo) as server, lakeport.connect(server.location) as lake:
        print(server.attach_statements()[-1])
        table = lake.table("crm.people")
        print(table.scan(where="name = 'Ann' AND euros > 10").read_all().to_pylist())
        print(table.scan(where="NOT (name = 'Ann') AND length(name) = 3").read_all().to_pylist())


if __name__ == "__main__":
    main()

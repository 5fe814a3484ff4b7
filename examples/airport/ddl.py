"""A catalog in which clients make tables of their own: CREATE, ALTER, DROP.

ATTACH 'demo' AS "demo" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
created    ['notes.entries']
altered    ['id', 'text', 'stars']
rows       [{'id': 1, 'text': 'hello', 'stars': None}]
dropped    []
"""

from __future__ import annotations

import pyarrow as pa

import lakeport
from lakeport.airport import Catalog, Server

demo = Catalog("demo", ddl=True)


def main() -> None:
    with Server(demo) as server, lakeport.connect(server.location) as lake:
        print(server.attach_statements()[-1])
        lake.create_namespace("notes", "what people jot down")
        columns: dict[str, pa.DataType] = {"id": pa.int64(), "text": pa.string()}
        entries = lake.create_table("notes.entries", pa.schema(columns))
        print("created   ", lake.tables())
        entries.append([{"id": 1, "text": "hello"}])
        entries.alter(lakeport.AddColumn(pa.field("stars", pa.int8())))
        print("altered   ", entries.schema.names)
        print("rows      ", entries.scan().read_all().to_pylist())
        lake.drop_table("notes.entries")
        print("dropped   ", lake.tables())


if __name__ == "__main__":
    main()

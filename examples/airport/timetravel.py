"""A table with a past: `SELECT … FROM demo.prices.bread AT (VERSION => 1)`, or `(TIMESTAMP => …)`.

ATTACH 'demo' AS "demo" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
now          [{'kind': 'rye', 'euros': 3.5, 'organic': True}]
version 1    [{'kind': 'rye', 'euros': 3.0}]
in April     [{'kind': 'rye', 'euros': 3.0}]
history      [1, 2]
"""

from __future__ import annotations

import datetime as dt

import lakeport
from lakeport.airport import Catalog, Server, Version

SPRING, SUMMER = dt.datetime(2024, 3, 1, tzinfo=dt.UTC), dt.datetime(2024, 7, 1, tzinfo=dt.UTC)

demo = Catalog("demo")
demo.schema("prices").versions(
    "bread",
    [
        Version(1, SPRING, [{"kind": "rye", "euros": 3.0}]),
        Version(2, SUMMER, [{"kind": "rye", "euros": 3.5, "organic": True}]),
    ],
)


def main() -> None:
    with Server(demo) as server, lakeport.connect(server.location) as lake:
        print(server.attach_statements()[-1])
        bread = lake.table("prices.bread")
        print("now         ", bread.scan().read_all().to_pylist())
        print("version 1   ", bread.scan(at=1).read_all().to_pylist())
        print("in April    ", bread.scan(at="2024-04-15").read_all().to_pylist())
        print("history     ", [snapshot.version for snapshot in bread.history()])


if __name__ == "__main__":
    main()

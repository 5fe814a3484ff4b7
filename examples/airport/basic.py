"""Thirty lines that serve data of one's own to DuckDB: a frame, a function's rows, and who asks.

ATTACH 'demo' AS "demo" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
shop.orders    [{'id': 2, 'amount': 12.5}, {'id': 3, 'amount': 40.0}]
shop.squares   [{'n': 3, 'squared': 9}, {'n': 4, 'squared': 16}]
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

import lakeport
from lakeport.airport import Catalog, Scan, Server

demo = Catalog("demo")
shop = demo.schema("shop", comment="what we sell")
shop.table(
    "orders", [{"id": 1, "amount": 5.0}, {"id": 2, "amount": 12.5}, {"id": 3, "amount": 40.0}]
)


@shop.table("squares", schema=pa.schema({"n": pa.int64(), "squared": pa.int64()}))
def squares(scan: Scan) -> Iterator[dict[str, int]]:
    """Rows are made while they are read; the server applies conditions and limits itself."""
    for n in range(scan.limit or 1_000):
        yield {"n": n, "squared": n * n}


def main() -> None:
    with Server(demo) as server:
        print(server.attach_statements()[-1])
        with lakeport.connect(server.location) as lake:
            orders = lake.table("shop.orders").scan(where="amount > 10").read_all()
            print("shop.orders   ", orders.to_pylist())
            found = lake.table("shop.squares").scan(where="n BETWEEN 3 AND 4").read_all()
            print("shop.squares  ", found.to_pylist())


if __name__ == "__main__":
    main()

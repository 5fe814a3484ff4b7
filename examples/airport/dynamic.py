"""Live: a folder of Parquet files, and tables that come and go while the server runs.

ATTACH 'files' AS "files" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
at first   ['shop.orders']
later      ['shop.orders', 'shop.returns']
rows       [{'id': 7}]
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import lakeport
from lakeport.airport import ParquetFolder, Server


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        shop = Path(folder) / "shop"  # a sub-folder is a namespace, a file in it a table
        shop.mkdir()
        pq.write_table(pa.table({"id": [1, 2]}), shop / "orders.parquet")
        files = ParquetFolder(folder, name="files")
        with Server(files) as server, lakeport.connect(server.location) as lake:
            print(server.attach_statements()[-1])
            print("at first  ", lake.tables())
            pq.write_table(pa.table({"id": [7]}), shop / "returns.parquet")
            print("later     ", lake.tables())
            print("rows      ", lake.table("shop.returns").scan().read_all().to_pylist())


if __name__ == "__main__":
    main()

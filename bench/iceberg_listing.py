"""Listing and finding tables in a namespace of 10,000, printed without a bar; PyIceberg beside it.

The tables are rows of the SQL catalog that share one metadata file: only names are listed.
"""

from __future__ import annotations

import sqlite3
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.iceberg_parts import lineitem
from bench.iceberg_parts.lake import Lake
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile

TABLES = 10_000
ROUNDS = 7


def main() -> int:
    with TemporaryDirectory() as folder:
        lake = Lake(Path(folder))
        with lake.connect() as theirs:
            theirs.create_namespace("wide")
            theirs.create_table("wide.table_00000", lineitem.SCHEMA)
            _multiply(Path(folder) / "catalog.db")
            catalog = IcebergCatalog.open(Profile("lake", "sql", lake.uri, lake.warehouse))
            namespace = catalog.namespace("wide")
            if len(namespace.tables()) != TABLES:
                raise AssertionError("the bench's tables are not all there")
            name = f"table_{TABLES // 2:05d}"
            for what, run in (
                ("lakeport: names of all tables", namespace.tables),
                ("PyIceberg: names of all tables", lambda: theirs.list_tables("wide")),
                ("lakeport: one table and its state", lambda: namespace.table(name).state()),
                ("PyIceberg: load one table", lambda: theirs.load_table(f"wide.{name}")),
                ("lakeport: version of the catalog", catalog.version),
            ):
                print(f"  {what:<40}{_median(run) * 1e3:>10.2f} ms")
            catalog.close()
    return 0


def _multiply(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(iceberg_tables)")]
        row = dict(
            zip(columns, connection.execute("SELECT * FROM iceberg_tables").fetchone(), strict=True)
        )
        marks = ", ".join("?" for _ in columns)
        connection.executemany(
            f"INSERT INTO iceberg_tables VALUES ({marks})",
            [
                tuple({**row, "table_name": f"table_{number:05d}"}.values())
                for number in range(1, TABLES)
            ],
        )


def _median(run: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS + 1):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


if __name__ == "__main__":
    sys.exit(main())

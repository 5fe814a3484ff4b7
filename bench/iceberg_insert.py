"""INSERT of a million rows of lineitem's sixteen columns, beside `pq.write_table` of the same rows.

Peer and table use the same codec (zstd at its default level) and row groups of 122,880 rows. The peer
writes one file and knows nothing of tables; we validate, conform, measure, write and commit. Batches are of
65,536 rows and of 2,048, which is what DuckDB's client sends; rows go to one partition, to fifty (buckets
of a column that is all over the place) or to a table with a sort order. One process, by turns; the least
CPU and the median wall time of each. The bars are on wall time where the machine is quiet: both write with
as many threads as they like.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import pyarrow as pa
import pyarrow.parquet as pq

from bench.iceberg_parts import lineitem
from bench.iceberg_parts.race import QUICK_ROWS, finish, is_quick
from bench.lineage_parts.clock import Line
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo

ROWS = 1_000_000
ROUNDS = 5
GROUP = 122_880
LARGE, SMALL = 65_536, 2_048


@dataclass(frozen=True, slots=True)
class Case:
    what: str
    table: str
    batch_rows: int
    most: float | None


CASES = [
    Case("one partition", "one", LARGE, 1.4),
    Case("one partition, batches of 2,048", "one", SMALL, 1.4),
    Case("50 partitions", "fifty", LARGE, 2.0),
    Case("50 partitions, batches of 2,048", "fifty", SMALL, 2.0),
    Case("sorted", "sorted", LARGE, None),
]
TABLES = {
    "one": Definition(lineitem.SCHEMA),
    "fifty": Definition(lineitem.SCHEMA, partitioned_by=("bucket(50, l_partkey)",)),
    "sorted": Definition(lineitem.SCHEMA, sorted_by=("l_partkey",)),
}


def main() -> int:
    (rows,) = lineitem.parts(QUICK_ROWS if is_quick() else ROWS, 1)
    with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as folder:
        warehouse = Path(folder)
        profile = Profile("lake", "sql", f"sqlite:///{folder}/catalog.db", warehouse.as_uri())
        with IcebergCatalog(profile) as catalog:
            catalog.create_namespace(NamespaceInfo("bench"))
            namespace = catalog.namespace("bench")
            for name, definition in TABLES.items():
                namespace.create_table(name, definition)
            works = [lambda: _peer(rows, warehouse)]
            works += [_inserting(catalog, rows, case) for case in CASES]
            peer, *ours = _measured(works)
    print(f"  {rows.num_rows:,} rows; zstd, row groups of {GROUP:,}")
    print(f"  {'pq.write_table':<34} {peer}")
    bars = []
    for case, found in zip(CASES, ours, strict=True):
        print(
            f"  {case.what:<34} {found}   {found.wall / peer.wall:.2f}x wall, {found.cpu / peer.cpu:.2f}x cpu"
        )
        if case.most is not None:
            bars.append(
                Line(f"{case.what}: lakeport / pq.write_table", found.wall / peer.wall, case.most)
            )
    return finish(bars)


@dataclass(frozen=True, slots=True)
class Times:
    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall * 1e3:7.0f} ms, cpu {self.cpu * 1e3:7.0f}"


def _measured(works: list[Callable[[], None]]) -> list[Times]:
    runs: list[list[tuple[float, float]]] = [[] for _ in works]
    for number in range(ROUNDS + 1):
        for work, found in zip(works, runs, strict=True):
            wall, cpu = time.perf_counter(), time.process_time()
            work()
            if number:  # the first round only warms everything up
                found.append((time.perf_counter() - wall, time.process_time() - cpu))
    return [
        Times(statistics.median(wall for wall, _ in found), min(cpu for _, cpu in found))
        for found in runs
    ]


def _peer(rows: pa.Table, folder: Path) -> None:
    path = folder / "peer.parquet"
    pq.write_table(rows, path, compression="zstd", row_group_size=GROUP)
    path.unlink()


def _inserting(catalog: IcebergCatalog, rows: pa.Table, case: Case) -> Callable[[], None]:
    batches = rows.to_batches(max_chunksize=case.batch_rows)

    def insert() -> None:
        with catalog.namespace("bench").table(case.table).insert() as write:
            for batch in batches:
                write.add(batch)
            if write.commit().rows != rows.num_rows:
                raise RuntimeError("rows were lost")

    return insert


if __name__ == "__main__":
    sys.exit(main())

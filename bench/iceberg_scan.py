"""Reading TPC-H's lineitem (6 million rows in 12 files) beside PyIceberg, the raw files, DuckDB and polars.

Fresh process per reader and round, warmed by a tiny table, files in the page cache. Wall time depends on
the cores that are free, CPU time does not: both are shown. The bars are about the first full scan of a
process. A second one is shown beside it: PyIceberg, which holds most of the table in memory at once, pays
for those pages only the first time, and is about as fast as Lakeport then.

polars is there twice. Its frames hold string views that point into decoded pages; whoever wants Arrow
batches with strings, as all other readers give and a Flight client expects, pays for `to_arrow`. The bar
is set on that.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.iceberg_parts.measure import Task
from bench.iceberg_parts.race import agree, finish, prepared, print_race, race, race_twice
from bench.iceberg_parts.readers import QUERIES, Reader
from bench.lineage_parts.clock import Line

READERS: list[Reader] = [
    "lakeport",
    "raw files",
    "pyiceberg",
    "duckdb files",
    "duckdb iceberg",
    "polars frames",
    "polars to Arrow",
]
# Rounds, and answers in each: what is over in no time is asked more often.
REPEATS = {"3 columns": (3, 3), "0.1 % filter": (3, 3), "LIMIT 10": (3, 5)}


def main() -> int:
    folder = str(prepared().folder)
    bars = _full_scan(folder)
    for query, (rounds, runs) in REPEATS.items():
        medians = race(_tasks(folder, query, runs), rounds)
        agree(READERS, medians)
        print_race(query, READERS, medians)
    _print_row_ids(folder)
    return finish(bars)


def _full_scan(folder: str) -> list[Line]:
    fresh, again = race_twice(_tasks(folder, "full scan"), 5)
    agree(READERS, fresh)
    print_race("full scan", READERS, fresh)
    print_race("the same process again", READERS, again)
    found = dict(zip(READERS, fresh, strict=True))
    ours = found["lakeport"]
    faster = found["pyiceberg"].wall / ours.wall
    kept = found["raw files"].wall / ours.wall
    more = ours.cpu / found["polars to Arrow"].cpu
    return [
        Line("full scan: PyIceberg / lakeport", faster, 1.8, at_least=True),
        Line("full scan: raw files / lakeport", kept, 0.85, at_least=True),
        Line("full scan: CPU of lakeport / polars to Arrow", more, 1.5),
    ]


def _tasks(folder: str, query: str, runs: int = 1) -> list[Task]:
    return [Task(reader, folder, "lineitem", QUERIES[query], runs) for reader in READERS]


def _print_row_ids(folder: str) -> None:
    """What the row id column adds to Lakeport's own cost."""
    print(f"\n  {'row ids, lakeport against itself':<36}{'x wall':>8}{'x cpu':>7}")
    for query in ("full scan", "3 columns"):
        pair = [
            Task("lakeport", folder, "lineitem", QUERIES[name], 2)
            for name in (query, f"{query} + row ids")
        ]
        without, having = race(pair, 3)
        print(f"  {query:<36}{having.wall / without.wall:>8.2f}{having.cpu / without.cpu:>7.2f}")


if __name__ == "__main__":
    sys.exit(main())

"""How long until something is there: the first batch of everything, and LIMIT 10, beside DuckDB.

Warm: a process that has read the table before. Cold: the first query of a process that has loaded its
libraries and connected; nothing of the table is known. Files are in the page cache either way.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.iceberg_parts.measure import Task
from bench.iceberg_parts.race import finish, prepared, print_race, race
from bench.iceberg_parts.readers import QUERIES, Reader
from bench.lineage_parts.clock import Line

READERS: list[Reader] = ["lakeport", "duckdb iceberg", "raw files", "polars"]
NO_SLOWER_THAN = 2.0


def main() -> int:
    folder = str(prepared().folder)
    bars: list[Line] = []
    for what, query, first_only in (
        ("first batch", QUERIES["full scan"], True),
        ("LIMIT 10", QUERIES["LIMIT 10"], False),
    ):
        for state, rounds, runs, rehearsals in (("warm", 3, 7, 2), ("cold", 7, 1, 0)):
            tasks = [
                Task(
                    reader,
                    folder,
                    "lineitem",
                    query,
                    runs=runs,
                    rehearsals=rehearsals,
                    cold=state == "cold",
                    first_only=first_only,
                )
                for reader in READERS
            ]
            medians = race(tasks, rounds)
            print_race(f"{what}, {state}", READERS, medians)
            ours, duckdb = medians[0], medians[1]
            bars.append(
                Line(
                    f"{what}, {state}: lakeport / DuckDB", ours.first / duckdb.first, NO_SLOWER_THAN
                )
            )
    return finish(bars)


if __name__ == "__main__":
    sys.exit(main())

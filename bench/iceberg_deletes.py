"""The same lineitem with one row in a hundred deleted by position, twelve delete files.

Lakeport is compared with itself on the table without deletes, and with the readers that know deletes.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.iceberg_parts.measure import Task
from bench.iceberg_parts.race import agree, finish, prepared, print_race, race
from bench.iceberg_parts.readers import QUERIES, Reader
from bench.lineage_parts.clock import Line

READERS: list[Reader] = ["lakeport", "pyiceberg", "duckdb iceberg", "polars frames"]
# Rounds, and answers in each: what is over in no time is asked more often.
REPEATS = {"full scan": (3, 2), "3 columns": (4, 3), "0.1 % filter": (2, 2), "LIMIT 10": (2, 2)}
NO_SLOWER_THAN = 0.8


def main() -> int:
    folder = str(prepared().folder)
    bars: list[Line] = []
    for query, (rounds, runs) in REPEATS.items():
        tasks = [
            Task(reader, folder, "lineitem_deleted", QUERIES[query], runs) for reader in READERS
        ]
        undeleted = Task("lakeport", folder, "lineitem", QUERIES[query], runs)
        # The two that are set against each other run one after the other.
        without, *medians = race([undeleted, *tasks], rounds)
        agree(READERS, medians)
        print_race(query, READERS, medians)
        ours = medians[0]
        print(
            f"  lakeport without deletes: {without.wall * 1e3:.1f} ms, cpu {without.cpu * 1e3:.1f}"
        )
        if query in {"full scan", "3 columns"}:
            for what, kept in (
                ("without deletes / with", without.wall / ours.wall),
                ("CPU without deletes / with", without.cpu / ours.cpu),
            ):
                bars.append(Line(f"{query}: {what}", kept, NO_SLOWER_THAN, at_least=True))
        if query == "3 columns":
            gain = medians[READERS.index("pyiceberg")].wall / ours.wall
            bars.append(Line(f"{query}: PyIceberg / lakeport", gain, 4.0, at_least=True))
    return finish(bars)


if __name__ == "__main__":
    sys.exit(main())

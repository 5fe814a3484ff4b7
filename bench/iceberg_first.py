"""How long until something is there: the first batch of everything, and LIMIT 10, beside DuckDB.

Warm: a process that has read the table before. Cold: a fresh process that knows nothing of the table,
but has read a tiny one. Unprepared: the very first query of a process, which also pays for what a library
loads when it is first needed; shown without a bar. Files are in the page cache in all of them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.iceberg_parts.measure import Task
from bench.iceberg_parts.race import finish, prepared, print_race, race
from bench.iceberg_parts.readers import QUERIES, Reader
from bench.lineage_parts.clock import Line

READERS: list[Reader] = ["lakeport", "duckdb iceberg", "raw files", "polars frames"]
NO_SLOWER_THAN = 2.0


@dataclass(frozen=True, slots=True)
class State:
    name: str
    rounds: int
    runs: int = 1
    rehearsals: int = 0
    prepared: bool = True


STATES = (State("warm", 3, 7, 2), State("cold", 9), State("unprepared", 5, prepared=False))


def main() -> int:
    folder = str(prepared().folder)
    bars: list[Line] = []
    for what, query in (("first batch", "full scan"), ("LIMIT 10", "LIMIT 10")):
        for state in STATES:
            tasks = [
                Task(
                    reader,
                    folder,
                    "lineitem",
                    QUERIES[query],
                    runs=state.runs,
                    rehearsals=state.rehearsals,
                    prepared=state.prepared,
                    first_only=what == "first batch",
                )
                for reader in READERS
            ]
            medians = race(tasks, state.rounds)
            print_race(f"{what}, {state.name}", READERS, medians)
            ratio = medians[0].first / medians[1].first
            if state.prepared:
                bars.append(Line(f"{what}, {state.name}: lakeport / DuckDB", ratio, NO_SLOWER_THAN))
    return finish(bars)


if __name__ == "__main__":
    sys.exit(main())

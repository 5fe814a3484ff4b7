"""How much memory a scan holds while its consumer does nothing: one batch is taken, then nobody asks.

Resident memory (anonymous and mapped file pages) once it has stopped growing, minus what the process had
before the query; the readers were warmed by a tiny table.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.iceberg_parts.measure import Task
from bench.iceberg_parts.race import finish, prepared, race
from bench.iceberg_parts.readers import QUERIES, Reader
from bench.lineage_parts.clock import Line

READERS: list[Reader] = ["lakeport", "raw files", "duckdb iceberg", "polars frames", "pyiceberg"]
TABLES = ("lineitem", "lineitem_deleted")
MEBIBYTES = 100


def main() -> int:
    folder = str(prepared().folder)
    bars: list[Line] = []
    for table in TABLES:
        readers = [reader for reader in READERS if table == "lineitem" or reader != "raw files"]
        tasks = [
            Task(reader, folder, table, QUERIES["full scan"], stall=True) for reader in readers
        ]
        medians = race(tasks, 3)
        print(
            f"\n  {f'{table}: MiB held after one batch':<44}{'resident':>10}{'anonymous':>11}{'peak':>8}"
        )
        for reader, median in zip(readers, medians, strict=True):
            print(
                f"  {reader:<44}{median.resident:>10.0f}{median.anonymous:>11.0f}{median.peak:>8.0f}",
                flush=True,
            )
        bars.append(Line(f"{table}: MiB of lakeport", medians[0].resident, MEBIBYTES))
    return finish(bars)


if __name__ == "__main__":
    sys.exit(main())

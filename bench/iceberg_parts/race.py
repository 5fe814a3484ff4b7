"""Readers against each other: interleaved fresh processes, medians, ratios, bars.

Every reader must find the same number of rows. Rounds go around all readers before the next begins, so
that a busy minute of the machine hits everybody.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pyarrow as pa

from bench.iceberg_parts import lake, lineitem, measure
from bench.iceberg_parts.measure import Report, Task
from bench.iceberg_parts.readers import Reader
from bench.lineage_parts.clock import Line, show

QUICK_ROWS = 60_000


@dataclass(frozen=True, slots=True)
class Median:
    """Seconds. `wall` and `cpu` are over all runs, `first` is the wait for the first batch."""

    wall: float
    first: float
    cpu: float
    rows: int
    resident: float
    anonymous: float
    peak: float


def is_quick() -> bool:
    """`--quick` reads a small table and only shows the bars: does every reader still run?"""
    return "--quick" in sys.argv[1:]


def prepared() -> lake.Lake:
    made = lake.ready(QUICK_ROWS if is_quick() else lineitem.SCALE_ONE)
    print(f"  {_surroundings()}", flush=True)
    return made


def finish(bars: list[Line]) -> int:
    print()
    return 0 if show(bars) or is_quick() else 1


def measured(task: Task) -> Report:
    program = [sys.executable, measure.__file__, msgspec.json.encode(task).decode()]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{task.reader} failed:\n{done.stderr}")
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=Report)


def race(tasks: Sequence[Task], rounds: int) -> list[Median]:
    """One median per task, in their order."""
    return [_median(found) for found in _reports(tasks, rounds)]


def race_twice(tasks: Sequence[Task], rounds: int) -> tuple[list[Median], list[Median]]:
    """Medians of the first answers of fresh processes, and of their second ones."""
    reports = _reports([replace(task, runs=2) for task in tasks], rounds)
    fresh, again = (
        [[replace(each, runs=each.runs[run : run + 1]) for each in found] for found in reports]
        for run in range(2)
    )
    return [_median(found) for found in fresh], [_median(found) for found in again]


def _reports(tasks: Sequence[Task], rounds: int) -> list[list[Report]]:
    reports: list[list[Report]] = [[] for _ in tasks]
    for _ in range(1 if is_quick() else rounds):
        for task, found in zip(tasks, reports, strict=True):
            found.append(measured(task))
    return reports


def agree(readers: Sequence[Reader], medians: Sequence[Median]) -> None:
    counts = {reader: median.rows for reader, median in zip(readers, medians, strict=True)}
    if len(set(counts.values())) != 1:
        raise AssertionError(f"the readers disagree about the rows: {counts}")


def print_race(title: str, readers: Sequence[Reader], medians: Sequence[Median]) -> None:
    """A line per reader; the last two columns say how many times Lakeport's cost it needs."""
    ours = medians[0]
    print(
        f"\n  {f'{title}, {ours.rows:,} rows':<36}"
        f"{'wall ms':>9}{'cpu ms':>9}{'first ms':>10}{'peak MiB':>10}{'x wall':>8}{'x cpu':>7}"
    )
    for reader, median in zip(readers, medians, strict=True):
        print(
            f"  {reader:<36}{median.wall * 1e3:>9.1f}{median.cpu * 1e3:>9.1f}"
            f"{median.first * 1e3:>10.1f}{median.peak:>10.0f}"
            f"{median.wall / ours.wall:>8.2f}{median.cpu / ours.cpu:>7.2f}",
            flush=True,
        )


def _median(reports: Sequence[Report]) -> Median:
    runs = [run for report in reports for run in report.runs]
    return Median(
        wall=statistics.median([run.wall for run in runs] or [0]),
        first=statistics.median([run.first for run in runs] or [0]),
        cpu=statistics.median([run.cpu for run in runs] or [0]),
        rows=runs[0].rows if runs else 0,
        resident=statistics.median(report.memory.resident for report in reports),
        anonymous=statistics.median(report.memory.anonymous for report in reports),
        peak=statistics.median(report.memory.peak for report in reports),
    )


def _surroundings() -> str:
    """What a ratio may depend on: allocator, cores, who else is here."""
    malloc = {key: value for key, value in os.environ.items() if key.startswith("MALLOC_")}
    pool = os.environ.get("ARROW_DEFAULT_MEMORY_POOL", "not set")
    load = Path("/proc/loadavg").read_text().split()[0]
    return (
        f"Arrow's allocator {pa.default_memory_pool().backend_name} "
        f"(ARROW_DEFAULT_MEMORY_POOL {pool}), malloc settings {malloc or 'none'}, "
        f"page cache warm, {os.cpu_count()} cores, load {load}"
    )

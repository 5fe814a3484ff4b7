"""Planning: one file of 5,000 by a filter, warm and cold, against PyIceberg; and the price of time travel.

All in CPU seconds of all threads. Cold plans run in fresh processes and include loading the table. Travel
is measured on a table whose previous snapshot is another table's current one: the same files, once as
the present, once as the past.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.iceberg_parts import planners
from bench.iceberg_parts.lake import MANY_FILES, MANY_MANIFESTS, ROWS_PER_FILE, Lake
from bench.iceberg_parts.race import finish, is_quick, prepared
from bench.lineage_parts.clock import Line
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import ScanRequest
from lakeport.catalog.reading import read
from lakeport.core.timepoint import AtSnapshot

KEY = MANY_FILES * ROWS_PER_FILE // 2
COLUMNS = ("l_orderkey", "l_suppkey", "l_extendedprice")


def main() -> int:
    lake = prepared()
    return finish([*_plans(lake), *_travels(lake)])


def _plans(lake: Lake) -> list[Line]:
    ours, theirs = planners.lakeport_planner(lake), planners.pyiceberg_planner(lake, is_warm=True)
    print(
        f"\n  {f'plan of {MANY_FILES:,} files in {MANY_MANIFESTS} manifests':<40}{'lakeport ms':>13}{'PyIceberg ms':>14}"
    )
    gains = {}
    for what, key, files in (("one file left", KEY, 1), ("all files", None, MANY_FILES)):
        for plan in (ours, theirs):
            if plan("many", key) != files:
                raise AssertionError(f"{plan} should plan {files} files")
        warm = _alternating(partial(ours, "many", key), partial(theirs, "many", key), 7)
        gains[what] = warm[1] / warm[0]
        _print(f"warm, {what}", *warm)
    cold = _alternating_cold(lake)
    _print("cold, one file left", *cold)
    return [
        Line("plan, warm: PyIceberg / lakeport", gains["one file left"], 30, at_least=True),
        Line("plan, cold: PyIceberg / lakeport", cold[1] / cold[0], 1, at_least=True),
    ]


def _alternating_cold(lake: Lake) -> tuple[float, float]:
    def cold(planner: planners.Planner) -> float:
        program = [sys.executable, planners.__file__, planner, str(lake.folder), str(KEY)]
        seconds, files = subprocess.check_output(program, text=True).split()
        if files != "1":
            raise AssertionError(f"{planner} should plan one file, not {files}")
        return float(seconds)

    pairs = [(cold("lakeport"), cold("pyiceberg")) for _ in range(1 if is_quick() else 5)]
    return _medians(pairs)


def _travels(lake: Lake) -> list[Line]:
    catalog = IcebergCatalog.open(Profile("lake", "sql", lake.uri, lake.warehouse))
    with lake.connect() as pyiceberg:
        snapshot = pyiceberg.load_table("bench.lineitem").metadata.current_snapshot_id
    if snapshot is None:
        raise AssertionError("the bench's table has no snapshot")
    before = AtSnapshot(snapshot)

    def rows(table: str, at: AtSnapshot | None) -> int:
        request = ScanRequest(columns=COLUMNS, at=at)
        with read(catalog.namespace("bench").table(table), request) as stream:
            return sum(batch.num_rows for batch in stream)

    if rows("lineitem", None) != rows("lineitem_deleted", before):
        raise AssertionError("the past should have as many rows as the present")
    plans = _alternating(
        lambda: [planners.plan(catalog, "lineitem") for _ in range(50)],
        lambda: [planners.plan(catalog, "lineitem_deleted", at=before) for _ in range(50)],
        15,
    )
    scans = _alternating(
        lambda: rows("lineitem", None), lambda: rows("lineitem_deleted", before), 15
    )
    print(f"\n  {'time travel, warm, CPU':<40}{'current ms':>13}{'travel ms':>14}")
    _print("50 plans", *plans)
    _print("plan and read of 3 columns", *scans)
    return [
        Line("plans: travel / current", plans[1] / plans[0], 1.05),
        Line("3 columns: travel / current", scans[1] / scans[0], 1.05),
    ]


def _alternating(
    first: Callable[[], object], second: Callable[[], object], rounds: int
) -> tuple[float, float]:
    """Median CPU seconds of both, after a round to warm up; each goes first in every other round."""
    pairs = []
    for number in range((1 if is_quick() else rounds) + 1):
        if number % 2:
            pairs.append((_cpu(first), _cpu(second)))
        else:
            later = _cpu(second)
            pairs.append((_cpu(first), later))
    return _medians(pairs[1:])


def _medians(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    firsts, seconds = zip(*pairs, strict=True)
    return statistics.median(firsts), statistics.median(seconds)


def _cpu(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _print(what: str, first: float, second: float) -> None:
    print(f"  {what:<40}{first * 1e3:>13.2f}{second * 1e3:>14.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

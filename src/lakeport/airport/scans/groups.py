"""How many endpoints a scan has: enough for every thread of a client, not more calls than that.

A split is about 128 MB of files (`catalog/iceberg/parts.py`). DuckDB reads as many endpoints at a time
as it has threads, each of them a call of its own.
"""

from __future__ import annotations

from lakeport.airport.scans.tickets import Ranges, ranges_of
from lakeport.catalog.ports import ScanPlan

MOST = 32


def grouped(plan: ScanPlan, most: int = MOST) -> tuple[tuple[Ranges, int | None], ...]:
    """The parts of each endpoint, neighbours together, and about how many rows they hold."""
    count = min(most, len(plan.splits))
    every = sum(len(split.parts) for split in plan.splits)
    groups = []
    for index in range(count):
        first, end = (len(plan.splits) * edge // count for edge in (index, index + 1))
        parts = [part for split in plan.splits[first:end] for part in split.parts]
        rows = None if plan.rows is None else max(1, plan.rows * len(parts) // max(1, every))
        groups.append((ranges_of(parts), rows))
    return tuple(groups)

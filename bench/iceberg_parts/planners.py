"""Planning without reading, by Lakeport and by PyIceberg; as a program, one cold plan in this process.

Cold means that nothing of the table is known: the CPU seconds include loading its metadata. Code and
catalog connection were warmed by a plan of a tiny table.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))  # run as a program

import pyarrow as pa
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.expressions.parser import parse
from pyiceberg.table import Table

from bench.iceberg_parts.lake import Lake
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import Scannable, ScanPlan, ScanRequest, require
from lakeport.catalog.predicates import Compare, Op
from lakeport.core.timepoint import TimePoint

Planner: TypeAlias = Literal["lakeport", "pyiceberg"]
# How many files a plan of `bench.<table>` reads for one order key, or for all rows.
Plan: TypeAlias = Callable[[str, int | None], int]


def lakeport_planner(lake: Lake) -> Plan:
    catalog = IcebergCatalog.open(Profile("lake", "sql", lake.uri, lake.warehouse))
    return lambda table, key: files_of(plan(catalog, table, key))


def plan(
    catalog: IcebergCatalog, table: str, key: int | None = None, at: TimePoint | None = None
) -> ScanPlan:
    predicate = None if key is None else Compare("l_orderkey", Op.EQ, pa.scalar(key))
    source = require(catalog.namespace("bench").table(table), Scannable, table)
    return source.plan(ScanRequest(predicate=predicate, at=at))


def files_of(plan: ScanPlan) -> int:
    return sum(len(split.parts) for split in plan.splits)


def pyiceberg_planner(lake: Lake, *, is_warm: bool = False) -> Plan:
    """Warm, a table once loaded is kept: PyIceberg's own way to save the time."""
    catalog = lake.connect()
    kept: dict[str, Table] = {}

    def plan(name: str, key: int | None) -> int:
        table = kept.get(name) or catalog.load_table(f"bench.{name}")
        if is_warm:
            kept[name] = table
        wanted = AlwaysTrue() if key is None else parse(f"l_orderkey = {key}")
        return len(list(table.scan(row_filter=wanted).plan_files()))

    return plan


def main(planner: str, folder: str, key: int) -> None:
    make = lakeport_planner if planner == "lakeport" else pyiceberg_planner
    cold = make(Lake(Path(folder)))
    cold("tiny", 1)
    start = time.process_time()
    files = cold("many", key)
    print(f"{time.process_time() - start} {files}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

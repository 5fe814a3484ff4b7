"""From which size on it pays to write the files of a table anew: what it costs, and what readers get for it.

Each table has a few files, one less than would be joined for their number, and in each of them a fifth of the
rows is deleted, which is twice the share from which a file is written anew. A scan of it is set against one of
the compacted table, in turns and in processor time. The compaction is paid back after as many scans as its cost
holds their difference; if a run merges into it again before that, it was for nothing. A run that maintains its
tables after itself leaves alone what is below the floor, the bytes of which stand in `app/maintain/after.py`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import pyarrow as pa

import lakeport
from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line
from lakeport.app.lake.lake import Lake
from lakeport.app.maintain.after import LEAST_BYTES
from lakeport.catalog.ports import Maintainable, require
from lakeport.catalog.reports.figures import figures_of
from lakeport.catalog.upkeep import Policy
from lakeport.core.timepoint import AtSnapshot

SIZES = (100, 10_000, 50_000, 200_000, 1_000_000)
FILES = 7
DELETED = 5
"""One row in so many."""
SCANS = 9
AFTER = 10.0
"""So many scans at least must go by between two runs before a compaction below the floor is paid back.

Set before the first measurement, which missed it for the smallest tables (2.6 and 4.5 scans of 100 and 10,000
rows, machine busy). What speaks for the floor there is how little is lost, a few milliseconds for each scan.
"""


@dataclass(frozen=True, slots=True)
class Found:
    bytes: int
    before: float
    after: float
    compaction: float

    @property
    def paid_after(self) -> float:
        gain = self.before - self.after
        return self.compaction / gain if gain > 0 else float("inf")


def main() -> int:
    print(f"  {FILES} files, 1 row in {DELETED} deleted, load {os.getloadavg()[0]:.1f}\n")
    print(
        f"  {'rows':>9}{'size':>10}{'scan':>9}{'compacted':>11}{'x':>7}{'lost':>9}{'compaction':>12}  paid after"
    )
    bars = []
    for rows in SIZES[:2] if is_quick() else SIZES:
        found = _measured(rows)
        print(
            f"  {rows:>9,}{found.bytes / 1024:>7,.0f} kB{found.before * 1e3:>6.1f} ms"
            f"{found.after * 1e3:>8.1f} ms{found.before / found.after:>7.2f}"
            f"{(found.before - found.after) * 1e3:>6.1f} ms{found.compaction * 1e3:>9.0f} ms"
            f"{found.paid_after:>7.0f} scans",
            flush=True,
        )
        if found.bytes < LEAST_BYTES:
            what = f"{rows:,} rows: scans that pay for their compaction"
            bars.append(Line(what, found.paid_after, AFTER, at_least=True))
    return finish(bars)


def _measured(rows: int) -> Found:
    with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as folder:
        Path(folder, "lakeport.toml").touch()
        with lakeport.open(folder) as lake:
            return _raced(lake, rows)


def _raced(lake: Lake, rows: int) -> Found:
    table = lake.create_table("shop.t", _some(0, 1).schema)
    step = rows // FILES
    for number in range(FILES):
        table.append(_some(number * step, step))
    table.delete(f"id % {DELETED} = 0")
    merged = table.port.state().snapshot_id
    if merged is None:
        raise AssertionError("nothing was written")
    held = figures_of(next(s.summary for s in table.history() if s.snapshot_id == merged))
    then = AtSnapshot(merged)
    table.scan().read_all()  # whatever is loaded at the first scan of all
    start = time.process_time()
    done = require(table.port, Maintainable, "it").compact(Policy(force=True))
    took = time.process_time() - start
    if done.rewritten != FILES:
        raise AssertionError(f"{done.rewritten} files were written anew")
    before = after = float("inf")
    for _ in range(SCANS):
        before = min(before, _cpu(lambda: table.scan(at=then).read_all()))
        after = min(after, _cpu(lambda: table.scan().read_all()))
    return Found(held.bytes or 0, before, after, took)


def _some(first: int, count: int) -> pa.Table:
    ids = range(first, first + count)
    notes = [f"note {number * 2654435761 % 2**32:08x} of an order" for number in ids]
    amounts = [number * 7 % 10_000 / 100 for number in ids]
    return pa.table({"id": pa.array(ids, pa.int64()), "note": notes, "amount": amounts})


def _cpu(read: Callable[[], pa.Table]) -> float:
    start = time.process_time()
    read()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())

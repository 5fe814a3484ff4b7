"""How a table that is merged into gets slower to read, and what compaction gives back.

Each merge goes through the engine, on Spark, and replaces one row in a hundred, all over the table: deletes are
noted beside files, new rows are a file more. The table holds as many rows as before, so every scan is set
against one of the unmerged table, its first snapshot, in turns with it and in processor time. Compaction is what `maintain` does;
after it the table is rolled back, so that the next merge finds what the one before it left.

Spark joins the deletes of a file as it goes; a DELETE of ours adds a delete file that is about all of them. So
the second table is about their number alone.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog

import lakeport
from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line
from lakeport.app.lake.lake import Lake
from lakeport.app.maintain.policy import policy_of
from lakeport.app.settings.sections import Maintenance
from lakeport.catalog.ports import Maintainable, require
from lakeport.catalog.reports.figures import Figures, figures_of
from lakeport.catalog.upkeep import Task
from lakeport.core.timepoint import AtSnapshot

ROWS, FILES = 1_000_000, 10
SHARE = 100
"""One row in so many is replaced by a merge."""
LOOKS = (1, 5, 8, 10, 20, 50)
COMPACTED = (1, 10, 50)
DELETES = (1, 8, 32)
MERGED, DELETED = "shop.merged", "shop.deleted"
GIVEN_BACK = 1.25
BEARABLE, BEFORE_DUE = 1.5, 5

_ROWS = """SELECT id, id % 1000 AS customer, CAST(id * 7 % 10000 / 100 AS DECIMAL(9, 2)) AS amount,
    concat('{note} ', sha1(CAST(id AS STRING))) AS note
FROM range({first}, {end}, 1, 1)"""


@dataclass(frozen=True, slots=True)
class Look:
    """Processor seconds of a scan, the least of some, the seconds of the first, and how many times
    the least of the unmerged table it is.
    """

    cpu: float
    first: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Scene:
    """A table and its two readers."""

    lake: Lake
    client: RestCatalog
    table: str

    def look(self, rows: int, unmerged: int, unmerged_rows: int) -> dict[str, Look]:
        """`unmerged` is a snapshot."""

        def ours(at: AtSnapshot | None = None) -> pa.Table:
            return self.lake.table(self.table).scan(at=at).read_all()

        def theirs(at: int | None = None) -> pa.Table:
            found: pa.Table = self.client.load_table(self.table).scan(snapshot_id=at).to_arrow()
            return found

        then = AtSnapshot(unmerged)
        return {
            "lakeport": _look(ours, rows, lambda: ours(then), unmerged_rows),
            "pyiceberg": _look(theirs, rows, lambda: theirs(unmerged), unmerged_rows),
        }

    @property
    def figures(self) -> Figures:
        table = self.lake.table(self.table)
        now = table.port.state().snapshot_id
        return figures_of(next(s.summary for s in table.history() if s.snapshot_id == now))

    def print(self, what: str, looks: dict[str, Look], note: str) -> None:
        held = self.figures
        files = f"{held.data_files:>5}{held.delete_files:>8}{held.deleted_rows:>9,}"
        cells = "".join(
            f"   {look.cpu * 1e3:>7.0f}{look.ratio:>6.2f}{look.first * 1e3:>7.0f}"
            for look in looks.values()
        )
        print(f"  {what:<13}{files}{cells}   {note}", flush=True)


def main() -> int:
    rows = 100_000 if is_quick() else ROWS
    with _opened() as lake, lake.rest() as door:
        client = RestCatalog("through", **door.for_pyiceberg())
        bars = _merges(Scene(lake, client, MERGED), rows)
        _deletes(Scene(lake, client, DELETED), rows)
        client.close()
    return finish(bars)


def _merges(scene: Scene, rows: int) -> list[Line]:
    bars: list[Line] = []
    looks = (1, 2) if is_quick() else LOOKS
    unmerged = _begun(scene, rows, f"1 in {SHARE} replaced by each merge")
    for number in range(1, max(looks) + 1):
        made = _ROWS.format(note=f"merge {number}", first=0, end=rows)
        query = f"{made}\nWHERE id % {SHARE} = {number}"
        scene.lake.write(query, into=scene.table, unique_key="id")
        if number not in looks:
            continue
        merged = scene.look(rows, unmerged, rows)
        scene.print(f"{number} merges", merged, _due(scene))
        if number == BEFORE_DUE:
            ratio = merged["lakeport"].ratio
            bars.append(Line(f"lakeport: {number} merges / unmerged", ratio, BEARABLE))
        if number not in COMPACTED:
            continue
        with _compacted(scene) as took:
            after = scene.look(rows, unmerged, rows)
            scene.print("  compacted", after, f"took {took:.1f} CPU s")
        # PyIceberg's is printed and has no bar: how it plans a scan is its own affair.
        ratio = after["lakeport"].ratio
        bars.append(Line(f"lakeport: {number} merges, compacted / unmerged", ratio, GIVEN_BACK))
    return bars


def _deletes(scene: Scene, rows: int) -> None:
    print()
    looks = (1, 2) if is_quick() else DELETES
    few = rows // 100
    undeleted = _begun(scene, rows, f"1 in {few:,} deleted by each DELETE of ours")
    for number in range(1, max(looks) + 1):
        scene.lake.table(scene.table).delete(f"id % {few} = {number}")
        if number in looks:
            left = rows - number * (rows // few)
            looked = scene.look(left, undeleted, rows)
            scene.print(f"{number} DELETEs", looked, _due(scene))


def _begun(scene: Scene, rows: int, what: str) -> int:
    """The snapshot with all the rows."""
    step = rows // FILES
    for first in range(0, rows, step):
        query = _ROWS.format(note="first", first=first, end=first + step)
        scene.lake.write(query, into=scene.table)
    # The files of a large table, on a small scale: as large as they should be, none of them small.
    size = f"'write.target-file-size-bytes' = '{(scene.figures.bytes or 0) // FILES}'"
    scene.lake.spark().sql(f"ALTER TABLE {scene.table} SET TBLPROPERTIES ({size})")
    load = os.getloadavg()[0]
    print(f"  {rows:,} rows in {FILES} files, {what}, load {load:.1f}\n")
    print(
        f"  {'':<13}{'data':>5}{'delete':>8}{'deleted':>9}   {'lakeport':^20}   {'pyiceberg':^20}\n"
        f"  {'':<13}{'files':>5}{'files':>8}{'rows':>9}"
        + f"   {'cpu ms':>7}{'x':>6}{'first':>7}" * 2
        + "   compaction"
    )
    now = scene.lake.table(scene.table).port.state().snapshot_id
    if now is None:
        raise AssertionError("nothing was written")
    scene.print("at first", scene.look(rows, now, rows), _due(scene))
    return now


@contextmanager
def _opened() -> Iterator[Lake]:
    with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as folder:
        Path(folder, "lakeport.toml").touch()
        with lakeport.open(folder) as lake:
            yield lake


def _look(
    read: Callable[[], pa.Table], rows: int, other: Callable[[], pa.Table], other_rows: int
) -> Look:
    first, least, others = 0.0, float("inf"), float("inf")
    for _ in range(2 if is_quick() else 5):
        wall, cpu = _scanned(read, rows)
        first, least = first or wall, min(least, cpu)
        others = min(others, _scanned(other, other_rows)[1])
    return Look(least, first, least / others)


def _scanned(read: Callable[[], pa.Table], rows: int) -> tuple[float, float]:
    cpu, start = time.process_time(), time.perf_counter()
    found = read()
    took = time.perf_counter() - start, time.process_time() - cpu
    if found.num_rows != rows or len(found.column("id").unique()) != rows:
        raise AssertionError(f"{found.num_rows} rows were read, and {rows} are there")
    return took


def _due(scene: Scene) -> str:
    for task in _maintainable(scene).due(policy_of(Maintenance())):
        if task.task is Task.COMPACT:
            return task.reason if task.is_due else "not due"
    raise AssertionError("compaction is a task of every table")


@contextmanager
def _compacted(scene: Scene) -> Iterator[float]:
    """In the block, and after it not any more; gives what it took."""
    before = scene.lake.table(scene.table).port.state().snapshot_id
    start = time.process_time()
    _maintainable(scene).compact(policy_of(Maintenance(), force=True))
    yield time.process_time() - start
    words = f"table => '{scene.table}', snapshot_id => {before}"
    scene.lake.spark().sql(f"CALL lake.system.rollback_to_snapshot({words})").collect()


def _maintainable(scene: Scene) -> Maintainable:
    return require(scene.lake.table(scene.table).port, Maintainable, scene.table)


if __name__ == "__main__":
    sys.exit(main())

"""Random lives of a table: rows come, change and go, and upkeep happens whenever it likes.

The model is a plain list of rows per snapshot. Whatever upkeep did, every snapshot and ref that is left
must hold what the model says, and no file may be left that nothing names.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pyarrow as pa

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import NamespaceInfo, Ref, ScanRequest
from lakeport.catalog.reading import read
from lakeport.catalog.statements import delete_where, insert_rows, update_where
from lakeport.catalog.upkeep import Policy
from lakeport.core.timepoint import AtRef, AtSnapshot, TimePoint
from tests.behaviours.lake import schema_of

Row = tuple[int, str]

SCHEMA = schema_of(k=pa.int64(), g=pa.string())
LAYOUTS = (
    Definition(SCHEMA),
    Definition(SCHEMA, partitioned_by=("g",)),
    Definition(SCHEMA, sorted_by=("k DESC",)),
    Definition(SCHEMA, partitioned_by=("bucket(3, k)",), sorted_by=("g",)),
)


class Life:
    def __init__(self, catalog: IcebergCatalog, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311  a test that comes out the same each time
        catalog.create_namespace(NamespaceInfo("s"))
        layout = LAYOUTS[seed % len(LAYOUTS)]
        self.table: IcebergTable = catalog.namespace("s").create_table("t", layout)
        self.now: list[Row] = []
        self.then: dict[int, list[Row]] = {}
        self.refs: dict[str, int] = {}
        self.next = 0

    def live(self, steps: int) -> None:
        changes: list[Callable[[], None]] = [self.append] * 4 + [self.delete, self.update]
        changes += [self.tag, self.branch, self.drop_ref]
        upkeep: list[Callable[[], None]] = [self.expire, self.compact, self.join, self.sweep]
        for _ in range(steps):
            self.random.choice(self.random.choice([changes, changes, upkeep]))()
            self.note()
        for task in self.random.sample(upkeep, len(upkeep)):
            task()
            self.note()
            self.check()
        self.table.remove_orphans(grace=0)
        self.check()

    # -- what users do ---------------------------------------------------------------------------

    def append(self) -> None:
        rows = [
            (self.next + at, self.random.choice("abc")) for at in range(self.random.randint(1, 6))
        ]
        self.next += len(rows)
        self.now += rows
        insert_rows(self.table, pa.Table.from_pylist([{"k": k, "g": g} for k, g in rows], SCHEMA))

    def delete(self) -> None:
        remainder = self.random.randint(0, 4)
        self.now = [row for row in self.now if row[0] % 5 != remainder]
        delete_where(self.table, f"k % 5 = {remainder}")

    def update(self) -> None:
        remainder = self.random.randint(0, 3)
        self.now = [(k, "d" if k % 4 == remainder else g) for k, g in self.now]
        update_where(self.table, {"g": "'d'"}, f"k % 4 = {remainder}")

    def tag(self) -> None:
        self._ref("tag")

    def branch(self) -> None:
        self._ref("branch")

    def _ref(self, kind: str) -> None:
        history = self.table.history()
        if history:
            chosen = self.random.choice(list(history)).snapshot_id
            name = f"{kind}-{len(self.refs)}-{chosen}"
            if name not in self.refs:
                self.refs[name] = chosen
                self.table.create_ref(Ref(name, "tag" if kind == "tag" else "branch", chosen))

    def drop_ref(self) -> None:
        if self.refs:
            name = self.random.choice(sorted(self.refs))
            del self.refs[name]
            self.table.drop_ref(name)

    # -- upkeep ----------------------------------------------------------------------------------

    def expire(self) -> None:
        self.table.expire(keep=self.random.randint(1, 4))

    def compact(self) -> None:
        self.table.compact(Policy(force=self.random.random() < 0.5, small_files=2))

    def join(self) -> None:
        self.table.rewrite_manifests(Policy(force=True))

    def sweep(self) -> None:
        assert self.table.remove_orphans(grace=0).files == 0

    # -- the model -------------------------------------------------------------------------------

    def note(self) -> None:
        """Upkeep may have made several snapshots of the same rows."""
        for info in self.table.history():
            self.then.setdefault(info.snapshot_id, sorted(self.now))

    def check(self) -> None:
        assert self.rows() == sorted(self.now)
        for info in self.table.history():
            assert self.rows(AtSnapshot(info.snapshot_id)) == self.then[info.snapshot_id]
        for name, snapshot_id in self.refs.items():
            assert self.rows(AtRef(name)) == self.then[snapshot_id]

    def rows(self, at: TimePoint | None = None) -> list[Row]:
        with read(self.table, ScanRequest(at=at)) as stream:
            return sorted((row["k"], row["g"]) for row in stream.read_all().to_pylist())

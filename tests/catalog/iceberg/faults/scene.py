"""A lake on which one writer after the other is killed, and what must be true of it each time.

What was acknowledged is there once, the rest is whole or not there; the next writer waits for nobody; what
the dead left behind is found, all of it and nothing else, and goes.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import NamespaceInfo, ScanRequest
from lakeport.catalog.reading import read
from lakeport.catalog.statements import insert_rows
from lakeport.core.timepoint import AtSnapshot
from tests.catalog.iceberg.faults.leftovers import path_of, unnamed
from tests.catalog.iceberg.faults.victim import SCHEMA, Rows, profile


@dataclass
class Witness:
    """What the writer said it did: the rows it was told are safe, and the statement it died in."""

    rows: Rows
    pending: Rows | None = None
    reached: Counter[str] = field(default_factory=Counter)
    _kind: str = ""

    def hear(self, line: str) -> str:
        said = json.loads(line)
        point = str(said["point"])
        self.reached[point] += 1
        if point == "staged":
            self._kind = said["kind"]
            self.pending = self._applied({int(key): int(value) for key, value in said["rows"]})
        elif point == "acknowledged":
            assert self.pending is not None
            self.rows, self.pending = self.pending, None
        return point

    def _applied(self, rows: Rows) -> Rows:
        if self._kind == "delete":
            return {key: value for key, value in self.rows.items() if key not in rows}
        return {**self.rows, **rows}

    def is_possible(self, found: Rows) -> bool:
        return found in (self.rows, self.pending)


@dataclass(frozen=True)
class Scene:
    """A lake on which one writer after the other dies."""

    folder: Path
    rows: Rows = field(default_factory=dict)

    def open(self) -> IcebergCatalog:
        return IcebergCatalog(profile(self.folder))

    @classmethod
    def prepared(cls, folder: Path) -> Self:
        made = cls(folder)
        with made.open() as catalog:
            catalog.create_namespace(NamespaceInfo("shop"))
            table = catalog.namespace("shop").create_table("orders", Definition(SCHEMA))
            first = {key: key for key in range(1, 9)}
            insert_rows(table, [{"id": key, "value": value} for key, value in first.items()])
            made.rows.update(first)
        return made

    def judge(self, witness: Witness, point: str, seed: int) -> None:
        """After the end of a writer at this point."""
        with self.open() as catalog:
            table = catalog.namespace("shop").table("orders")
            found = rows_of(table)
            assert witness.is_possible(found), (found, witness)
            if point in {"staged", "committing", "swapping"}:
                assert found == witness.rows, "a statement that was not committed is there"
            elif point == "swapped":
                assert found == witness.pending, "a statement that was committed is not there"
            self.rows.clear()
            self.rows.update(found)
            self._go_on(table, seed)
            self._clean(catalog, table)

    def _go_on(self, table: IcebergTable, seed: int) -> None:
        """The next writer needs to wait for nobody."""
        insert_rows(table, [{"id": seed, "value": -seed}])
        self.rows[seed] = -seed
        assert rows_of(table) == self.rows

    def _clean(self, catalog: IcebergCatalog, table: IcebergTable) -> None:
        """What the dead left is found, all of it and nothing else, and goes."""
        stored = catalog.pyiceberg.load_table(("shop", "orders"))
        left = unnamed(stored)
        assert {path_of(orphan.path) for orphan in table.orphans(grace=0)} == left
        assert table.remove_orphans(grace=0).files == len(left)
        assert list(table.orphans(grace=0)) == []
        assert not unnamed(stored)
        table.expire(keep=10)  # or thirty rounds would read thousands of snapshots
        for info in table.history():
            with read(table, ScanRequest(at=AtSnapshot(info.snapshot_id))) as stream:
                stream.read_all()
        assert rows_of(table) == self.rows


def rows_of(table: IcebergTable) -> Rows:
    with read(table) as stream:
        found = [(int(row["id"]), int(row["value"])) for row in stream.read_all().to_pylist()]
    rows = dict(found)
    assert len(rows) == len(found), "a row is there twice"
    return rows

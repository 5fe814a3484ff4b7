"""A writer in a process of its own that says where it is, so that it can be killed right there.

Every line it writes is a point of one statement: `staged` (rows are in files), `committing` (the catalog
is asked to swap), `swapping` (inside the database's transaction), `swapped` (the catalog has answered) and
`acknowledged` (the user was told). It waits for a line back at each; told to run freely it waits no more
and dies wherever the kill meets it. Run with `-m`, from the root of the repository.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import event

from lakeport.catalog.definition import ROW_ID_FIELD
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import (
    Deletable,
    Insertable,
    Scannable,
    ScanRequest,
    Table,
    Updatable,
)
from lakeport.catalog.reading import read
from lakeport.core.names import ROW_ID

SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("value", pa.int64())])
POINTS = ("staged", "committing", "swapping", "swapped", "acknowledged")

Rows = dict[int, int]


def profile(folder: Path) -> Profile:
    return Profile("lake", "embedded", f"sqlite:///{folder / 'catalog.db'}", f"{folder}/warehouse")


def watch_commits(catalog: IcebergCatalog, tell: Callable[[str], None]) -> None:
    """Tell when the catalog is asked, when its database is about to commit, and when it answers."""
    native: Any = catalog.pyiceberg
    commit_table = native.commit_table
    is_asked = False

    def watched(*arguments: Any, **options: Any) -> Any:
        nonlocal is_asked
        tell("committing")
        is_asked = True
        answer = commit_table(*arguments, **options)
        is_asked = False
        tell("swapped")
        return answer

    def about_to_commit(_: object) -> None:
        if is_asked:
            tell("swapping")

    native.commit_table = watched
    if isinstance(native, SqlCatalog):
        event.listen(native.engine, "commit", about_to_commit)


class Prey(Scannable, Insertable, Updatable, Deletable, Table, Protocol):
    """A table that statements can be made on."""


class Victim:
    """`at` is told every point of its statements, and may never return."""

    def __init__(self, table: Prey, seed: int, at: Callable[..., None]) -> None:
        self._table = table
        self._rng = random.Random(seed)  # noqa: S311 # repeatable, not secret
        self._next = seed * 1_000_000
        self._at = at

    def run(self) -> None:
        while True:
            rows, ids = self._read()
            kinds = [self._insert] + ([self._update, self._delete] if len(rows) > 4 else [])
            self._rng.choice(kinds)(rows, ids)

    # -- statements ------------------------------------------------------------------------------

    def _insert(self, _: Rows, __: dict[int, int]) -> None:
        added = {self._fresh(): self._fresh() for _ in range(6)}
        with self._table.insert() as write:
            for key, value in added.items():  # a batch each: half a statement would show
                write.add(pa.RecordBatch.from_pylist([{"id": key, "value": value}], SCHEMA))
            self._end("insert", write.commit, added)

    def _update(self, rows: Rows, ids: dict[int, int]) -> None:
        changed = {key: self._fresh() for key in self._rng.sample(sorted(rows), 3)}
        fields = pa.schema([SCHEMA.field("value"), ROW_ID_FIELD])
        with self._table.update() as write:
            for key, value in changed.items():
                arrays = [pa.array([value]), pa.array([ids[key]])]
                write.add(pa.RecordBatch.from_arrays(arrays, schema=fields))
            self._end("update", write.commit, changed)

    def _delete(self, rows: Rows, ids: dict[int, int]) -> None:
        gone = self._rng.sample(sorted(rows), 2)
        with self._table.delete() as write:
            for key in gone:
                write.add(
                    pa.RecordBatch.from_arrays(
                        [pa.array([ids[key]])], schema=pa.schema([ROW_ID_FIELD])
                    )
                )
            self._end("delete", write.commit, dict.fromkeys(gone, 0))

    def _end(self, kind: str, commit: Callable[[], object], rows: Rows) -> None:
        self._at("staged", kind=kind, rows=list(rows.items()))
        commit()
        self._at("acknowledged")

    def _read(self) -> tuple[Rows, dict[int, int]]:
        with read(self._table, ScanRequest(row_ids=True)) as stream:
            found = stream.read_all().to_pylist()
        return (
            {row["id"]: row["value"] for row in found},
            {row["id"]: row[ROW_ID] for row in found},
        )

    def _fresh(self) -> int:
        self._next += 1
        return self._next


def say(point: str, *, waits: bool, **more: object) -> None:
    sys.stdout.write(json.dumps({"point": point, **more}) + "\n")
    sys.stdout.flush()
    if waits and not sys.stdin.readline():
        raise SystemExit


def main(folder: str, seed: str, mode: str) -> None:
    at = partial(say, waits=mode == "waits")
    with IcebergCatalog(profile(Path(folder))) as catalog:
        watch_commits(catalog, at)
        Victim(catalog.namespace("shop").table("orders"), int(seed), at).run()


if __name__ == "__main__":
    main(*sys.argv[1:])

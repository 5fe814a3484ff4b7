"""DELETE and UPDATE of few rows of a large table beside PyIceberg, which rewrites the files they are in.

One row of a million, and a hundred thousand of lineitem's six million: once rows that lie together, once
rows all over the table. Both change the same table, as one INSERT of Lakeport leaves it (few files of the
usual size, row groups of 122,880 rows), in one process and by turns; wall time, medians. Every round starts
from the unchanged table. PyIceberg is given the new rows; Lakeport reads and computes them, as
`UPDATE … SET … WHERE …` does. A full scan before and after shows what the deletes cost a reader.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table

from bench.iceberg_parts import lineitem
from bench.iceberg_parts.race import QUICK_ROWS, finish, is_quick
from bench.lineage_parts.clock import Line
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.iceberg.table import IcebergTable
from lakeport.catalog.ports import NamespaceInfo
from lakeport.catalog.reading import read
from lakeport.catalog.statements import delete_where, insert_rows, update_where

ROUNDS = 3
UPDATED = 100_000
ASSIGNMENTS = {"l_tax": "l_tax + 0.01", "l_comment": "upper(l_comment)"}


_SUPPLIERS = 10_000

T = TypeVar("T")
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Lake:
    theirs: SqlCatalog
    ours: IcebergCatalog

    def copy(self, name: str) -> str:
        """The table as it was written, under a name of its own."""
        original = self.theirs.load_table(f"bench.{name}").metadata_location
        copied = f"bench.{name}_{next(_numbers)}"
        self.theirs.register_table(copied, original)
        return copied

    def table(self, name: str) -> IcebergTable:
        namespace, _, table = name.partition(".")
        return self.ours.namespace(namespace).table(table)


def main() -> int:
    six_million = QUICK_ROWS if is_quick() else lineitem.SCALE_ONE
    million = six_million // 6
    with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as folder:
        uri, warehouse = f"sqlite:///{folder}/catalog.db", Path(folder).as_uri()
        theirs = SqlCatalog("lake", uri=uri, warehouse=warehouse)
        profile = Profile("lake", "embedded", uri, warehouse)
        with closing(theirs), IcebergCatalog(profile) as ours:
            lake = Lake(theirs, ours)
            ours.create_namespace(NamespaceInfo("bench"))
            _write(ours, "million", million)
            _write(ours, "lineitem", six_million)
            return finish([_delete_one(lake), *_update_many(lake, six_million)])


def _write(catalog: IcebergCatalog, name: str, rows: int) -> None:
    table = catalog.namespace("bench").create_table(name, Definition(lineitem.SCHEMA))
    batches = (batch for part in lineitem.parts(rows) for batch in part.to_batches(65_536))
    insert_rows(table, batches)
    print(f"  {name}: {rows:,} rows in {_files(table)} files", flush=True)


def _files(table: IcebergTable) -> str:
    return table.history()[-1].summary["total-data-files"]


# -- what is compared ----------------------------------------------------------------------------


def _delete_one(lake: Lake) -> Line:
    rows = lake.theirs.load_table("bench.million").scan(limit=200_000).to_arrow()
    row = rows.slice(rows.num_rows // 2, 1)
    key, number = row["l_orderkey"][0], row["l_linenumber"][0]
    where = f"l_orderkey = {key} AND l_linenumber = {number}"
    theirs, ours = _by_turns(
        lake,
        "million",
        "delete 1 row of 1 M",
        lambda table: table.delete(where),
        lambda table: _require(delete_where(table, where).rows, 1),
    )
    return Line("delete 1 row of 1 M: PyIceberg / lakeport", theirs / ours, 10, at_least=True)


def _update_many(lake: Lake, rows: int) -> list[Line]:
    conditions = {
        "together": _key_range(lake, rows),
        "all over": f"l_suppkey <= {round(_SUPPLIERS * UPDATED / rows)}",
    }
    bars = []
    for kind, where in conditions.items():
        title = f"update 100 k of 6 M, {kind}"
        theirs, ours = _update(lake, title, where)
        bars.append(Line(f"{title}: PyIceberg / lakeport", theirs / ours, 5, at_least=True))
    return bars


def _update(lake: Lake, title: str, where: str) -> tuple[float, float]:
    fresh = _new_rows(lake.theirs.load_table("bench.lineitem").scan(where).to_arrow())
    return _by_turns(
        lake,
        "lineitem",
        f"{title} ({fresh.num_rows:,} rows)",
        lambda table: table.overwrite(fresh, where),
        lambda table: _require(update_where(table, ASSIGNMENTS, where).rows, fresh.num_rows),
    )


def _key_range(lake: Lake, rows: int) -> str:
    """Keys of about as many rows, in the middle of the table."""
    scan = lake.theirs.load_table("bench.lineitem").scan(selected_fields=("l_orderkey",))
    keys = np.sort(scan.to_arrow()["l_orderkey"].to_numpy())
    low, high = keys[rows // 2], keys[min(rows // 2 + UPDATED, rows - 1)]
    return f"l_orderkey >= {low} AND l_orderkey < {high}"


def _new_rows(rows: pa.Table) -> pa.Table:
    columns = dict(zip(rows.schema.names, rows.columns, strict=True))
    cent = pa.scalar(Decimal("0.01"), rows.schema.field("l_tax").type)
    columns["l_tax"] = pc.add(columns["l_tax"], cent).cast(cent.type)
    columns["l_comment"] = pc.utf8_upper(columns["l_comment"])
    return pa.table(columns)


# -- how it is measured --------------------------------------------------------------------------


def _by_turns(
    lake: Lake,
    name: str,
    title: str,
    theirs: Callable[[Table], object],
    ours: Callable[[IcebergTable], object],
) -> tuple[float, float]:
    """Median seconds of both, after a rehearsal."""
    taken: dict[str, list[float]] = {"pyiceberg": [], "lakeport": [], "before": [], "after": []}
    for _ in range(1 if is_quick() else 1 + ROUNDS):
        native = lake.theirs.load_table(lake.copy(name))
        taken["pyiceberg"].append(_seconds(theirs, native))
        table = lake.table(lake.copy(name))
        taken["before"].append(_seconds(_scan, table))
        taken["lakeport"].append(_seconds(ours, table))
        taken["after"].append(_seconds(_scan, table))
    medians = {who: statistics.median(found[1:] or found) for who, found in taken.items()}
    print(f"\n  {title:<52}{'wall ms':>9}")
    for who in ("pyiceberg", "lakeport"):
        print(f"  {who:<52}{medians[who] * 1e3:>9.1f}")
    scans = f"{medians['before'] * 1e3:>9.1f} → {medians['after'] * 1e3:.1f}"
    print(f"  {'lakeport: a full scan before and after':<52}{scans}", flush=True)
    return medians["pyiceberg"], medians["lakeport"]


def _scan(table: IcebergTable) -> int:
    with read(table) as stream:
        return sum(batch.num_rows for batch in stream)


def _seconds(work: Callable[[T], object], subject: T) -> float:
    start = time.perf_counter()
    work(subject)
    return time.perf_counter() - start


def _require(found: int, expected: int) -> None:
    if found != expected:
        raise AssertionError(f"{found} rows were changed instead of {expected}")


if __name__ == "__main__":
    sys.exit(main())

"""Changing rows over the wire, beside what the same costs without a wire.

INSERT of a million rows of lineitem's sixteen columns in batches of 2,048, as DuckDB sends them, beside
`pq.write_table` of the same rows (zstd, row groups of 122,880). One-row INSERT, UPDATE and DELETE, the
last two with the scan that finds their row, beside PyIceberg on local files: into a young table and one of 300
commits. Eight clients at once beside eight threads of PyIceberg with a lock, which make as many commits. UPDATE of 100,000 of six million
rows, together and all over, with its scan, beside PyIceberg's overwrite, which is given the new rows. The server is a process
of its own; wall time, medians.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from decimal import Decimal
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog

from bench.airport_parts.writing import BATCH_ROWS, Client, served
from bench.iceberg_parts import appenders, lineitem
from bench.iceberg_parts.appenders import NAME, appender, count, history, locked, new_lake
from bench.iceberg_parts.race import QUICK_ROWS, finish, is_quick
from bench.lineage_parts.clock import Line
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from lakeport.catalog.statements import insert_rows

ROWS = 1_000_000
ROUNDS = 5
GROUP = 122_880
CLIENTS, INSERTS = 8, 50
UPDATED = 100_000
SUPPLIERS = 10_000
AGES = {"young": (0, 25), "300 commits": (300, 15)}
LINEITEM = ("bench", "lineitem")

_numbers = itertools.count()


def main() -> int:
    bars = [_large_insert()]
    for age, (commits, repeats) in AGES.items():
        bars += _one_row(age, *((5, 2) if is_quick() else (commits, repeats)))
    return finish([*bars, _many_clients(), *_large_updates()])


# -- a large INSERT ----------------------------------------------------------------------------------


def _large_insert() -> Line:
    (rows,) = lineitem.parts(QUICK_ROWS if is_quick() else ROWS, 1)
    batches = rows.to_batches(max_chunksize=BATCH_ROWS)
    with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as name:
        folder = Path(name)
        with _lake(folder) as lake:
            lake.namespace("bench").create_table("lineitem", Definition(lineitem.SCHEMA))
        with served(folder) as address, closing(Client(address, LINEITEM)) as client:
            wire, local = _by_turns(
                lambda: _require(client.insert(batches, rows.schema), rows.num_rows),
                lambda: _write_file(rows, folder),
            )
    print(f"  INSERT of {rows.num_rows:,} rows: {wire * 1e3:.0f} ms, pq {local * 1e3:.0f} ms")
    return Line("INSERT of 1 M x 16 over DoExchange / pq.write_table", wire / local, 1.6)


def _write_file(rows: pa.Table, folder: Path) -> None:
    path = folder / "peer.parquet"
    pq.write_table(rows, path, compression="zstd", row_group_size=GROUP)
    path.unlink()


# -- one row -----------------------------------------------------------------------------------------


def _one_row(age: str, commits: int, repeats: int) -> list[Line]:
    """Both change a table of their own with the same history."""
    schema = appenders.rows(0).schema
    with new_lake() as ours, new_lake() as theirs, closing(_pyiceberg(theirs)) as catalog:
        for folder in (ours, theirs):
            history(folder, commits)
        with served(ours) as address, closing(Client(address, NAME)) as client:

            def insert(number: int) -> None:
                _require(client.insert(appenders.rows(number).to_batches(), schema), 1)

            def update(number: int) -> None:
                found = client.scan(["rowid"], {"COMPARE_EQUAL": ("id", number)})
                amount = pa.array([9.5], pa.float64())
                _require(client.update(found.add_column(0, "amount", amount)), 1)

            def delete(number: int) -> None:
                _require(
                    client.delete(client.scan(["rowid"], {"COMPARE_EQUAL": ("id", number)})), 1
                )

            lines = []
            works: dict[str, tuple[Callable[[int], None], Callable[[int], object]]] = {
                "INSERT": (insert, lambda n: catalog.load_table(NAME).append(appenders.rows(n))),
                "UPDATE": (
                    update,
                    lambda n: catalog.load_table(NAME).overwrite(appenders.rows(n), f"id = {n}"),
                ),
                "DELETE": (delete, lambda n: catalog.load_table(NAME).delete(f"id = {n}")),
            }
            for what, (wire, local) in works.items():
                numbers = range(10_000, 10_001 + repeats)
                mine, other = (_median(work, numbers) for work in (wire, local))
                print(
                    f"  1-row {what}, {age:<12} {mine * 1e3:7.1f} ms,"
                    f" pyiceberg {other * 1e3:7.1f} ms",
                    flush=True,
                )
                lines.append(
                    Line(f"1-row {what}, {age}: PyIceberg / wire", other / mine, 1, at_least=True)
                )
    return lines


def _median(work: Callable[[int], object], numbers: range) -> float:
    """Of all but the first, which warms everything up."""
    found = []
    for number in numbers:
        start = time.perf_counter()
        work(number)
        found.append(time.perf_counter() - start)
    return statistics.median(found[1:])


# -- many clients ------------------------------------------------------------------------------------


def _many_clients() -> Line:
    inserts = 4 if is_quick() else INSERTS
    total = CLIENTS * inserts
    schema = appenders.rows(0).schema
    rates = []
    with new_lake() as folder:
        with served(folder) as address:
            clients = [Client(address, NAME) for _ in range(CLIENTS)]

            def work(place: int) -> None:
                for number in range(inserts):
                    batches = appenders.rows(place * inserts + number).to_batches()
                    _require(clients[place].insert(batches, schema), 1)

            clients[0].insert([], schema)  # imports, connections
            rates.append(total / _seconds(lambda: _all(work)))
            for client in clients:
                client.close()
        _require(count(folder), total)
    print(f"  {CLIENTS} x {inserts} INSERTs: {rates[0]:.0f} per second", end="", flush=True)
    with new_lake() as folder:
        with appender("pyiceberg", folder) as append:
            append(0)
            one = locked(append)
            rates.append(total / _seconds(lambda: _all(lambda _: [one(n) for n in range(inserts)])))
        _require(count(folder), 1 + total)
    print(f", pyiceberg {rates[1]:.1f}")
    return Line(
        f"{CLIENTS} clients x {inserts} one-row INSERTs", rates[0] / rates[1], 6, at_least=True
    )


def _all(work: Callable[[int], object]) -> None:
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(work, range(CLIENTS)))


# -- a large UPDATE ----------------------------------------------------------------------------------


def _large_updates() -> list[Line]:
    """Every turn on a copy of the table as it was written: PyIceberg's second overwrite of the same rows
    would find them in a small file of their own.
    """
    rows = QUICK_ROWS if is_quick() else lineitem.SCALE_ONE
    with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as name:
        folder = Path(name)
        with _lake(folder) as lake:
            made = lake.namespace("bench").create_table("lineitem", Definition(lineitem.SCHEMA))
            insert_rows(made, (b for p in lineitem.parts(rows) for b in p.to_batches(65_536)))
        with closing(_pyiceberg(folder)) as catalog, served(folder) as address:
            lines = []
            for kind, (where, conditions) in _chosen(catalog, rows).items():
                title = f"UPDATE of 100 k of 6 M, {kind}"
                wire, local = _update_in_turns(catalog, address, where, conditions)
                print(f"  {title}: {wire * 1e3:.0f} ms, pyiceberg {local * 1e3:.0f} ms", flush=True)
                lines.append(Line(f"{title}: PyIceberg / wire", local / wire, 5, at_least=True))
    return lines


def _chosen(catalog: SqlCatalog, rows: int) -> dict[str, tuple[str, dict[str, tuple[str, int]]]]:
    """As SQL for PyIceberg, and as DuckDB's filter."""
    scan = catalog.load_table("bench.lineitem").scan(selected_fields=("l_orderkey",))
    keys = np.sort(scan.to_arrow()["l_orderkey"].to_numpy())
    low, high = int(keys[rows // 2]), int(keys[min(rows // 2 + UPDATED, rows - 1)])
    most = round(SUPPLIERS * UPDATED / lineitem.SCALE_ONE)
    return {
        "together": (
            f"l_orderkey >= {low} AND l_orderkey < {high}",
            {
                "COMPARE_GREATERTHANOREQUALTO": ("l_orderkey", low),
                "COMPARE_LESSTHAN": ("l_orderkey", high),
            },
        ),
        "all over": (
            f"l_suppkey <= {most}",
            {"COMPARE_LESSTHANOREQUALTO": ("l_suppkey", most)},
        ),
    }


def _update_in_turns(
    catalog: SqlCatalog, address: str, where: str, conditions: dict[str, tuple[str, int]]
) -> tuple[float, float]:
    original = catalog.load_table("bench.lineitem")
    fresh = _edited(original.scan(where).to_arrow())

    def copy() -> str:
        name = f"copy_{next(_numbers)}"
        catalog.register_table(f"bench.{name}", original.metadata_location)
        return name

    taken = []
    for _ in range(1 if is_quick() else 4):
        with closing(Client(address, ("bench", copy()))) as client:

            def update(client: Client = client) -> None:
                found = client.scan(["l_tax", "l_comment", "rowid"], conditions)
                _require(client.update(_edited(found)), fresh.num_rows)

            wire = _seconds(update)
        theirs = catalog.load_table(f"bench.{copy()}")
        taken.append((wire, _seconds(partial(theirs.overwrite, fresh, where))))
    counted = taken[1:] or taken
    return statistics.median(w for w, _ in counted), statistics.median(t for _, t in counted)


def _edited(rows: pa.Table) -> pa.Table:
    columns = dict(zip(rows.schema.names, rows.columns, strict=True))
    cent = pa.scalar(Decimal("0.01"), rows.schema.field("l_tax").type)
    columns["l_tax"] = pc.add(columns["l_tax"], cent).cast(cent.type)
    columns["l_comment"] = pc.utf8_upper(columns["l_comment"])
    return pa.table(columns)


# -- how it is measured ------------------------------------------------------------------------------


def _by_turns(
    wire: Callable[[], object], local: Callable[[], object], rounds: int = ROUNDS
) -> tuple[float, float]:
    """Median seconds of both, after a rehearsal."""
    turns = range(1 if is_quick() else 1 + rounds)
    taken = [(_seconds(wire), _seconds(local)) for _ in turns]
    counted = taken[1:] or taken
    return statistics.median(w for w, _ in counted), statistics.median(o for _, o in counted)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _require(found: int, expected: int) -> None:
    if found != expected:
        raise AssertionError(f"{found} rows were changed instead of {expected}")


def _lake(folder: Path) -> IcebergCatalog:
    profile = Profile("lake", "sql", f"sqlite:///{folder}/catalog.db", f"file://{folder}")
    lake = IcebergCatalog(profile)
    lake.create_namespace(NamespaceInfo("bench"))
    return lake


def _pyiceberg(folder: Path) -> SqlCatalog:
    return SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")


if __name__ == "__main__":
    sys.exit(main())

"""What a PRIMARY KEY costs an INSERT: a million rows into a table that has a million, beside one without.

Keys in order come after all that are there, so no file has to be read; random ones are all over the range,
so the key column of every file is. Keys are numbers (eight bytes), and texts of twelve letters for what the
general way costs. Two columns beside the key, so that the key is a large part of the work. One process, by
turns; the least CPU time and the median wall time. Texts have no bar.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import numpy as np
import pyarrow as pa

from bench.iceberg_parts.race import QUICK_ROWS, finish, is_quick
from bench.lineage_parts.clock import Line
from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import Definition, PrimaryKey
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from lakeport.catalog.statements import insert_rows

ROWS = 1_000_000
ROUNDS = 3
BATCH_ROWS = 65_536


def _texts(keys: np.ndarray) -> Array:
    return pa.array([f"id-{key:09d}" for key in keys.tolist()])


@dataclass(frozen=True, slots=True)
class Case:
    what: str
    keys: Callable[[np.ndarray], Array]
    is_random: bool
    most: float | None


CASES = [
    Case("numbers in order", pa.array, is_random=False, most=1.3),
    Case("random numbers", pa.array, is_random=True, most=2.5),
    Case("texts in order", _texts, is_random=False, most=None),
    Case("random texts", _texts, is_random=True, most=None),
]


def main() -> int:
    rows = QUICK_ROWS if is_quick() else ROWS
    bars = []
    with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as folder:
        uri, warehouse = f"sqlite:///{folder}/catalog.db", Path(folder).as_uri()
        with IcebergCatalog(Profile("lake", "sql", uri, warehouse)) as catalog:
            catalog.create_namespace(NamespaceInfo("bench"))
            for case in CASES:
                with_key, without = _measured(catalog, case, rows)
                ratio = with_key.cpu / without.cpu
                print(
                    f"  {case.what:<18} with key {with_key}   without {without}   {ratio:.2f}x cpu"
                )
                if case.most is not None:
                    bars.append(Line(f"{case.what}: with key / without", ratio, case.most))
    return finish(bars)


@dataclass(frozen=True, slots=True)
class Times:
    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall * 1e3:6.0f} ms, cpu {self.cpu * 1e3:6.0f}"


def _measured(catalog: IcebergCatalog, case: Case, rows: int) -> tuple[Times, Times]:
    there, new = _halves(case, rows)
    schema = there.schema
    definitions = [Definition(schema, (PrimaryKey(("k",)),)), Definition(schema)]
    found: list[list[tuple[float, float]]] = [[], []]
    for number in range(ROUNDS + 1):
        for definition, runs in zip(definitions, found, strict=True):
            table = catalog.namespace("bench").create_table("t", definition, on_conflict="replace")
            insert_rows(table, there.to_reader(BATCH_ROWS))
            wall, cpu = time.perf_counter(), time.process_time()
            insert_rows(table, new.to_reader(BATCH_ROWS))
            if number:  # the first round only warms everything up
                runs.append((time.perf_counter() - wall, time.process_time() - cpu))
    with_key, without = (
        Times(statistics.median(wall for wall, _ in runs), min(cpu for _, cpu in runs))
        for runs in found
    )
    return with_key, without


def _halves(case: Case, rows: int) -> tuple[pa.Table, pa.Table]:
    rng = np.random.default_rng(7)
    keys = rng.permutation(2 * rows) if case.is_random else np.arange(2 * rows)
    there, new = (
        pa.table(
            [case.keys(half), pa.array(rng.integers(0, 1_000, rows)), pa.array(rng.random(rows))],
            names=["k", "amount", "price"],
        )
        for half in (keys[:rows], keys[rows:])
    )
    return there, new


if __name__ == "__main__":
    sys.exit(main())

"""One column leaves and one arrives, in a table of a million rows: our engine beside dbt-spark's four policies.

The same Spark, the same Iceberg and the same flags of the JVM for both, and tables of the same lake. The second
query has 10,000 rows, half of them for keys that are there, without `b` and with a new `c`. Nothing may be
lost: all rows, the old values of `b`, the new ones of `c`. What dbt leaves is printed and judged by the same.

    python bench/spark_evolution.py --install    makes dbt's environment first, once
"""

from __future__ import annotations

import shlex
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import pyarrow.compute as pc

import lakeport
from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line
from bench.spark_parts import peer
from lakeport.app.lake.lake import Lake
from lakeport.app.settings import load
from lakeport.app.spark import spark_options
from lakeport.pipeline.session.command import flags
from lakeport.pipeline.session.jars import cached_jars

OURS = "shop.orders"
COLUMNS = ["id", "a", "b", "c"]


@dataclass(frozen=True, slots=True)
class Size:
    rows: int
    changed: int

    @property
    def first(self) -> str:
        return f"SELECT id, id * 2 AS a, concat('b', id) AS b FROM range({self.rows})"

    @property
    def second(self) -> str:
        start = self.rows - self.changed // 2
        end = start + self.changed
        return f"SELECT id, id * 3 AS a, concat('c', id) AS c FROM range({start}, {end})"

    @property
    def expected(self) -> Left:
        """Of replaced rows the query says nothing about `b`, so it is NULL there."""
        kept = self.rows - self.changed // 2
        return Left(tuple(COLUMNS), kept + self.changed, kept, self.changed)


@dataclass(frozen=True, slots=True)
class Left:
    """What is in a table: its columns, its rows, and how many have a value in `b` and in `c`."""

    columns: tuple[str, ...]
    rows: int
    old: int
    new: int

    def judged(self, wanted: Left) -> str:
        lost = [
            *(f"column {name}" for name in wanted.columns if name not in self.columns),
            *([f"{wanted.rows - self.rows:,} rows"] if self.rows < wanted.rows else []),
            *(["values of b"] if self.old < wanted.old else []),
            *(["values of c"] if self.new < wanted.new else []),
        ]
        return f"lacks {', '.join(lost)}" if lost else "keeps everything"


def main() -> int:
    size = Size(10_000, 1_000) if is_quick() else Size(1_000_000, 10_000)
    with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as folder:
        Path(folder, "lakeport.toml").touch()
        with lakeport.open(folder) as lake:
            start = time.perf_counter()
            lake.write(size.first, into=OURS, unique_key="id")
            lake.write(size.second, into=OURS, unique_key="id")
            took = time.perf_counter() - start
            ours = _left(lake, OURS)
            print(f"  {size.changed:,} rows into {size.rows:,}: `b` leaves, `c` arrives\n")
            print(f"  {'lakeport':<24} succeeds, {ours.judged(size.expected)}: {_told(ours)}")
            print(f"  {'':<24} both writes {took:.1f} s, with the start of Spark", flush=True)
        with lakeport.open(folder) as lake:  # without our Spark: the cores are dbt's
            _print_theirs(lake, Path(folder), size)
    complete = float(ours == size.expected)
    return finish([Line("lakeport: all rows and all columns", complete, 1.0, at_least=True)])


def _print_theirs(lake: Lake, folder: Path, size: Size) -> None:
    try:
        python = peer.environment(install="--install" in sys.argv[1:])
    except peer.NoDbtError as missing:
        print(f"  {'dbt-spark':<24} {missing}")
        return
    lake.create_namespace(peer.NAMESPACE)
    with lake.rest() as door:
        settings = _settings(door.for_spark())
        built, changed = peer.run_twice(python, folder / "dbt", settings, size.first, size.second)
    for policy in peer.POLICIES:
        if built[policy].status != "success":
            raise RuntimeError(f"dbt could not build {policy}: {built[policy].message}")
        ran, left = changed[policy], _left(lake, f"{peer.NAMESPACE}.{policy}")
        verdict = "succeeds" if ran.status == "success" else "fails"
        print(f"  {f'dbt {policy}':<24} {verdict}, {left.judged(size.expected)}: {_told(left)}")
        if ran.status != "success":
            print(f"  {'':<24} {ran.reason[:150]}")


def _settings(catalog: dict[str, str]) -> dict[str, str]:
    """Spark for dbt: our flags, our jar, and the lake as the catalog, since dbt knows none but one."""
    options = spark_options(load())
    (jar,) = cached_jars(options.cache, s3=False)
    (name,) = {key.split(".")[3] for key in catalog if key.startswith("spark.sql.catalog.")}
    return {
        **catalog,
        "spark.sql.defaultCatalog": name,
        "spark.driver.extraJavaOptions": shlex.join(flags(options)),
        "spark.driver.extraClassPath": str(jar),
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
    }


def _left(lake: Lake, table: str) -> Left:
    rows = lake.table(table).scan().read_all()
    old, new = (
        rows.num_rows - rows.column(name).null_count if name in rows.column_names else 0
        for name in ("b", "c")
    )
    if pc.count_distinct(rows.column("id")).as_py() != rows.num_rows:
        raise AssertionError(f"keys are there twice in {table}")
    return Left(tuple(rows.column_names), rows.num_rows, old, new)


def _told(left: Left) -> str:
    return f"{left.rows:,} rows, columns {', '.join(left.columns)}"


if __name__ == "__main__":
    sys.exit(main())

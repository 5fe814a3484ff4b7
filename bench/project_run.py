"""`lakeport run` of one and of twenty tiny models, cold: beside dbt-spark on the same Spark and Iceberg, default flags of each.

Each run is a process as a person starts it, over tables that are there since an earlier run. dbt's Spark comes to
the lake by a door of this program's, ours by its own. dbt-duckdb, which needs no JVM, is printed. Rounds go
around all of them, so that a busy minute hits all; both clocks are shown, and the ratios are of the wall's.

    python bench/project_run.py --install    makes dbt's environments first, once
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import lakeport
from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line
from bench.project_parts.environments import NotInstalledError, environment
from bench.project_parts.tiny import COUNT, tiny, write_dbt, write_lakeport
from lakeport.app.lake.lake import Lake
from lakeport.app.settings import load
from lakeport.app.spark import spark_options
from lakeport.pipeline.session.jars import cached_jars

ROUNDS = 3
AT_MOST = 0.6
PROGRAM = str(Path(sys.executable).with_name("lakeport"))


@dataclass(slots=True)
class Way:
    """One way to run a project: its command line, and how long it took each time."""

    name: str
    folder: Path
    command: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def run(self, *, counts: bool = True) -> None:
        begun, used = time.perf_counter(), os.times()
        done = subprocess.run(
            self.command,
            cwd=self.folder,
            env={**os.environ, **self.variables},
            capture_output=True,
            text=True,
            check=False,
        )
        seconds, now = time.perf_counter() - begun, os.times()
        if done.returncode:
            raise RuntimeError(f"{self.name}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
        if counts:
            self.wall.append(seconds)
            children = now.children_user + now.children_system
            self.cpu.append(children - used.children_user - used.children_system)

    def told(self) -> str:
        return f"  {self.name:<22} {statistics.median(self.wall):6.1f} s {statistics.median(self.cpu):6.1f} CPU s"


def main() -> int:
    rounds = 1 if is_quick() else ROUNDS
    lines = []
    for count in (1, COUNT):
        with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as folder, ExitStack() as ends:
            ways = _ways(Path(folder), count, ends)
            for way in ways:
                way.run(counts=False)
            for _ in range(rounds):
                for way in ways:
                    way.run()
            print(f"\n  {count} models, load {os.getloadavg()[0]:.1f}")
            for way in ways:
                print(way.told(), flush=True)
            _compare(Path(folder), count, ways)
            by_name = {way.name: statistics.median(way.wall) for way in ways}
            if "dbt-spark" in by_name:
                ratio = by_name["lakeport"] / by_name["dbt-spark"]
                lines.append(Line(f"{count} models: lakeport / dbt-spark", ratio, AT_MOST))
            if count > 1:
                ratio = by_name["lakeport --jobs 2"] / by_name["lakeport --jobs 1"]
                print(f"  --jobs 2 / --jobs 1    {ratio:6.2f}")
    return finish(lines)


def _ways(root: Path, count: int, ends: ExitStack) -> list[Way]:
    ours = root / "lakeport"
    write_lakeport(ours, count)
    run = (PROGRAM, "run", "--new", "--no-daemon")
    ways = [Way("lakeport", ours, run)]
    if count > 1:
        ways += [Way(f"lakeport --jobs {n}", ours, (*run, "--jobs", str(n))) for n in (1, 2)]
    install = "--install" in sys.argv[1:]
    try:
        ways.append(_dbt_spark(root / "spark", count, ends, install=install))
        duck = root / "duck"
        write_dbt(duck, count, "{type: duckdb, path: lake.duckdb, threads: 2}", "")
        programs = environment("dbt-duckdb", install=install)
        ways.append(Way("dbt-duckdb", duck, (str(programs / "dbt"), "run"), _quiet(duck)))
    except NotInstalledError as missing:
        print(f"  {missing}")
    return ways


def _dbt_spark(folder: Path, count: int, ends: ExitStack, *, install: bool) -> Way:
    programs = environment("dbt-spark", install=install)
    lake_folder = folder / "lake"
    lake_folder.mkdir(parents=True)
    (lake_folder / "lakeport.toml").touch()
    lake = ends.enter_context(lakeport.open(lake_folder))
    lake.create_namespace("dbt")
    door = ends.enter_context(lake.rest())
    conf = folder / "conf"
    conf.mkdir()
    settings = _defaults(door.for_spark())
    (conf / "spark-defaults.conf").write_text(
        "".join(f"{key} {value}\n" for key, value in settings.items())
    )
    project = folder / "project"
    profile = "{type: spark, method: session, schema: dbt, host: none, threads: 2}"
    write_dbt(project, count, profile, ", file_format='iceberg', incremental_strategy='merge'")
    variables = {**_quiet(project), "SPARK_CONF_DIR": str(conf)}
    return Way("dbt-spark", project, (str(programs / "dbt"), "run"), variables)


def _defaults(catalog: Mapping[str, str]) -> dict[str, str]:
    """What Spark must be told to find the lake, and nothing that makes it quicker."""
    (jar,) = cached_jars(spark_options(load()).cache, s3=False)
    (name,) = {key.split(".")[3] for key in catalog if key.startswith("spark.sql.catalog.")}
    return {
        **catalog,
        "spark.sql.defaultCatalog": name,
        "spark.jars": str(jar),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }


def _quiet(project: Path) -> dict[str, str]:
    return {"DBT_PROFILES_DIR": str(project), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}


def _compare(root: Path, count: int, ways: list[Way]) -> None:
    """The same rows in both lakes."""
    if all(way.name != "dbt-spark" for way in ways):
        return
    with lakeport.open(root / "lakeport") as ours, lakeport.open(root / "spark" / "lake") as theirs:
        for model in tiny(count):
            mine = _rows(ours, f"{model.namespace}.{model.name}")
            if mine != _rows(theirs, f"dbt.{model.name}"):
                raise RuntimeError(f"{model.name} is another table there")


def _rows(lake: Lake, table: str) -> list[str]:
    return sorted(str(row) for row in lake.table(table).scan().read_all().to_pylist())


if __name__ == "__main__":
    sys.exit(main())

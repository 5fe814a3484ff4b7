"""`lakeport plan` of 500 models of which none changed, in a process that has just begun, beside dbt and SQLMesh.

The same generated queries for all three, every model built once before; dbt and SQLMesh stand on a DuckDB file.
dbt says what it would run with `parse` and `compile`, SQLMesh with `plan`. Each round asks all of them, and the
processor's time is compared, because it does not depend on who else is working; the wall's is printed, too.

    python bench/project_plan.py --install    makes the environments of dbt and SQLMesh first, once
    python bench/project_plan.py --quick      50 models, and bars are only shown
"""

from __future__ import annotations

import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.iceberg_parts.lake import CACHE
from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line
from bench.project_parts import generate, peers
from bench.project_parts.environments import NotInstalledError, environment
from bench.project_parts.lake import write_lakeport

MODELS, FEW = 500, 50
ROUNDS = 3
_OURS = Path(sys.executable).parent / "lakeport"
_QUIET = {"DO_NOT_TRACK": "1", "SQLMESH__DISABLE_ANONYMIZED_ANALYTICS": "1", "NO_COLOR": "1"}


@dataclass(frozen=True, slots=True)
class Took:
    cpu: float
    wall: float


@dataclass(frozen=True, slots=True)
class Contestant:
    """`says` is a part of what it must print, or it did not do what it was asked."""

    name: str
    folder: Path
    command: tuple[str, ...]
    says: str = ""

    def once(self) -> Took:
        begun = time.perf_counter()
        process = subprocess.Popen(
            self.command,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **_QUIET},
        )
        assert process.stdout is not None  # noqa: S101  as it was asked for
        text = process.stdout.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode or self.says not in text:
            raise RuntimeError(f"{self.name} failed:\n{text[-2000:]}")
        return Took(used.ru_utime + used.ru_stime, time.perf_counter() - begun)


def main() -> int:
    count = FEW if is_quick() else MODELS
    install = "--install" in sys.argv[1:]
    ours = _prepared("lakeport", count, write_lakeport)
    plan = (str(_OURS), "plan", "--no-spark")
    contestants = [Contestant("lakeport plan", ours, plan, f"{count} models, nothing changes")]
    for build in (_dbt, _sqlmesh):
        try:
            contestants += build(count, install=install)
        except NotInstalledError as missing:
            print(f"  {missing}")
    took = _race(contestants)
    print(f"\n  {count} models, nothing changed, a cold process each: medians of {ROUNDS} rounds")
    for name, each in took.items():
        print(f"  {name:<24}{each.cpu:>8.2f} s of the processor{each.wall:>9.2f} s")
    return finish(_bars(took))


def _bars(took: dict[str, Took]) -> list[Line]:
    mine = took["lakeport plan"]
    bars = []
    for peer, parts in (
        ("dbt parse + compile", ("dbt parse", "dbt compile")),
        ("SQLMesh plan", None),
    ):
        names = parts or (peer,)
        if all(name in took for name in names):
            cpu = sum(took[name].cpu for name in names)
            wall = sum(took[name].wall for name in names)
            print(
                f"  beside {peer}: {mine.cpu / cpu:.2f} of its processor, {mine.wall / wall:.2f} of its wall"
            )
            bars.append(Line(f"plan, processor, beside {peer}", mine.cpu / cpu, 1.0))
    return bars


def _race(contestants: list[Contestant]) -> dict[str, Took]:
    times: dict[str, list[Took]] = {each.name: [] for each in contestants}
    for _ in range(ROUNDS):
        for each in contestants:
            times[each.name].append(each.once())
    return {
        name: Took(
            statistics.median(each.cpu for each in found),
            statistics.median(each.wall for each in found),
        )
        for name, found in times.items()
    }


def _dbt(count: int, *, install: bool) -> list[Contestant]:
    programs = environment("dbt-duckdb", install=install)
    dbt = str(programs / "dbt")

    def make(folder: Path, count: int) -> None:
        peers.write_dbt(folder, count)
        peers.make_sources(programs / "python", folder, count)
        _once(folder, dbt, "run", "--quiet")

    folder = _prepared("dbt", count, make)
    return [
        Contestant("dbt parse", folder, (dbt, "parse")),
        Contestant("dbt compile", folder, (dbt, "compile", "--quiet")),
    ]


def _sqlmesh(count: int, *, install: bool) -> list[Contestant]:
    programs = environment("sqlmesh", install=install)
    sqlmesh = str(programs / "sqlmesh")

    def make(folder: Path, count: int) -> None:
        peers.write_sqlmesh(folder, count)
        peers.make_sources(programs / "python", folder, count)
        _once(folder, sqlmesh, "plan", "--auto-apply", "--no-prompts")

    folder = _prepared("sqlmesh", count, make)
    plan = (sqlmesh, "plan", "--no-prompts", "--skip-tests")
    return [Contestant("SQLMesh plan", folder, plan, "No changes to plan")]


def _prepared(name: str, count: int, make: Callable[[Path, int], None]) -> Path:
    """Made once, and again when what makes it has changed."""
    parts = sorted(Path(generate.__file__).parent.glob("*.py"))
    made_by = hashlib.sha256(b"".join(file.read_bytes() for file in parts)).hexdigest()[:12]
    folder = CACHE / f"plan-{name}-{count}-{made_by}"
    if not (folder / "ready").exists():
        print(f"  building {count} models for {name} …", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        make(folder / "project", count)
        (folder / "ready").touch()
    return folder / "project"


def _once(folder: Path, *command: str) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **_QUIET},
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())

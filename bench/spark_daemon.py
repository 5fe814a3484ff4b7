"""Twenty tiny models with `lakeport run`: on a daemon that is warm beside a JVM of the run's own.

Each run is a process as a person starts it, over the same project; the class archive is there before, and
the daemon has done the project once. Rounds go around both ways, so that a busy minute hits both. Both
times are shown: on a busy machine processor time tells more, of all processes that took part.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line
from bench.spark_parts import processor
from lakeport.app.project.daemon import place_of, start_daemon, stop_daemon
from lakeport.app.settings import load

ROUNDS = 5
AT_MOST = 0.4
GOAL_SECONDS = 8.0
PROGRAM = str(Path(sys.executable).with_name("lakeport"))
WAYS = {"own JVM": ("--no-daemon",), "daemon": ()}

_KEYED = "/* lakeport\nunique_key = ['id']\n*/\n"
_TABLE = "/* lakeport\nmaterialized = 'table'\n*/\n"


def main() -> int:
    rounds = 1 if is_quick() else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _project(root)
        settings = load(project=root)
        _run(root, WAYS["own JVM"])  # writes the archive if there is none, and makes the tables
        start_daemon(settings)
        try:
            record = place_of(settings).running()
            if record is None:
                raise RuntimeError("the daemon ended at once")
            _run(root, WAYS["daemon"])
            wall: dict[str, list[float]] = {way: [] for way in WAYS}
            cpu: dict[str, list[float]] = {way: [] for way in WAYS}
            for _ in range(rounds):
                for way, flags in WAYS.items():
                    before = processor.seconds(record.java_pid)
                    seconds, own = _run(root, flags)
                    wall[way].append(seconds)
                    cpu[way].append(own + processor.seconds(record.java_pid) - before)
        finally:
            stop_daemon(settings)
    print(f"  load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    for way in WAYS:
        least, median = min(wall[way]), statistics.median(wall[way])
        print(
            f"{way:<10} {median:6.1f} s (least {least:.1f})   {statistics.median(cpu[way]):6.1f} CPU s"
        )
    warm = statistics.median(wall["daemon"])
    print(f"goal: {GOAL_SECONDS:.0f} s on a warm daemon, took {warm:.1f} s")
    ratio = warm / statistics.median(wall["own JVM"])
    return finish([Line("run of 20 tiny models: warm daemon / own JVM", ratio, AT_MOST)])


def _run(root: Path, flags: tuple[str, ...]) -> tuple[float, float]:
    """Seconds of the clock, and of the processor for it and all that it started."""
    line = [PROGRAM, "run", "--new", "--project", str(root), *flags]
    begun, used = time.perf_counter(), os.times()
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    seconds, now = time.perf_counter() - begun, os.times()
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    children = now.children_user + now.children_system
    return seconds, children - used.children_user - used.children_system


def _project(root: Path) -> None:
    """Eight that read nothing, eight that join two of them, four that count."""
    models = {
        **{
            f"plain/s{n}.sql": f"{_KEYED}SELECT id, id * {n} AS v, concat('n', id) AS name FROM range(20)"
            for n in range(8)
        },
        **{
            f"joined/m{n}.sql": f"{_KEYED}SELECT a.id, a.v + b.v AS v FROM plain.s{n} AS a"
            f" JOIN plain.s{(n + 1) % 8} AS b ON b.id = a.id"
            for n in range(8)
        },
        **{
            f"counted/o{n}.sql": f"{_TABLE}SELECT v % 3 AS k, count(*) AS n FROM joined.m{n} GROUP BY v % 3"
            for n in range(4)
        },
    }
    (root / "lakeport.toml").touch()
    for name, text in models.items():
        file = root / "models" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


if __name__ == "__main__":
    sys.exit(main())

"""Twenty tiny models with `lakeport run`: on a daemon that is warm beside a JVM of the run's own.

Each run is a process as a person starts it, over the models of project_run.py; the class archive is there
before, and the daemon has done the project once. Rounds go around both ways, so that a busy minute hits both.
Both times are shown: on a busy machine processor time tells more, of all processes that took part.

A run on a daemon is handed to a process that has loaded Python's part already, so *handed* shows what is left of
starting a command (`lakeport run --help`, handed over), and *loading* what is spared: a Python that imports what a run
imports, and ends. Two things that Spark cannot go below are measured in the same rounds, by a client that is loaded
and connected already and sends each model to the same daemon, two at a time. *by hand* is one bare MERGE or INSERT
for each, with nothing staged, checked, compared or remembered. *staged* computes and keeps the rows first, and looks at their
columns, as a run has promised, and sends the MERGE from those: with *handed* it is the least that a run can take
that keeps what is promised (rows computed once, columns compared before anything is touched, one commit).

On two cores, load 2.8 of its own, a run took 5.6 s (least 4.5) and one with a JVM of its own 14.9 s (least 13.3): 0.37, of the
least times 0.34. By hand 4.1 s, staged 5.2 s, handed 0.2 s. With two models at a time instead of three it was 0.40.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import lakeport
from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line
from bench.project_parts.tiny import COUNT, Tiny, tiny, write_lakeport
from bench.spark_parts import processor
from lakeport.app.project.daemon import open_spark, place_of, start_daemon, stop_daemon
from lakeport.app.settings import Settings, load
from lakeport.pipeline.session import Session, checkpointed
from lakeport.pipeline.staging import columns_of

ROUNDS = 5
AT_MOST = 0.4
GOAL_SECONDS = 8.0
PROGRAM = str(Path(sys.executable).with_name("lakeport"))
WAYS = {"own JVM": ("--no-daemon",), "daemon": ()}
BY_HAND = "by hand"
STAGED = "staged"
HANDED = "handed"
LOADING = "loading"
FLOORS = (BY_HAND, STAGED, HANDED, LOADING)
_LOADED = (
    "lakeport.cli.commands.run",
    "lakeport.app.project.carry",
    "lakeport.app.lake.pipeline",
    "pyspark.sql.connect.session",
)


def main() -> int:
    rounds = 1 if is_quick() else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_lakeport(root, COUNT)
        settings = load(project=root)
        _run(root, WAYS["own JVM"])  # writes the archive if there is none, and makes the tables
        start_daemon(settings)
        try:
            wall, cpu = _raced(root, settings, rounds)
        finally:
            stop_daemon(settings)
    print(f"  load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    for way, times in wall.items():
        used = f"{statistics.median(cpu[way]):6.1f} CPU s" if way in cpu else ""
        print(f"{way:<10} {statistics.median(times):6.1f} s (least {min(times):.1f})   {used}")
    own, warm = (statistics.median(wall[way]) for way in WAYS)
    print(f"goal: {GOAL_SECONDS:.0f} s on a warm daemon, took {warm:.1f} s")
    hand, staged, handed = (statistics.median(wall[way]) for way in (BY_HAND, STAGED, HANDED))
    print(f"floor / own JVM: by hand {hand / own:.2f}, staged {staged / own:.2f}", end="")
    print(f", staged and handed over {(staged + handed) / own:.2f}")
    return finish([Line("run of 20 tiny models: warm daemon / own JVM", warm / own, AT_MOST)])


def _raced(
    root: Path, settings: Settings, rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    record = place_of(settings).running()
    if record is None:
        raise RuntimeError("the daemon ended at once")
    wall: dict[str, list[float]] = {way: [] for way in (*WAYS, *FLOORS)}
    cpu: dict[str, list[float]] = {way: [] for way in WAYS}
    with _sessions(root, settings) as sessions:
        _run(root, WAYS["daemon"])
        for send in (_send, _send_staged):
            _by_hand(sessions, send)
        for _ in range(rounds):
            for way, flags in WAYS.items():
                before = processor.seconds(record.pid)  # Java, and the process that stands by
                seconds, own = _run(root, flags)
                wall[way].append(seconds)
                cpu[way].append(own + processor.seconds(record.pid) - before)
            wall[BY_HAND].append(_by_hand(sessions, _send))
            wall[STAGED].append(_by_hand(sessions, _send_staged))
            wall[HANDED].append(_handed(root))
            wall[LOADING].append(_loading())
    return wall, cpu


def _run(
    root: Path, flags: tuple[str, ...], words: tuple[str, ...] = ("run", "--new")
) -> tuple[float, float]:
    """Seconds of the clock, and of the processor for it and all that it started."""
    line = [PROGRAM, *words, "--project", str(root), *flags]
    begun, used = time.perf_counter(), os.times()
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    seconds, now = time.perf_counter() - begun, os.times()
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    children = now.children_user + now.children_system
    return seconds, children - used.children_user - used.children_system


def _handed(root: Path) -> float:
    return _run(root, ("--help",), ("run",))[0]


def _loading() -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {', '.join(_LOADED)}"], check=True)
    return time.perf_counter() - begun


@contextmanager
def _sessions(root: Path, settings: Settings) -> Iterator[list[Session]]:
    with lakeport.open(root) as lake, lake.rest() as door, open_spark(settings) as spark:
        yield [spark.session(door.for_spark()) for _ in range(2)]


def _by_hand(sessions: list[Session], send: Callable[[Session, list[Tiny]], None]) -> float:
    """Level after level, so that each finds what it reads."""
    begun = time.perf_counter()
    models = tiny(COUNT)
    with ThreadPoolExecutor(len(sessions)) as pool:
        for namespace in dict.fromkeys(model.namespace for model in models):
            level = [model for model in models if model.namespace == namespace]
            shares = [level[n :: len(sessions)] for n in range(len(sessions))]
            for done in [pool.submit(send, *both) for both in zip(sessions, shares, strict=True)]:
                done.result()
    return time.perf_counter() - begun


def _send(session: Session, models: list[Tiny]) -> None:
    for model in models:
        rows = model.sql(lambda namespace, name: f"{namespace}.{name}")
        session.sql(_statement(model, f"({rows})"))


def _send_staged(session: Session, models: list[Tiny]) -> None:
    for model in models:
        frame = session.sql(model.sql(lambda namespace, name: f"{namespace}.{name}"))
        columns_of(frame)
        kept = checkpointed(frame).frame  # held: rows go with the last who holds them
        kept.createOrReplaceTempView(f"staged_{model.name}")
        session.sql(_statement(model, f"staged_{model.name}"))


def _statement(model: Tiny, rows: str) -> str:
    table = f"{model.namespace}.{model.name}"
    if not model.keyed:
        return f"INSERT OVERWRITE {table} SELECT * FROM {rows}"
    return (
        f"MERGE INTO {table} AS t USING {rows} AS s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


if __name__ == "__main__":
    sys.exit(main())

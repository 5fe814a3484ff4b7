"""SIGKILL at random moments of a write, for the JVM or for Python: afterwards as if nothing had happened."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lakeport.pipeline.target import RUN_ID
from tests.spark.ground import Ground
from tests.spark.kills.dying import AT_ONCE, ROOT, Who, await_end
from tests.spark.kills.tasks import FIRST, RUN, TASKS, twin

_PATIENCE = 400.0


def begun(ground: Ground, table: str, name: str) -> None:
    task = TASKS[name]
    for each in (table, twin(table)):
        if task.definition is not None:
            ground.lake.create_table(f"shop.{each}", task.definition)
        ground.write(FIRST, into=each, run_id="first", **task.first)


def die(folder: Path, who: Who, seed: str, *tasks: str) -> list[dict[str, Any]]:
    """What was told, line by line; all JVMs are gone."""
    line = (sys.executable, "-m", "tests.spark.kills.random_victim", str(folder), who, seed)
    done = subprocess.run(
        [*line, *tasks],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    facts = [json.loads(told) for told in done.stdout.splitlines()]
    ends = {0} if who == "jvm" else {0, -signal.SIGKILL}
    assert done.returncode in ends, (seed, facts, done.stderr[-4000:])
    for told in facts:
        if "jvm" in told:
            await_end(told["jvm"])
    return facts


def recovered(
    ground: Ground, table: str, name: str, before: list[tuple[Any, ...]], seed: str
) -> None:
    """As it was or complete, then right, and the same as the table of who was left alone."""
    alone = twin(table)
    complete, runs = ground.rows(alone), run_ids(ground, alone)
    assert RUN in runs
    found, has_committed = ground.rows(table), RUN in run_ids(ground, table)
    if has_committed:
        assert found == complete, seed
    else:
        assert [row[:2] for row in found] == before, seed
        assert all(value is None for row in found for value in row[2:]), seed
    again = ground.write(TASKS[name].query, into=table, run_id=RUN, **TASKS[name].settings)
    assert again.repeated is has_committed, seed
    assert ground.columns(table) == ground.columns(alone), seed
    assert ground.rows(table) == complete, seed
    assert run_ids(ground, table) == runs, seed
    assert [ref.name for ref in ground.lake.table(f"shop.{table}").refs()] == ["main"], seed


def run_ids(ground: Ground, table: str) -> list[str]:
    return [summary[RUN_ID] for summary in ground.data_snapshots(table)]


def seed() -> str:
    return str(random.getrandbits(32))


@pytest.mark.long
@pytest.mark.timeout(600)
def test_killed_at_random_moments(ground: Ground, tmp_path: Path) -> None:
    # A Python that is killed has one death; a JVM that is killed is followed by another.
    doomed: list[tuple[Who, str, tuple[str, ...]]] = [
        ("jvm", seed(), tuple(random.sample(list(TASKS), 3))),
        *(("python", seed(), (name,)) for name in random.sample(list(TASKS), 2)),
    ]
    ground.write("SELECT 1 AS k", into="warm")
    for who, _, tasks in doomed:
        for name in tasks:
            begun(ground, f"{name}_{who}", name)
    before = [row[:2] for row in ground.rows(f"{doomed[0][2][0]}_jvm")]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = list(pool.map(lambda one: die(tmp_path, one[0], one[1], *one[2]), doomed))
    for (who, number, tasks), facts in zip(doomed, told, strict=True):
        print(who, number, tasks, [fact for fact in facts if "table" in fact])  # noqa: T201
        for name in tasks:
            recovered(ground, f"{name}_{who}", name, before, number)

"""SIGKILL while a process writes: what was acknowledged is there once, the rest is whole or not there."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.catalog.iceberg.faults.scene import Scene, Witness
from tests.catalog.iceberg.faults.victim import POINTS

ROOT = Path(__file__).parents[4]


@contextmanager
def writer(folder: Path, seed: int, mode: str) -> Iterator[subprocess.Popen[str]]:
    module = "tests.catalog.iceberg.faults.victim"
    process = subprocess.Popen(
        [sys.executable, "-m", module, str(folder), str(seed), mode],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def kill_at(folder: Path, witness: Witness, seed: int, point: str, nth: int) -> None:
    """Let it run to the nth time it is at this point, and end it there."""
    with writer(folder, seed, "waits") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in process.stdout:
            if witness.hear(line) == point and witness.reached[point] >= nth:
                process.kill()
                return
            process.stdin.write("go\n")
            process.stdin.flush()
    pytest.fail("the writer ended by itself")


def kill_somewhere(folder: Path, witness: Witness, seed: int, lines: int) -> None:
    """Kill it when it was heard so often, while it goes on; then hear its last words."""
    with writer(folder, seed, "runs") as process:
        assert process.stdout is not None
        for line in itertools.islice(process.stdout, lines):
            witness.hear(line)
        process.kill()
        for line in process.stdout:
            if line.endswith("\n"):  # the last may be torn
                witness.hear(line)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene.prepared(tmp_path)


def round_of(scene: Scene, seed: int, point: str, nth: int) -> None:
    witness = Witness(dict(scene.rows))
    if point == "anywhere":
        kill_somewhere(scene.folder, witness, seed, nth)
    else:
        kill_at(scene.folder, witness, seed, point, nth)
    scene.judge(witness, point, seed)


def test_a_writer_killed_at_each_point_loses_nothing_and_leaves_nothing(scene: Scene) -> None:
    for number, point in enumerate((*POINTS, "anywhere")):
        round_of(scene, 100 + number, point, nth=3 if point != "anywhere" else 14)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(0, 30, 10))
def test_thirty_writers_killed_lose_nothing_and_leave_nothing(scene: Scene, first: int) -> None:
    rng = random.Random(first)  # noqa: S311 # repeatable, not secret
    for number in range(first, first + 10):
        point = (*POINTS, "anywhere")[number % 6]
        nth = rng.randint(1, 5) if point != "anywhere" else rng.randint(1, 40)
        round_of(scene, 1_000 + number, point, nth)

"""Two processes, each with two runs at a time, on one table: neither knows of the other."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.engines.apart import Apart
from tests.spark.crowds.serial import Planned, explained, replayed, together
from tests.spark.crowds.worker import worker
from tests.spark.ground import Ground

FIRST = Planned("first", ("k", "part", "v"), ((1, 1, 0), (2, 1, 0), (3, 2, 0), (4, 2, 0)), "append")


def round_of(number: int) -> list[Planned]:
    """Keys that all of them write, one that is each one's own, and a column for each round and run."""
    return [
        Planned(
            f"round{number}_run{n}",
            ("k", "part", f"c{number}_{n}"),
            ((1, n, n), (10 * number + n, n, n)),
            "merge" if n == 3 else "delete_insert",
        )
        for n in range(1, 5)
    ]


@pytest.fixture
def other(ground: Ground, tmp_path: Path) -> Iterator[Apart]:
    del ground  # it makes the lake
    scratch = tmp_path / "other"
    scratch.mkdir()
    with Apart(worker, str(tmp_path), str(scratch)) as process:
        yield process


@pytest.mark.long
@pytest.mark.timeout(300)
def test_runs_of_two_processes_leave_what_some_order_of_them_leaves(
    ground: Ground, other: Apart
) -> None:
    ground.write(FIRST.query, run_id=FIRST.name)
    done = [FIRST]
    with ThreadPoolExecutor(1) as pool:
        for number in range(1, 4):
            runs = round_of(number)
            elsewhere = pool.submit(other.ask, "together", runs[2:])
            here = [made.snapshot_id for made in together(ground, runs[:2])]
            assert len({*here, *elsewhere.result()}) == len(runs)
            done += runs
    explained(ground, replayed(ground, done))

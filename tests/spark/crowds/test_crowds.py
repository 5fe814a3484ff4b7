"""Four runs on one table at the same time: what they leave is what some order of them would leave."""

from __future__ import annotations

import pytest

from tests.spark.crowds.serial import Planned, explained, replayed, together
from tests.spark.ground import Ground

FIRST = Planned("first", ("k", "part", "v"), ((1, 1, 0), (2, 1, 0), (3, 2, 0), (4, 2, 0)), "append")
ALL = ("k", "part", "v")


def _same() -> list[Planned]:
    return [
        Planned(f"r{n}", ALL, ((1, n, n), (2, n, n), (10 + n, n, n), (10 + n, n, -n)))
        for n in range(1, 5)
    ]


def _disjoint() -> list[Planned]:
    """Rows of one file, each replaced by another run."""
    return [Planned(f"r{n}", ALL, ((n, n, n), (10 + n, n, n))) for n in range(1, 5)]


def _growing() -> list[Planned]:
    """A column that all of them add, and one of each; what they do not know of is NULL."""
    return [
        Planned(f"r{n}", ("k", "part", f"own{n}", "shared"), ((n, n, n, n), (10 + n, n, n, n)))
        for n in range(1, 5)
    ]


def _mixed() -> list[Planned]:
    return [
        Planned("r1", ALL, ((1, 1, 1), (11, 1, 1)), "append"),
        Planned("r2", ALL, ((1, 1, 2), (12, 2, 2)), "merge"),
        Planned("r3", ALL, ((2, 1, 3), (13, 2, 3)), "delete_insert"),
        Planned("r4", ALL, ((14, 2, 4), (15, 2, 4)), "overwrite_partitions"),
    ]


@pytest.mark.parametrize(
    "runs",
    [_same(), _disjoint(), _growing(), _mixed()],
    ids=["same", "disjoint", "growing", "mixed"],
)
def test_four_runs_at_once_leave_what_some_order_of_them_leaves(
    ground: Ground, runs: list[Planned]
) -> None:
    ground.write(FIRST.query, run_id=FIRST.name, partitioned_by=["part"])
    made = together(ground, runs)
    assert len({each.snapshot_id for each in made}) == len(runs)
    explained(ground, replayed(ground, [FIRST, *runs]))


def test_two_with_the_same_id_are_one_run(ground: Ground) -> None:
    """As when somebody starts a run again that was slow, not dead."""
    ground.write(FIRST.query, run_id=FIRST.name)
    twice = [Planned("again", ALL, ((7, 7, 7),), "append")] * 2
    made = together(ground, twice)
    assert len({each.snapshot_id for each in made}) == 1
    explained(ground, replayed(ground, [FIRST, twice[0]]))

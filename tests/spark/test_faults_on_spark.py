"""Between the files and the commit: others who are faster, and answers that get lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from lakeport import (
    AddConstraint,
    Check,
    ConflictError,
    ConstraintViolationError,
    RequireColumn,
)
from lakeport.app.lake.lake import Lake
from lakeport.app.lake.pipeline import Pipeline
from lakeport.pipeline.session import Spark
from lakeport.pipeline.writing import Outcome, Point, Progress
from tests.engines.proxy import Fate, Proxy, proxy_to
from tests.spark.ground import Ground, Lent
from tests.spark.test_strategies_on_spark import values


@dataclass(frozen=True)
class Far:
    """The lake of `ground`, written by a Spark that has a network between itself and the door."""

    lake: Lake
    proxy: Proxy
    ground: Ground

    def write(self, query: str, act: Callable[[int], Fate], **settings: Any) -> Outcome:
        """`act` is asked at each commit of this write: once all files are there, before it is sent."""
        seen = 0

        def decide() -> Fate:
            nonlocal seen
            seen += 1
            return act(seen)

        def observe(progress: Progress) -> None:
            if progress.point is Point.WRITING:
                self.proxy.decide = decide

        try:
            made = self.lake.write(query, "shop.t", observe=observe, **settings)
            assert isinstance(made, Outcome)
            return made
        finally:
            self.proxy.decide = lambda: Fate.PASSED


@pytest.fixture
def far(ground: Ground, jvm: Spark) -> Iterator[Far]:
    # Short waits between Iceberg's own tries, so that the tries are what a test waits for.
    quick = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "2"}
    ground.write(values("k, v", "(1, 10)", "(2, 20)", "(3, 30)"), properties=quick)
    with ground.lake.rest(growth=True) as door, proxy_to(door.uri) as proxy:
        attached = type(door.attachment).to_door("lake", proxy.url, door.token)

        def pipeline() -> Pipeline:
            return Pipeline(ground.lake.catalog, lambda: Lent(jvm), jvm.log, attached=attached)

        with Lake(ground.lake.catalog, pipeline=pipeline) as lake:
            yield Far(lake, proxy, ground)


MERGE = values("k, v", "(2, 99)", "(4, 40)")


@pytest.mark.parametrize("strategy", ["delete_insert", "merge"])
def test_a_conflict_is_met_by_the_same_rows_again(far: Far, strategy: str) -> None:
    table = far.ground.lake.table("shop.t")

    def rival(commit: int) -> Fate:
        if commit == 1:
            table.update({"v": "v + 1"}, where="k = 2")
        return Fate.PASSED

    made = far.write(MERGE, rival, strategy=strategy, unique_key="k")
    assert made.attempts == 2
    assert far.ground.rows() == [(1, 10), (2, 99), (3, 30), (4, 40)]
    assert len(far.ground.data_snapshots()) == 2


def test_rows_that_others_append_are_replaced_or_stay_by_their_keys(far: Far) -> None:
    table = far.ground.lake.table("shop.t")

    def rival(commit: int) -> Fate:
        if commit == 1:
            table.append([{"k": 4, "v": 0}, {"k": 5, "v": 50}])
        return Fate.PASSED

    made = far.write(MERGE, rival, unique_key="k")
    assert made.attempts == 2  # serializable: a row of key 4 might have been replaced
    assert far.ground.rows() == [(1, 10), (2, 99), (3, 30), (4, 40), (5, 50)]


def test_an_append_is_in_nobodys_way(far: Far) -> None:
    table = far.ground.lake.table("shop.t")

    def rival(commit: int) -> Fate:
        if commit == 1:
            table.delete("k = 1")
        return Fate.PASSED

    made = far.write(MERGE, rival, strategy="append")
    assert made.attempts == 1
    assert far.ground.rows() == [(2, 20), (2, 99), (3, 30), (4, 40)]


def test_who_meets_a_conflict_each_time_gives_up_in_a_sentence(far: Far) -> None:
    table = far.ground.lake.table("shop.t")

    def rival(_commit: int) -> Fate:
        table.update({"v": "v + 1"}, where="k = 2")
        return Fate.PASSED

    with pytest.raises(ConflictError, match="during each of 5 attempts") as caught:
        far.write(MERGE, rival, unique_key="k")
    assert "\n" not in str(caught.value)
    assert far.ground.rows() == [(1, 10), (2, 25), (3, 30)]
    assert len(far.ground.data_snapshots()) == 1


@pytest.mark.parametrize("fate", [Fate.LOST, Fate.HIDDEN])
@pytest.mark.parametrize("strategy", ["append", "delete_insert", "full"])
def test_a_lost_answer_is_looked_up_and_nothing_is_written_twice(
    far: Far, fate: Fate, strategy: str
) -> None:
    settings = {"unique_key": "k"} if strategy == "delete_insert" else {}
    made = far.write(
        MERGE, lambda commit: fate if commit == 1 else Fate.PASSED, strategy=strategy, **settings
    )
    assert made.snapshot_id is not None
    assert len(far.ground.data_snapshots()) == 2
    added = [row for row in far.ground.rows() if row in {(2, 99), (4, 40)}]
    assert added == [(2, 99), (4, 40)]
    assert far.lake.write(MERGE, into="shop.t", run_id=made.run_id).repeated


@pytest.mark.parametrize("strategy", ["append", "merge"])
def test_a_rule_that_comes_before_the_commit_is_asked_of_the_rows(far: Far, strategy: str) -> None:
    """They were checked before there was such a rule, and are checked again."""
    table = far.ground.lake.table("shop.t")

    def rival(commit: int) -> Fate:
        if commit == 1:
            table.alter(AddConstraint(Check("v < 90", name="low")))
        return Fate.PASSED

    with pytest.raises(ConstraintViolationError, match="`low`"):
        far.write(MERGE, rival, strategy=strategy, unique_key="k")
    assert far.ground.rows() == [(1, 10), (2, 20), (3, 30)]


def test_rows_that_keep_a_new_rule_are_written(far: Far) -> None:
    table = far.ground.lake.table("shop.t")

    def rival(commit: int) -> Fate:
        if commit == 1:
            table.alter(RequireColumn("v"))
        return Fate.PASSED

    made = far.write(MERGE, rival, strategy="append")
    assert made.attempts == 2
    assert far.ground.rows() == [(1, 10), (2, 20), (2, 99), (3, 30), (4, 40)]

"""Rows on a branch of the run's own: seen by nobody, then published, one table or several in one commit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from lakeport import Definition, PrimaryKey
from lakeport.core.names import TableName
from lakeport.pipeline.staging import Query
from lakeport.pipeline.strategies import TimeRange
from lakeport.pipeline.target import (
    Branched,
    MovedError,
    Run,
    Tables,
    can_publish,
    drop_branches,
    publish,
)
from lakeport.pipeline.writing import Outcome, Point, Progress, WriteRequest, logged
from tests.spark.ground import Ground
from tests.spark.test_strategies_on_spark import values

FIRST = values("k, v", "(1, 10)", "(2, 20)")
SECOND = values("k, v, new", "(2, 21, 'x')", "(3, 30, 'y')")
RUN = Run("aside")


def aside(
    ground: Ground,
    query: str,
    table: str = "t",
    observe: Callable[[Progress], None] = logged,
    **settings: object,
) -> Outcome:
    request = WriteRequest(TableName("shop", table), **settings)  # type: ignore[arg-type]
    with (
        ground.lake.pipeline().engine(observe=observe) as engine,
        engine.stage(Query(query), request, RUN) as staged,
    ):
        return engine.write_staged(staged, request, RUN, aside=True)


def tables_of(ground: Ground) -> Tables:
    return ground.lake.pipeline().tables


def branched(table: str = "t") -> Branched:
    return Branched(TableName("shop", table), RUN.branch)


def refs(ground: Ground, table: str = "t") -> set[str]:
    return {ref.name for ref in ground.lake.table(f"shop.{table}").refs()}


def test_rows_on_a_branch_are_seen_when_it_is_published(ground: Ground) -> None:
    ground.write(FIRST)
    points: list[Point] = []
    made = aside(ground, SECOND, observe=lambda seen: points.append(seen.point), unique_key=("k",))
    assert made.branch == RUN.branch
    assert points[-4:] == [Point.BRANCHED, Point.WRITING, Point.WRITTEN, Point.DONE]
    # The column is there at once, for everybody, and empty.
    assert ground.rows() == [(1, 10, None), (2, 20, None)]
    there = ground.session.sql(f"TABLE shop.t.branch_{RUN.branch}").toArrow().sort_by("k")
    assert there.to_pylist() == [
        {"k": 1, "v": 10, "new": None},
        {"k": 2, "v": 21, "new": "x"},
        {"k": 3, "v": 30, "new": "y"},
    ]
    publish(tables_of(ground), [branched()])
    assert ground.rows() == [(1, 10, None), (2, 21, "x"), (3, 30, "y")]
    assert refs(ground) == {"main"}
    publish(tables_of(ground), [branched()])  # once more is as good as once


@pytest.mark.parametrize("strategy", ["append", "full", "merge"])
def test_a_table_without_a_snapshot_gets_its_first_by_a_branch(
    ground: Ground, strategy: str
) -> None:
    keys = ("k",) if strategy == "merge" else ()
    made = aside(ground, FIRST, strategy=strategy, unique_key=keys)
    assert made.created
    assert ground.rows() == []
    publish(tables_of(ground), [branched()])
    assert ground.rows() == [(1, 10), (2, 20)]
    assert len(ground.data_snapshots()) == 1


def test_several_tables_are_published_by_one_commit(ground: Ground) -> None:
    for table in ("a", "b"):
        ground.write(FIRST, into=table)
        aside(ground, SECOND, table, unique_key=("k",))
    publish(tables_of(ground), [branched("a"), branched("b")])
    assert ground.rows("a") == ground.rows("b") == [(1, 10, None), (2, 21, "x"), (3, 30, "y")]


def test_if_one_cannot_follow_none_does(ground: Ground) -> None:
    for table in ("a", "b"):
        ground.write(FIRST, into=table)
        aside(ground, SECOND, table, unique_key=("k",))
    ground.lake.table("shop.b").append([{"k": 9, "v": 90, "new": None}])
    with pytest.raises(MovedError) as moved:
        publish(tables_of(ground), [branched("a"), branched("b")])
    assert [str(name) for name in moved.value.tables] == ["shop.b"]
    assert ground.rows("a") == [(1, 10, None), (2, 20, None)]
    drop_branches(tables_of(ground), [branched("a"), branched("b")])
    assert refs(ground, "a") == refs(ground, "b") == {"main"}


def test_written_again_it_begins_where_main_is_then(ground: Ground) -> None:
    ground.write(FIRST)
    aside(ground, SECOND, unique_key=("k",))
    ground.lake.table("shop.t").append([{"k": 9, "v": 90, "new": None}])
    head = tables_of(ground).head(TableName("shop", "t"))
    assert head is not None
    assert not can_publish(head, RUN.branch)
    aside(ground, SECOND, unique_key=("k",))
    publish(tables_of(ground), [branched()])
    assert ground.rows() == [(1, 10, None), (2, 21, "x"), (3, 30, "y"), (9, 90, None)]
    assert len(ground.data_snapshots()) == 2


def test_a_key_is_checked_where_the_branch_begins(ground: Ground) -> None:
    rules = Definition(pa.schema({"k": pa.int32(), "v": pa.int32()}), (PrimaryKey(("k",), "pk"),))
    table = ground.lake.create_table("shop.t", rules)
    aside(ground, FIRST)
    table.append([{"k": 1, "v": 5}])
    with pytest.raises(MovedError):
        publish(tables_of(ground), [branched()])
    assert ground.rows() == [(1, 5)]


def test_half_a_range_on_a_branch_is_not_taken_for_the_whole(ground: Ground) -> None:
    at = [f"(TIMESTAMP '2026-01-01 {hour}:00:00', {hour})" for hour in (10, 18)]
    rows = values("at, v", *at)  # in one file, which the range cuts
    ground.write(rows)
    span = TimeRange(
        "at", datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2026, 1, 2, 12, tzinfo=UTC)
    )
    made = aside(ground, rows, strategy="time_range", time_range=span)
    assert len(made.sql) == 2
    head = tables_of(ground).head(TableName("shop", "t"))
    assert head is not None
    whole, half, *_ = head.chain(RUN.branch)
    assert head.commit_of(RUN.id, "shop.t", RUN.branch) == whole
    assert half.summary["lakeport.unfinished"] == "true"
    publish(tables_of(ground), [branched()])
    assert len(ground.rows()) == 2


def test_no_rows_make_no_branch(ground: Ground) -> None:
    ground.write(FIRST)
    made = aside(ground, "SELECT * FROM shop.t WHERE false")
    assert made.branch is None
    assert refs(ground) == {"main"}


def test_what_a_killed_run_left_on_its_branch_is_found(ground: Ground) -> None:
    ground.write(FIRST)

    class StoppedError(Exception):
        pass

    def stop(seen: Progress) -> None:
        if seen.point is Point.WRITTEN:
            raise StoppedError

    with pytest.raises(StoppedError):
        aside(ground, SECOND, observe=stop)
    with ground.lake.pipeline().engine() as engine:
        request = WriteRequest(TableName("shop", "t"))
        assert engine.recovered(request, RUN) is None
        found = engine.recovered(request, RUN, branch=RUN.branch)
    assert found is not None
    assert found.rows == 2

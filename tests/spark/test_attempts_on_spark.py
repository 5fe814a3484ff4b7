"""Others write, too: an attempt that was overtaken is made again from the same rows, and nothing twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pyarrow as pa
import pytest

from lakeport import ConflictError, Definition, PreconditionError, PrimaryKey
from lakeport.pipeline.writing import Outcome, Point, Progress
from tests.spark.ground import Ground
from tests.spark.test_strategies_on_spark import values

FIRST = values("k, v", "(1, 10)", "(2, 20)", "(3, 30)")


def once(point: Point, act: Callable[[], object]) -> Callable[[Progress], None]:
    """Does something when a point is passed in the first attempt."""

    def observe(seen: Progress) -> None:
        if seen.point is point and seen.attempt == 1:
            act()

    return observe


def test_the_points_of_a_write_come_in_order(ground: Ground) -> None:
    points: list[Point] = []
    ground.write(FIRST, observe=lambda seen: points.append(seen.point))
    assert points == [
        Point.ANALYSED,
        Point.STAGED,
        Point.CHECKED,
        Point.GROWN,
        Point.WRITING,
        Point.WRITTEN,
        Point.DONE,
    ]


def test_rows_that_depend_on_chance_are_computed_once(ground: Ground) -> None:
    ground.write(FIRST)
    query = "SELECT k, uuid() AS token, uuid() AS other FROM shop.t"
    made = ground.write(query, unique_key="k")
    assert made.rows == 3
    assert len({row[2] for row in ground.rows()}) == 3


def test_a_query_may_read_the_table_it_writes(ground: Ground) -> None:
    ground.write(FIRST)
    for mode in ("mor", "cow"):
        ground.write("SELECT k, v + 1 AS v FROM shop.t", unique_key="k", write_mode=mode)
    assert ground.rows() == [(1, 12), (2, 22), (3, 32)]
    ground.write("SELECT k, v FROM shop.t WHERE k > 1", strategy="full")
    assert ground.rows() == [(2, 22), (3, 32)]


def test_a_crash_after_each_point_leaves_the_table_as_it_was_or_complete(ground: Ground) -> None:
    class StoppedError(Exception):
        pass

    ground.write(FIRST)
    query = values("k, new", "(2, 'x')")
    for point in (Point.STAGED, Point.CHECKED, Point.GROWN, Point.WRITING, Point.WRITTEN):

        def stop(seen: Progress, at: Point = point) -> None:
            if seen.point is at:
                raise StoppedError

        before = ground.rows()
        with pytest.raises(StoppedError):
            ground.write(query, unique_key="k", run_id="r", observe=stop)
        if point is not Point.WRITTEN:
            assert [row[:2] for row in ground.rows()] == [row[:2] for row in before]
    again = ground.write(query, unique_key="k", run_id="r")
    assert again.repeated
    assert ground.rows() == [(1, 10, None), (2, None, "x"), (3, 30, None)]
    assert len(ground.data_snapshots()) == 2


def test_a_merge_that_was_overtaken_is_repeated_on_the_new_rows(ground: Ground) -> None:
    ground.write(FIRST)
    table = ground.lake.table("shop.t")
    made = ground.write(
        values("k, v", "(2, 99)", "(4, 40)"),
        unique_key="k",
        # After the statement has planned its scan it would be a conflict; before, it is just newer.
        observe=once(Point.WRITING, lambda: table.update({"v": "v + 1"}, where="k = 2")),
    )
    assert ground.rows() == [(1, 10), (2, 99), (3, 30), (4, 40)]
    assert made.rows == 2
    assert len(ground.data_snapshots()) == 2


def test_columns_that_others_add_meanwhile_are_padded(ground: Ground) -> None:
    ground.write(FIRST)
    table = ground.lake.table("shop.t")
    for point, name in ((Point.CHECKED, "one"), (Point.GROWN, "two"), (Point.STAGED, "three")):
        made = ground.write(
            values(f"k, v, for_{name}", "(2, 99, 'x')"),
            unique_key="k",
            observe=once(point, partial(table.alter, add={name: pa.string()})),
        )
        assert made.rows == 1
    assert set(ground.columns()) == {
        *("k", "v", "one", "two", "three"),
        *("for_one", "for_two", "for_three"),
    }
    assert len(ground.rows()) == 3
    assert len(ground.data_snapshots()) == 4


def test_the_same_column_added_by_two_at_once_is_one_column(ground: Ground) -> None:
    ground.write(FIRST)
    table = ground.lake.table("shop.t")
    made = ground.write(
        values("k, note", "(2, 'x')"),
        unique_key="k",
        observe=once(Point.CHECKED, lambda: table.alter(add={"NOTE": pa.string()})),
    )
    assert made.attempts == 2
    assert ground.columns() == ["k", "v", "NOTE"]
    assert ground.rows() == [(1, 10, None), (2, None, "x"), (3, 30, None)]


def test_a_column_added_by_others_in_another_type_is_refused_by_name(ground: Ground) -> None:
    ground.write(FIRST)
    table = ground.lake.table("shop.t")
    with pytest.raises(PreconditionError, match="`note`"):
        ground.write(
            values("k, note", "(2, 'x')"),
            observe=once(Point.CHECKED, lambda: table.alter(add={"note": pa.date32()})),
        )
    assert len(ground.data_snapshots()) == 1


def test_a_table_made_by_another_at_the_same_time_is_written_to(ground: Ground) -> None:
    def rival() -> None:
        ground.lake.create_table("shop.T", {"K": pa.int32(), "w": pa.string()})

    made = ground.write(FIRST, observe=once(Point.CHECKED, rival))
    assert not made.created
    assert made.attempts == 2
    assert ground.lake.tables() == ["shop.T"]
    assert ground.columns("T") == ["K", "w", "v"]
    assert ground.rows("T") == [(1, None, 10), (2, None, 20), (3, None, 30)]


def test_who_is_always_overtaken_gives_up_and_leaves_nothing(ground: Ground) -> None:
    rules = Definition(pa.schema({"k": pa.int32()}), (PrimaryKey(("k",), "pk"),))
    table = ground.lake.create_table("shop.t", rules)
    attempts: list[int] = []

    def compete(seen: Progress) -> None:
        if seen.point is Point.WRITING:
            attempts.append(seen.attempt)
            table.append([{"k": 100 + seen.attempt}])

    with pytest.raises(ConflictError, match="5 attempts"):
        ground.write("SELECT CAST(2 AS INT) AS k", observe=compete)
    assert attempts == [1, 2, 3, 4, 5]
    assert ground.rows() == [(101,), (102,), (103,), (104,), (105,)]
    assert ground.data_snapshots() == []
    assert [ref.name for ref in table.refs()] == ["main"]


def test_runs_at_the_same_time_lose_and_double_nothing(ground: Ground) -> None:
    ground.write(FIRST)
    ready = threading.Barrier(3, timeout=100)

    def meet(seen: Progress) -> None:
        if seen.point is Point.WRITING and seen.attempt == 1:
            ready.wait()

    def run(number: int) -> Outcome:
        query = values("k, v", f"(1, {number})", f"(2, {number})", f"({number}, {number})")
        return ground.write(query, unique_key="k", observe=meet)

    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(run, (100, 200, 300)))
    assert len({each.snapshot_id for each in made}) == 3
    rows = ground.rows()
    shared = {v for k, v in rows if k in {1, 2}}
    assert len(shared) == 1  # the last one's, whole
    assert shared <= {100, 200, 300}
    assert [k for k, _ in rows] == [1, 100, 2, 200, 3, 300]
    assert len(ground.data_snapshots()) == 4

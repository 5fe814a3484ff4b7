"""All models of a run at once: each reads the branches of those before it, and readers see nothing until
one commit moves every table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lakeport.app.lake.lake import Lake
from lakeport.pipeline.running.events import Event, ModelEnded, Publishing, WrittenAgain
from lakeport.pipeline.writing import Point, Progress
from tests.spark.running.folder import Folder, of, statuses


@pytest.fixture
def chain(folder: Folder) -> Folder:
    """Three tables and a view between them, each made of the one before."""
    folder.load("raw.n", [{"n": 1}])
    folder.model("a.one", "SELECT n FROM raw.n", strategy="full")
    folder.model("a.two", "SELECT one.n + 10 AS n FROM a.one", strategy="full")
    folder.model("a.seen", "SELECT n FROM a.two", materialized="view")
    folder.model("b.three", "SELECT a.seen.n + 100 AS n FROM a.seen", strategy="full")
    return folder


def values(lake: Lake) -> list[list[Any]]:
    found: list[list[Any]] = []
    for name in ("a.one", "a.two", "b.three"):
        if name not in lake.tables():
            found.append([])
            continue
        with lake.table(name).scan() as rows:
            found.append(rows.read_all()["n"].to_pylist())
    return found


def watching(folder: Folder, seen: list[list[list[Any]]]) -> Callable[[Event], None]:
    def look(event: Event) -> None:
        if isinstance(event, ModelEnded | Publishing):
            with folder.lake() as lake:
                seen.append(values(lake))

    return look


def test_readers_see_nothing_and_then_everything(chain: Folder) -> None:
    seen: list[list[list[Any]]] = []
    first = chain.run(publish="run-atomic", listen=watching(chain, seen))
    assert first.status == "succeeded", [model.error for model in first.models]
    # Tables were made, and stayed empty while models below them read rows on branches.
    assert all(state in ([[], [], []], [[]] * 3) for state in seen)
    with chain.lake() as lake:
        assert values(lake) == [[1], [11], [111]]
    chain.load("raw.n", [{"n": 2}])
    seen.clear()
    second = chain.run(publish="run-atomic", listen=watching(chain, seen))
    assert second.status == "succeeded"
    assert len(seen) >= 5
    assert all(state == [[1], [11], [111]] for state in seen)
    with chain.lake() as lake:
        assert [sorted(each) for each in values(lake)] == [[1, 2], [11, 12], [111, 112]]
        # One commit of the catalog: every table's metadata was written at the same moment.
        stamps = {
            name: lake.table(name).port.state().version for name in ("a.one", "a.two", "b.three")
        }
    assert len(set(stamps.values())) == 1
    for name in ("a.one", "a.two", "b.three"):
        assert chain.refs(name) == {"main"}
        assert chain.runs(name) == [first.run_id, second.run_id]


def test_a_model_that_fails_publishes_nothing(chain: Folder) -> None:
    assert chain.run(publish="run-atomic").status == "succeeded"
    chain.load("raw.n", [{"n": 2}])
    chain.model("b.three", "SELECT n / 0 AS n FROM a.seen", strategy="full")
    result = chain.run(publish="run-atomic")
    assert result.status == "failed"
    assert statuses(result) == {
        "a.one": "blocked",
        "a.two": "blocked",
        "a.seen": "blocked",
        "b.three": "failed",
    }
    assert str(of(result, "a.one").blocked_by) == "b.three"
    with chain.lake() as lake:
        assert values(lake) == [[1], [11], [111]]
    for name in ("a.one", "a.two", "b.three"):
        assert chain.refs(name) == {"main"}


def test_who_was_overtaken_is_made_again_with_all_below_it(chain: Folder) -> None:
    chain.model("a.two", "SELECT n + 10 AS n FROM a.one", strategy="append")
    assert chain.run(publish="run-atomic").status == "succeeded"
    moved: list[int] = []

    def rival(seen: Event) -> None:
        if isinstance(seen, Publishing) and not moved:
            moved.append(1)
            with chain.lake() as lake:
                lake.table("a.two").append([{"n": 500}])

    result = chain.run(publish="run-atomic", listen=rival)
    assert result.status == "succeeded", result.error
    again = [event for event in chain.events if isinstance(event, WrittenAgain)]
    assert [[str(name) for name in event.models] for event in again] == [
        ["a.two", "a.seen", "b.three"]
    ]
    with chain.lake() as lake:
        assert [sorted(each) for each in values(lake)] == [[1], [11, 11, 500], [111, 111, 600]]


def test_rows_on_a_branch_are_published_model_by_model(chain: Folder) -> None:
    points: list[tuple[str, Point]] = []

    def observe(seen: Progress) -> None:
        points.append((str(seen.table), seen.point))

    result = chain.run(publish="branch", observe=observe, jobs=1)
    assert result.status == "succeeded"
    one = [point for table, point in points if table == "a.one"]
    assert one == [
        Point.LEASED,
        Point.ANALYSED,
        Point.STAGED,
        Point.CHECKED,
        Point.GROWN,
        Point.BRANCHED,
        Point.WRITING,
        Point.WRITTEN,
        Point.DONE,
        Point.PUBLISHED,
    ]
    # Main moves while the next one is written aside: it is written again on what is there then.
    moved: list[int] = []

    def rival(seen: Progress) -> None:
        if seen.point is Point.DONE and str(seen.table) == "a.two" and not moved:
            moved.append(1)
            with chain.lake() as lake:
                lake.table("a.two").append([{"n": 500}])

    again = chain.run("a.two", publish="branch", observe=rival)
    assert again.status == "succeeded"
    assert chain.rows("a.two") == [(11,)]
    assert chain.runs("a.two") == [result.run_id, again.run_id]
    assert chain.refs("a.two") == {"main"}

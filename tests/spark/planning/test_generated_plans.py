"""Random projects are planned, run, edited, planned and run again: what came is what the plan had said.

Beside what `agreed` compares: a plan writes nothing; a table that was refused, blocked or not selected has its old
snapshot; no row that a table keeps has lost a value; padded columns are NULL in new rows; views have the planned
columns; the query that is shown gives the rows of the table; and the next plan says that nothing changes, without Spark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from lakeport.app import wiring
from lakeport.app.project.tables import CatalogTables
from lakeport.core.names import TableName, fold
from lakeport.pipeline.console import Console
from lakeport.pipeline.growth.spark_words import text_of
from lakeport.pipeline.planning.model import ModelPlan
from lakeport.pipeline.target import Tables
from tests.engines.plain import rows_of
from tests.spark.ground import Lent
from tests.spark.planning.agreement import Agreed, agreed, plan_of
from tests.spark.planning.generated import Generator
from tests.spark.running.folder import Folder

# A type that is refused, a view and an ephemeral model that lose a column, one that leaves while one arrives.
FEW = (21, 32, 43, 46)
MANY = range(100, 106)

Rows = Counter[tuple[tuple[str, object], ...]]


@dataclass(frozen=True, slots=True)
class State:
    """A table: which snapshot and schema, and its rows by name of column."""

    snapshot: int | None
    schema: int
    rows: Rows


@contextmanager
def _lake(folder: Folder) -> Iterator[tuple[Any, Console]]:
    settings = folder.settings()
    with (
        wiring.open_catalog(settings) as catalog,
        wiring.open_pipeline(settings, catalog, None, start=lambda: Lent(folder.jvm)) as pipeline,
    ):
        yield catalog, Console(pipeline.spark(), pipeline.session())


def _states(folder: Folder, generator: Generator) -> dict[str, State | None]:
    names = [name for name, made in generator.models.items() if made.how not in _ROWLESS]
    found: dict[str, State | None] = {}
    with folder.lake() as lake:
        tables = Tables(lake.catalog)
        for name in names:
            head = tables.head(_name(name))
            if head is None:
                found[name] = None
                continue
            with lake.table(name).scan() as scan:
                rows = _named([field.name for field in head.columns], rows_of(scan.read_all()))
            found[name] = State(head.snapshot_id, head.schema_id, rows)
    return found


_ROWLESS = frozenset({"view", "ephemeral"})


def _named(names: list[str], rows: list[Any]) -> Rows:
    folded = [fold(name) for name in names]
    frozen = (map(_frozen, row) for row in rows)
    return Counter(tuple(sorted(zip(folded, row, strict=True), key=_first)) for row in frozen)


def _frozen(value: object) -> object:
    """A struct without the fields that are NULL: one that has grown since is still the same."""
    if not isinstance(value, dict):
        return value
    return frozenset((key, inner) for key, inner in value.items() if inner is not None)


def _first(pair: tuple[str, object]) -> str:
    return pair[0]


def _name(text: str) -> TableName:
    name = TableName.parse(text)
    assert name is not None
    return name


def _only(rows: Rows, names: set[str]) -> Rows:
    found: Rows = Counter()
    for row, count in rows.items():
        found[tuple(pair for pair in row if pair[0] in names)] += count
    return found


def _held(plan: ModelPlan, before: State | None, after: State | None) -> None:
    """What became of the rows that were there, and of those that came."""
    told = plan.as_dict()
    if plan.status in {"refused", "blocked"}:
        assert after == before, told
        return
    assert after is not None, told
    assert plan.growth is not None, told
    assert {name for row in after.rows for name, _ in row} <= {
        fold(each.name) for each in plan.growth.after
    }
    padded = {fold(each.path[0]) for each in plan.growth.padded if len(each.path) == 1}
    new = after.rows
    if before is not None and plan.strategy == "append":
        old = {name for row in before.rows for name, _ in row}
        kept = _only(after.rows, old)
        assert before.rows <= kept, told
        new = after.rows - _widened(before.rows, plan)
        assert new.total() == after.rows.total() - before.rows.total(), told
    if before is None or plan.strategy in {"append", "full"}:
        assert {value for row in new for name, value in row if name in padded} <= {None}, told


def _widened(rows: Rows, plan: ModelPlan) -> Rows:
    """Old rows as the table shows them now: NULL in what was added."""
    assert plan.growth is not None
    names = sorted(fold(each.name) for each in plan.growth.after)
    found: Rows = Counter()
    for row, count in rows.items():
        held = dict(row)
        found[tuple((name, held.get(name)) for name in names)] += count
    return found


def _compare(folder: Folder, generator: Generator, *select: str) -> Agreed:
    before = _states(folder, generator)
    planned: list[dict[str, State | None]] = []
    found = agreed(folder, *select, between=lambda: planned.append(_states(folder, generator)))
    assert planned == [before], "a plan has written something"
    after = _states(folder, generator)
    plans = {str(each.model): each for each in found.plan}
    for name in before:
        if name in plans:
            _held(plans[name], before[name], after[name])
        else:
            assert after[name] == before[name], name
    _shown(folder, found, after)
    if not found.plan.is_refused:
        again = plan_of(folder)
        assert not again.has_changes, [each.as_dict() for each in again]
        assert not again.asked_spark
    return found


def _shown(folder: Folder, found: Agreed, after: dict[str, State | None]) -> None:
    """Views have the planned columns; shown queries give the rows that are there."""
    with _lake(folder) as (catalog, console):
        for plan in found.plan:
            name, done = str(plan.model), plan.status not in {"refused", "blocked"}
            if plan.materialized == "view" and done:
                (view,) = CatalogTables(catalog)([plan.table])
                told = [(c.name, text_of(c.type)) for c in plan.columns or () if c.type is not None]
                assert list(view.columns) == told, plan.as_dict()
            state = after.get(name)
            if plan.strategy == "full" and done and state is not None:
                assert plan.query is not None
                frame = console.frame(plan.query, {})
                given = _named(frame.columns, rows_of(frame.toArrow()))
                assert plan.growth is not None
                # Values whose type the column cannot take are in another one.
                if not any("__" in each.name for each in plan.growth.after):
                    names = {fold(column) for column in frame.columns}
                    assert _only(state.rows, names) == given, plan.as_dict()


def _cycle(folder: Folder, seed: int, *, times: int) -> None:
    generator = Generator(seed)
    folder.load(
        "raw.left",
        [
            {
                "id": n,
                "n": n * 10,
                "t": None if n % 3 == 0 else f"t{n}",
                "d": date(2026, 1, n),
                "s": {"a": n, "b": f"b{n}"},
            }
            for n in range(1, 6)
        ],
    )
    folder.load("raw.right", [{"id": n, "k": n % 2, "u": f"u{n}"} for n in range(2, 7)])
    generator.write(folder)
    _compare(folder, generator)
    for _ in range(times):
        edits = [generator.edit() for _ in range(generator.random.choice((1, 1, 2)))]
        print(f"seed {seed}: {'; '.join(edits)}")  # noqa: T201  for whoever looks into a failure
        generator.write(folder)
        _compare(folder, generator)


@pytest.mark.parametrize("seed", FEW)
def test_random_projects_run_as_planned(folder: Folder, seed: int) -> None:
    _cycle(folder, seed, times=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", MANY)
def test_many_random_projects_run_as_planned(folder: Folder, seed: int) -> None:
    _cycle(folder, seed, times=2)

"""Upkeep beside runs: what killed ones left, what running ones are spared, and upkeep after a run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import lakeport
from lakeport.app.initialize import initialize
from lakeport.app.lake.lake import Lake
from lakeport.app.maintain import (
    Leftover,
    choose_tables,
    find_leftovers,
    maintain_after,
    maintain_tables,
    remove_leftovers,
)
from lakeport.app.maintain.policy import policy_of
from lakeport.app.settings import Settings, load
from lakeport.catalog.ports import Maintainable, Stored, require
from lakeport.catalog.upkeep import DAY, Policy, Task
from lakeport.core.names import TableName
from lakeport.pipeline.target import Run
from lakeport.state import Lease, ModelRecord, Owner, RunRecord, RunStatus, Store

SCHEMA = pa.schema([("k", pa.int64())])
ORDERS = TableName("shop", "orders")
STATUSES: dict[str, RunStatus] = {"done": "succeeded", "broken": "failed", "halted": "stopped"}
RUNS = ("done", "broken", "halted", "killed", "alive", "unknown")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    initialize(tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def lake(project: Path) -> Iterator[Lake]:
    with lakeport.open(project) as opened:
        yield opened


@pytest.fixture
def store(project: Path) -> Iterator[Store]:
    """Runs of every kind; `unknown` is of a program that has no place for it."""
    with Store.open(f"sqlite:///{project}/.lakeport/state.db") as opened:
        now = time.time_ns()
        for name in RUNS[:-1]:
            owner = Owner.here(name)
            if name == "killed":
                owner = replace(owner, process="1")
            opened.runs.begin(RunRecord(owner=owner, catalog="lake", started_ns=now))
            if name in STATUSES:
                opened.runs.end(name, STATUSES[name], now)
        yield opened


def settings_of(project: Path, **more: object) -> Settings:
    flags = {f"maintenance.{name}": value for name, value in more.items()}
    return load(project=project, variables={}, flags=flags)


@pytest.fixture
def littered(lake: Lake, store: Store) -> Lake:
    """A staging table and a branch of every run."""
    orders = lake.create_table("shop.orders", SCHEMA)
    orders.append([{"k": 1}])
    first = orders.history()[0].snapshot_id
    orders.append([{"k": 2}])
    orders.branch("somebodys")
    for name in RUNS:
        lake.create_table(f"lakeport_staging.run_{Run(name).word}_0badcafe", SCHEMA)
        orders.branch(Run(name).branch, f"snapshot:{first}")
    assert store.runs.recent()
    return lake


def found(lake: Lake, store: Store, *, days: float = 0.0) -> list[Leftover]:
    later = time.time_ns() + round(days * DAY)
    return find_leftovers(lake.catalog, store, [ORDERS], now_ns=later)


def removable(leftovers: list[Leftover]) -> dict[str, set[str | None]]:
    kinds = ("staging", "branch")
    gone = [each for each in leftovers if each.removable]
    return {kind: {each.run for each in gone if each.kind == kind} for kind in kinds}


def test_what_a_run_left_that_is_over_goes_at_once_and_the_rest_by_age(
    littered: Lake, store: Store
) -> None:
    ended: set[str | None] = {"done", "broken", "halted"}
    now = found(littered, store)
    assert len(now) == 2 * len(RUNS)
    assert removable(now) == {"staging": ended, "branch": ended}
    assert {each.run for each in now if each.live} == {"alive"}
    later = {*ended, "killed", None}
    assert removable(found(littered, store, days=2)) == {"staging": later, "branch": later}


def test_leftovers_are_removed_and_nothing_else(littered: Lake, store: Store) -> None:
    leftovers = found(littered, store, days=2)
    rehearsed = remove_leftovers(littered.catalog, leftovers, dry_run=True)
    assert len(rehearsed) == 10
    assert found(littered, store, days=2) == leftovers
    assert remove_leftovers(littered.catalog, leftovers) == rehearsed
    left = found(littered, store, days=2)
    assert {(each.kind, each.run) for each in left} == {("staging", "alive"), ("branch", "alive")}
    refs = {ref.name for ref in littered.table("shop.orders").refs()}
    assert refs == {"main", "somebodys", "lakeport_alive"}
    assert littered.table("shop.orders").scan().read_all().num_rows == 2
    # Somebody else may have been faster.
    assert remove_leftovers(littered.catalog, leftovers) == ()


def test_no_file_is_taken_for_an_orphan_while_a_run_writes(lake: Lake, store: Store) -> None:
    lake.create_table("shop.orders", SCHEMA).append([{"k": 1}])
    policy = Policy(orphan_grace=0)
    chosen = choose_tables(lake.catalog, ())
    stray = next(folder_of(lake).rglob("*.parquet")).with_name("stray.parquet")
    stray.write_bytes(b"x")
    held = store.leases.acquire("lake", ORDERS, Owner.here("alive"))
    assert isinstance(held, Lease)

    def orphans() -> tuple[bool, str]:
        leases = store.leases.held("lake")
        report = maintain_tables(lake.catalog, chosen, [Task.ORPHANS], policy, held=leases)
        (task,) = report.tables[0].tasks
        return task.has_changed, task.reason

    assert orphans() == (False, "skipped: run alive writes shop.orders now")
    assert stray.exists()
    store.leases.release(held)
    assert orphans()[0]
    assert not stray.exists()


def folder_of(lake: Lake) -> Path:
    location = require(lake.table("shop.orders").port, Stored, "it").storage().location
    return Path(location.removeprefix("file://"))


def test_after_a_run_what_is_due_is_done(project: Path, lake: Lake, store: Store) -> None:
    orders = lake.create_table("shop.orders", SCHEMA)
    for k in range(8):
        orders.append([{"k": k}])
    lake.create_table(f"lakeport_staging.run_{Run('done').word}_0badcafe", SCHEMA)
    old = RunRecord(owner=Owner.here("old"), catalog="lake", started_ns=1)
    store.runs.begin(old)
    store.runs.model("old", ModelRecord(model="shop.orders", table=ORDERS, status="failed"))
    store.runs.end("old", "failed", 2)
    settings = settings_of(project)
    report = maintain_after(settings, lake.catalog, [ORDERS], store=store, actor="ann")
    assert report is not None
    assert not report.has_problems
    tasks = {task.task: task.has_changed for task in report.tables[0].tasks}
    assert tasks == {Task.EXPIRE: False, Task.COMPACT: True, Task.MANIFESTS: False}
    assert [each.run for each in report.leftovers] == ["done"]
    assert store.runs.get("old") is None
    assert orders.scan().read_all().num_rows == 8


def test_after_a_run_a_few_small_files_are_left_as_they_are(
    project: Path, lake: Lake, store: Store
) -> None:
    """Every run would write a small table twice; until there are many files nobody feels it."""
    orders = lake.create_table("shop.orders", SCHEMA)
    orders.append([{"k": k} for k in range(10)])
    settings = settings_of(project)

    def is_compacted() -> bool:
        report = maintain_after(settings, lake.catalog, [ORDERS], store=store)
        assert report is not None
        (compact,) = [task for task in report.tables[0].tasks if task.task is Task.COMPACT]
        assert compact.due == compact.has_changed
        return compact.has_changed

    orders.delete("k < 5")
    assert not is_compacted()
    # Whoever asks for it has it done.
    upkeep = require(orders.port, Maintainable, "it")
    (asked,) = upkeep.due(policy_of(settings.maintenance), [Task.COMPACT])
    assert (asked.is_due, asked.reason) == (True, "1 file with many deletes")
    # So has a larger table.
    (large,) = upkeep.due(Policy(least_bytes=1_000), [Task.COMPACT])
    assert large.is_due
    for k in range(5, 10):
        orders.delete(f"k = {k}")
        orders.append([{"k": k + 100}])
        assert not is_compacted()
    for k in range(3):
        orders.append([{"k": k + 200}])
    assert is_compacted()
    assert set(orders.scan().read_all()["k"].to_pylist()) == {*range(105, 110), 200, 201, 202}


def test_after_a_run_trouble_is_told_and_not_raised(
    project: Path, lake: Lake, store: Store
) -> None:
    lake.create_table("shop.orders", SCHEMA).append([{"k": 1}])
    for file in folder_of(lake).rglob("snap-*"):
        file.write_bytes(b"damaged")
    with lakeport.open(project) as fresh:
        report = maintain_after(settings_of(project), fresh.catalog, [ORDERS], store=store)
    assert report is not None
    assert report.tables[0].problem


def test_it_is_automatic_only_where_that_was_asked_for(project: Path, lake: Lake) -> None:
    assert maintain_after(settings_of(project), lake.catalog, []) is not None
    assert maintain_after(settings_of(project, auto=False), lake.catalog, []) is None
    far = "https://s3tables.eu-central-1.amazonaws.com/iceberg"
    flags = {"catalog.type": "rest", "catalog.uri": far, "maintenance.auto": True}
    s3 = load(project=project, variables={}, flags=flags)
    assert maintain_after(s3, lake.catalog, []) is None
    rest = load(project=project, variables={}, flags=flags | {"catalog.uri": "https://lake"})
    assert maintain_after(rest, lake.catalog, []) is not None
    by_default = {"catalog.type": "rest", "catalog.uri": "https://lake"}
    assert (
        maintain_after(load(project=project, variables={}, flags=by_default), lake.catalog, [])
        is None
    )

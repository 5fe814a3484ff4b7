"""Going back: a table before its last commit, the tables of a run before it, and what others wrote since."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest

import lakeport
from lakeport.app.initialize import initialize
from lakeport.app.lake.lake import Lake
from lakeport.app.project.rollback import Rollback
from lakeport.catalog.changes import AddConstraint
from lakeport.catalog.definition import Check
from lakeport.catalog.history import MODEL, RUN_ID
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import Expirable, WriteContext, require
from lakeport.catalog.statements import insert_rows, overwrite_rows
from lakeport.core.errors import (
    ExpiredError,
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
)
from lakeport.core.names import TableName
from lakeport.pipeline.target import Tables
from lakeport.state import Lease, ModelRecord, ModelStatus, Owner, RunRecord, RunStatus, Store
from tests.catalog.iceberg.rest_server import rest_server

SCHEMA = pa.schema([("k", pa.int64())])


class World:
    """A lake, its store, and runs that write through ports as Spark does through the door."""

    def __init__(self, lake: Lake, store: Store) -> None:
        self.lake = lake
        self.store = store
        self.rollback = Rollback(lake.catalog, store, "ann")

    def make(self, *names: str) -> None:
        for name in names:
            self.lake.create_table(name, SCHEMA).append([{"k": 0}])

    def begin(self, run: str) -> None:
        owner = Owner.here(run)
        self.store.runs.begin(RunRecord(owner=owner, catalog="lake", started_ns=time.time_ns()))

    def write(self, run: str, name: str, *keys: int, status: ModelStatus = "succeeded") -> None:
        summary = {RUN_ID: run, MODEL: name}
        table = self.lake.table(name).port
        insert_rows(table, [{"k": k} for k in keys], WriteContext(summary=summary))
        target = TableName.parse(name)
        assert target is not None
        record = ModelRecord(model=name, table=target, status=status, fingerprint=run)
        self.store.runs.model(run, record)

    def end(self, run: str, status: RunStatus = "succeeded") -> None:
        self.store.runs.end(run, status, time.time_ns())

    def keys(self, name: str) -> list[int]:
        rows = self.lake.table(name).scan().read_all().to_pylist()
        return sorted(row["k"] for row in rows)

    def has_commit(self, run: str, name: str) -> bool:
        target = TableName.parse(name)
        assert target is not None
        head = Tables(self.lake.catalog).head(target)
        assert head is not None
        return head.commit_of(run, name) is not None

    def statuses(self, run: str) -> dict[str, str]:
        return {each.model: each.status for each in self.store.runs.models(run)}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    initialize(tmp_path / "project")
    with (
        lakeport.open(tmp_path / "project") as lake,
        Store.open(f"sqlite:///{tmp_path}/project/.lakeport/state.db") as store,
    ):
        yield World(lake, store)


@pytest.fixture
def ran(world: World) -> World:
    """Run `aaaa1` wrote `marts.a` and `marts.b`, which had a row each, and made `marts.c`."""
    world.make("marts.a", "marts.b")
    world.lake.create_table("marts.c", SCHEMA)
    world.begin("aaaa1")
    for number, name in enumerate(("marts.a", "marts.b", "marts.c")):
        world.write("aaaa1", name, 10 + number)
    world.end("aaaa1")
    return world


# -- a table -------------------------------------------------------------------------------------


def test_a_table_goes_back_before_its_last_commit(world: World) -> None:
    world.make("shop.t")
    table = world.lake.table("shop.t")
    table.append([{"k": 1}])
    table.append([{"k": 2}])
    table.alter(add={"note": pa.string()})
    report = world.rollback.table("SHOP.t")
    (rolled,) = report.tables
    assert world.keys("shop.t") == [0, 1]
    assert table.schema.names == ["k", "note"]
    assert (rolled.version, rolled.to_version, rolled.made) == (4, 2, 5)
    assert (rolled.rows, rolled.rows_after, rolled.empties) == (3, 2, False)
    assert [commit.version for commit in rolled.undone] == [3]
    # Once more goes further, and not back and forth.
    world.rollback.table("shop.t")
    assert world.keys("shop.t") == [0]
    assert world.rollback.table("shop.t").tables[0].empties
    assert world.keys("shop.t") == []
    with pytest.raises(PreconditionError, match="nothing to go back from"):
        world.rollback.table("shop.t")
    assert world.rollback.table("shop.t", "version:3").tables[0].made == 8
    assert world.keys("shop.t") == [0, 1, 2]


def test_a_table_goes_to_a_point_of_its_past(world: World) -> None:
    world.make("shop.t")
    table = world.lake.table("shop.t")
    for k in (1, 2, 3):
        table.append([{"k": k}])
    second = table.history()[1]
    assert (
        world.rollback.table("shop.t", f"snapshot:{second.snapshot_id}").tables[0].to_version == 2
    )
    assert world.keys("shop.t") == [0, 1]
    with pytest.raises(NotFoundError, match="version 99"):
        world.rollback.table("shop.t", "version:99")
    assert world.rollback.table("shop.t", "version:5").tables == ()  # it is there
    with pytest.raises(NotFoundError):
        world.rollback.table("shop.nothing")


def test_a_rehearsal_changes_nothing(ran: World) -> None:
    before = ran.lake.table("marts.a").port.state()
    report = ran.rollback.run("aaaa1", dry_run=True)
    assert [rolled.table for rolled in report.tables] == ["marts.a", "marts.b", "marts.c"]
    assert {rolled.made for rolled in report.tables} == {None}
    assert ran.lake.table("marts.a").port.state() == before
    assert set(ran.statuses("aaaa1").values()) == {"succeeded"}


def test_what_expired_cannot_be_gone_back_to(ran: World) -> None:
    require(ran.lake.table("marts.a").port, Expirable, "it").expire(keep=1)
    with pytest.raises(ExpiredError, match="before version 2"):
        ran.rollback.table("marts.a")
    with pytest.raises(ExpiredError, match=r"marts\.a"):
        ran.rollback.run("aaaa1")
    assert ran.keys("marts.b") == [0, 11]


# -- a run ---------------------------------------------------------------------------------------


def test_every_table_of_a_run_goes_back_and_the_run_has_not_committed(ran: World) -> None:
    report = ran.rollback.run("aaaa")
    assert (report.run, report.together, report.gone) == ("aaaa1", True, ())
    assert {rolled.table: rolled.empties for rolled in report.tables} == {
        "marts.a": False,
        "marts.b": False,
        "marts.c": True,
    }
    assert [ran.keys(name) for name in ("marts.a", "marts.b", "marts.c")] == [[0], [0], []]
    assert not any(ran.has_commit("aaaa1", name) for name in ("marts.a", "marts.b", "marts.c"))
    assert set(ran.statuses("aaaa1").values()) == {"rolled_back"}
    record = ran.store.runs.get("aaaa1")
    assert record is not None
    assert record.status == "rolled_back"
    assert not ran.store.runs.last_success("lake")
    assert ran.store.runs.resume("aaaa1", Owner.here("aaaa1")) is None
    # Nothing is left to do, and that is no error.
    assert ran.rollback.run("aaaa1").tables == ()


def test_a_rollback_that_is_taken_back_counts_again(ran: World) -> None:
    ran.rollback.run("aaaa1")
    ran.rollback.table("marts.a", "version:2")
    assert ran.keys("marts.a") == [0, 10]
    assert ran.has_commit("aaaa1", "marts.a")
    assert ran.statuses("aaaa1")["marts.a"] == "succeeded"


def test_the_run_before_counts_as_the_last_one(ran: World) -> None:
    ran.begin("bbbb2")
    ran.write("bbbb2", "marts.a", 20)
    ran.end("bbbb2")
    ran.rollback.run("bbbb2")
    assert ran.store.runs.last_success("lake")["marts.a"].record.fingerprint == "aaaa1"
    assert ran.has_commit("aaaa1", "marts.a")
    assert ran.keys("marts.a") == [0, 10]


def test_what_others_wrote_since_is_named_and_kept(ran: World) -> None:
    ran.begin("bbbb2")
    ran.write("bbbb2", "marts.a", 20)
    ran.end("bbbb2")
    ran.lake.table("marts.b").delete("k = 0")
    with pytest.raises(PreconditionError) as refused:
        ran.rollback.run("aaaa1")
    assert "marts.a: version 3" in refused.value.message
    assert "run bbbb2" in refused.value.message
    assert "marts.b: version 3" in refused.value.message
    assert "--force" in str(refused.value.hint)
    assert ran.keys("marts.a") == [0, 10, 20]
    report = ran.rollback.run("aaaa1", force=True)
    assert [len(rolled.others) for rolled in report.tables] == [1, 1, 0]
    assert [ran.keys(name) for name in ("marts.a", "marts.b")] == [[0], [0]]
    assert ran.statuses("bbbb2") == {"marts.a": "rolled_back"}


def test_columns_that_came_and_files_that_were_joined_are_nobodys_rows(ran: World) -> None:
    table = ran.lake.table("marts.a")
    table.alter(add={"note": pa.string()})
    ran.rollback.run("aaaa1")
    assert ran.keys("marts.a") == [0]
    assert table.schema.names == ["k", "note"]


def test_a_killed_run_is_known_by_its_tables(world: World) -> None:
    world.make("marts.a")
    owner = replace(Owner.here("dead1"), process="1")
    world.store.runs.begin(RunRecord(owner=owner, catalog="lake", started_ns=1))
    world.write("dead1", "marts.a", 1, status="running")
    assert world.rollback.run("dead1").tables[0].to_version == 1
    assert world.statuses("dead1") == {"marts.a": "rolled_back"}
    assert world.store.runs.interrupted("lake") == []


def test_a_run_that_the_store_does_not_know_is_found_in_the_tables(world: World) -> None:
    world.make("marts.a", "marts.b")
    context = WriteContext(summary={RUN_ID: "a program's", MODEL: "m"})
    overwrite_rows(world.lake.table("marts.b").port, [{"k": 9}], context)
    assert [rolled.table for rolled in world.rollback.run("a program's").tables] == ["marts.b"]
    assert world.keys("marts.b") == [0]
    with pytest.raises(NotFoundError, match="there is no run"):
        world.rollback.run("never")


def test_a_table_of_the_run_that_is_gone_is_told(ran: World) -> None:
    ran.lake.drop_table("marts.b")
    report = ran.rollback.run("aaaa1")
    assert report.gone == ("marts.b",)
    assert len(report.tables) == 2


def test_nobody_goes_back_while_a_run_is_at_work(ran: World) -> None:
    ran.begin("alive")
    with pytest.raises(PreconditionError, match="not done"):
        ran.rollback.run("alive")
    held = ran.store.leases.acquire("lake", TableName("marts", "b"), Owner.here("alive"))
    assert isinstance(held, Lease)
    with pytest.raises(PreconditionError, match="being written by run `alive`"):
        ran.rollback.run("aaaa1")
    assert ran.keys("marts.a") == [0, 10]
    # What it had taken by then is free again.
    assert [lease.table.table for lease in ran.store.leases.held("lake")] == ["b"]
    ran.store.leases.release(held)
    ran.rollback.run("aaaa1")
    assert ran.store.leases.held("lake") == []


def test_the_first_letters_must_mean_one_run(ran: World) -> None:
    ran.begin("aaaa2")
    ran.end("aaaa2")
    with pytest.raises(InvalidRequestError, match="several runs"):
        ran.rollback.run("aaaa")


def test_tables_that_break_a_rule_stop_all_of_them(ran: World) -> None:
    table = ran.lake.table("marts.b")
    table.delete("k = 0")
    table.alter(AddConstraint(Check("k > 0", "positive")))
    with pytest.raises(PreconditionError, match="positive"):
        ran.rollback.run("aaaa1", force=True)
    assert ran.keys("marts.a") == [0, 10]


def test_a_catalog_that_changes_tables_one_by_one_says_so(tmp_path: Path) -> None:
    with (
        rest_server(tmp_path) as server,
        IcebergCatalog(server.profile(), max_staleness=0) as catalog,
        Store.open(f"sqlite:///{tmp_path}/state.db") as store,
    ):
        world = World(Lake(catalog), store)
        world.make("marts.a", "marts.b")
        world.begin("aaaa1")
        world.write("aaaa1", "marts.a", 1)
        world.write("aaaa1", "marts.b", 2)
        world.end("aaaa1")
        report = world.rollback.run("aaaa1")
        assert not report.together
        assert [world.keys(name) for name in ("marts.a", "marts.b")] == [[0], [0]]


def test_the_report_is_plain_data(ran: World) -> None:
    shown = json.loads(msgspec.json.encode(ran.rollback.run("aaaa1")))
    assert shown["tables"][0]["undone"][0]["run"] == "aaaa1"

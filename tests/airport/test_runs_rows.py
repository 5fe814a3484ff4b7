"""What ran, read over Airport: each caller sees what is about tables that they may read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lakeport.access import Ability, AuditLog, Identity, grants_for
from lakeport.app.serve.view import Audit, Models, system_overlay
from lakeport.core.names import TableName
from lakeport.state import ModelRecord, Owner, RunRecord, Store, StoredEdge, StoredIssue
from tests.airport.airport_server import Client, People, serving, shop

ORDERS, CUSTOMERS = TableName("shop", "orders"), TableName("shop", "customers")
PEOPLE = People(
    {
        "admin": Identity("admin", grants_for([Ability.ADMIN], ["*"])),
        "reader": Identity("reader", grants_for([Ability.READ], ["*"])),
        "sales": Identity("sales", grants_for([Ability.READ], ["shop.orders", "lakeport.*"])),
        "stranger": Identity("stranger", grants_for([Ability.READ], ["lakeport.*"])),
    }
)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """Run `both` wrote two tables, run `one` the one that few may read, run `none` nothing."""
    with Store.open(f"sqlite:///{tmp_path}/state.db") as store, AuditLog(store.audit) as log:
        wrote = {"both": (ORDERS, CUSTOMERS), "one": (CUSTOMERS,), "none": ()}
        for number, (name, tables) in enumerate(wrote.items()):
            store.runs.begin(RunRecord(owner=Owner.here(name), catalog="lake", started_ns=number))
            for table in tables:
                record = ModelRecord(
                    model=str(table), table=table, status="failed", error="shop.customers broke"
                )
                store.runs.model(name, record)
            store.runs.end(name, "failed", 10)
        store.runs.begin(RunRecord(owner=Owner.here("eu"), catalog="eu", started_ns=1))
        edges = [
            StoredEdge(ORDERS, "id", ORDERS, "id"),
            StoredEdge(CUSTOMERS, "id", ORDERS, "id"),
            StoredEdge(ORDERS, "id", CUSTOMERS, "id"),
        ]
        issues = [
            StoredIssue(table, "UNKNOWN_COLUMN", "warning", "in shop.customers")
            for table in (ORDERS, CUSTOMERS)
        ]
        store.lineage.put("lake", None, edges, issues)
        overlay = system_overlay(Audit(store.audit, log), Models(store.runs, store.lineage))
        with serving([shop()], PEOPLE, overlay=overlay) as made:
            yield made


def rows(client: Client, who: str, table: str) -> list[dict[str, Any]]:
    caller = client.having(("authorization", f"Bearer {who}"))
    return caller.rows(caller.info("lakeport", table)).to_pylist()


def test_an_admin_sees_every_run_of_the_catalog_and_who_ran_it(client: Client) -> None:
    seen = rows(client, "admin", "runs")
    assert [(row["run_id"], row["models"]) for row in seen] == [
        ("both", 2),
        ("one", 1),
        ("none", 0),
    ]
    assert {row["host"] for row in seen} == {Owner.here("x").host}
    assert [row["error"] for row in rows(client, "admin", "model_runs")] == [
        "shop.customers broke"
    ] * 3


def test_who_may_read_everything_sees_what_was_said_but_not_who_ran_it(client: Client) -> None:
    seen = rows(client, "reader", "runs")
    assert [row["run_id"] for row in seen] == ["both", "one"]
    assert {(row["host"], row["request"]) for row in seen} == {(None, None)}
    assert len(rows(client, "reader", "lineage_edges")) == 3
    assert [row["message"] for row in rows(client, "reader", "issues")] == ["in shop.customers"] * 2


def test_others_learn_nothing_of_a_table_that_they_may_not_read(client: Client) -> None:
    told = {table: rows(client, "sales", table) for table in ("runs", "model_runs", "issues")}
    assert [(row["run_id"], row["models"]) for row in told["runs"]] == [("both", 1)]
    assert [row["model"] for row in told["model_runs"]] == ["shop.orders"]
    assert [row["table"] for row in told["issues"]] == ["orders"]
    edges = rows(client, "sales", "lineage_edges")
    assert [(row["source_table"], row["target_table"]) for row in edges] == [("orders", "orders")]
    assert "customers" not in str((told, edges))


@pytest.mark.parametrize("table", ["runs", "model_runs", "lineage_edges", "issues"])
def test_who_may_read_no_table_sees_no_row(client: Client, table: str) -> None:
    assert rows(client, "stranger", table) == []

"""`lakeport rollback` as a person types it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import lakeport as product
from lakeport.catalog.history import MODEL, RUN_ID
from lakeport.catalog.ports import WriteContext
from lakeport.catalog.statements import insert_rows
from lakeport.core.names import TableName
from lakeport.state import ModelRecord, Owner, RunRecord, Store
from tests.cli.conftest import Run


@pytest.fixture
def shop(lakeport: Run, tmp_path: Path) -> Run:
    """`shop.orders` and `shop.items` have two rows each, the second by run `feedbeef1`."""
    assert lakeport("init").code == 0
    with Store.open(f"sqlite:///{tmp_path}/.lakeport/state.db") as store:
        store.runs.begin(
            RunRecord(owner=Owner.here("feedbeef1"), catalog="lake", started_ns=time.time_ns())
        )
        Path("one.csv").write_text("k\n1\n")
        for name in ("shop.items", "shop.orders"):
            assert lakeport("load", name, "one.csv").code == 0
            with product.open(tmp_path) as lake:
                summary = {RUN_ID: "feedbeef1", MODEL: name}
                insert_rows(lake.table(name).port, [{"k": 2}], WriteContext(summary=summary))
            table = TableName("shop", name.removeprefix("shop."))
            record = ModelRecord(model=name, table=table, status="succeeded")
            store.runs.model("feedbeef1", record)
        store.runs.end("feedbeef1", "succeeded", time.time_ns())
    return lakeport


def rows(run: Run, table: str) -> int:
    return len(json.loads(run("read", table, "--format", "json").out))


def test_a_rehearsal_tells_and_changes_nothing(shop: Run) -> None:
    shown = shop("rollback", "feedbeef1", "--dry-run")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines()[:3] == [
        "table        version  rows of    rows    undone",
        "shop.items   2        version 1  2 -> 1  1 commit",
        "shop.orders  2        version 1  2 -> 1  1 commit",
    ]
    assert shown.out.endswith("2 tables would go back, nothing was changed\n")
    assert rows(shop, "shop.orders") == 2


def test_a_run_goes_back_and_says_how_to_see_it_still(shop: Run) -> None:
    shown = shop("rollback", "feed")
    assert shown.code == 0, shown.err
    assert "shop.items   2 -> 3   version 1  2 -> 1  1 commit" in shown.out
    assert "lakeport read shop.items --at version:2" in shown.out
    assert [rows(shop, name) for name in ("shop.items", "shop.orders")] == [1, 1]
    assert (
        len(json.loads(shop("read", "shop.items", "--at", "version:2", "--format", "json").out))
        == 2
    )
    assert shop("rollback", "feedbeef1").out == "there is nothing to take back\n"
    assert "rolled back" in shop("status").out


def test_a_table_goes_back_by_a_commit_or_to_a_point(shop: Run) -> None:
    found = json.loads(shop("rollback", "shop.orders", "--json").out)
    assert (found["run"], found["tables"][0]["made"]) == (None, 3)
    assert rows(shop, "shop.orders") == 1
    assert shop("rollback", "shop.orders", "--to", "version:2").code == 0
    assert rows(shop, "shop.orders") == 2
    last = json.loads(shop("history", "shop.orders", "--json").out)[-1]
    assert last["summary"]["lakeport.statement"] == "rollback to version 2"
    assert last["operation"] == "replace"


def test_others_rows_are_not_undone_unasked(shop: Run) -> None:
    assert shop("load", "shop.orders", "one.csv").code == 0
    refused = shop("rollback", "feedbeef1")
    assert refused.code == 1
    assert "shop.orders: version 3 of" in refused.err
    assert "--force undoes them, too" in refused.err
    assert rows(shop, "shop.items") == 2
    assert shop("rollback", "feedbeef1", "--force").code == 0
    assert [rows(shop, name) for name in ("shop.items", "shop.orders")] == [1, 1]


NONSENSE = {
    ("shop.orders", "--force"): (2, "--force is for a run"),
    ("feedbeef1", "--to", "version:1"): (2, "--to is for a table"),
    ("shop.order",): (1, "shop.orders"),
    ("nothing",): (1, "there is no run `nothing`"),
    ("shop.orders", "--to", "version:9"): (1, "no version 9 yet"),
    ("shop.orders", "--to", "version:x"): (2, "version"),
    (): (2, "TABLE|RUN"),
}


def test_what_makes_no_sense_is_refused(shop: Run) -> None:
    for arguments, (code, told) in NONSENSE.items():
        refused = shop("rollback", *arguments)
        assert refused.code == code, arguments
        assert told in refused.err
        assert rows(shop, "shop.orders") == 2

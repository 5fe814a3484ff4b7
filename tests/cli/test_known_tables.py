"""`lakeport read lakeport.…`: what Lakeport knows, from the shell and without a server."""

from __future__ import annotations

import json
from pathlib import Path

from lakeport.core.names import TableName
from lakeport.state import ModelRecord, Owner, RunRecord, Store
from tests.cli.conftest import Run


def test_what_lakeport_knows_is_read_without_a_server(lakeport: Run, tmp_path: Path) -> None:
    assert lakeport("init").code == 0
    Path("one.csv").write_text("k\n1\n")
    assert lakeport("load", "shop.orders", "one.csv").code == 0
    with Store.open(f"sqlite:///{tmp_path}/.lakeport/state.db") as store:
        store.runs.begin(RunRecord(owner=Owner.here("r"), catalog="lake", started_ns=1))
        table = TableName("shop", "orders")
        store.runs.model("r", ModelRecord(model="shop.orders", table=table, status="succeeded"))
        store.runs.end("r", "succeeded", 2)
    shown = lakeport(
        "read", "lakeport.runs", "--columns", "run_id,status,models", "--format", "json"
    )
    assert json.loads(shown.out) == [{"run_id": "r", "status": "succeeded", "models": 1}]
    shown = lakeport("read", "LAKEPORT.Tables", "--columns", "table,rows", "--format", "json")
    assert json.loads(shown.out) == [{"table": "orders", "rows": 1}]
    assert "run_id" in lakeport("show", "lakeport.model_runs").out


def test_a_system_table_that_is_not_there_names_the_nearest(lakeport: Run) -> None:
    assert lakeport("init").code == 0
    missing = lakeport("read", "lakeport.run")
    assert missing.code == 1
    assert "lakeport.runs" in missing.err

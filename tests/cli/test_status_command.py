"""`lakeport status` as a person types it: nothing, everything, one run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lakeport.core.names import TableName
from lakeport.core.timepoint import parse_time
from lakeport.state import ModelRecord, Owner, RunRecord, Store
from tests.cli.conftest import Run

START = parse_time("2024-05-01T10:00:00Z")
SECOND = 1_000_000_000


@pytest.fixture
def store(lakeport: Run, tmp_path: Path) -> Iterator[Store]:
    assert lakeport("init").code == 0
    with Store.open(f"sqlite:///{tmp_path}/.lakeport/state.db") as opened:
        yield opened


def record(name: str, **more: object) -> ModelRecord:
    table = TableName.parse(name)
    assert table is not None
    found = ModelRecord(
        model=name,
        table=table,
        status="succeeded",
        strategy="append",
        rows=3,
        started_ns=START,
        ended_ns=START + 2 * SECOND,
        version=4,
    )
    return replace(found, **more)  # type: ignore[arg-type]


@pytest.fixture
def history(store: Store, tmp_path: Path) -> Store:
    """Run `aaaaaaaa1` was good, `bbbbbbbb2` broke a model, `cccccccc3` was killed."""
    (tmp_path / "models" / "marts").mkdir(parents=True)
    for name in ("orders", "totals"):
        (tmp_path / "models" / "marts" / f"{name}.sql").write_text("SELECT 1 AS id\n")
    runs = store.runs
    for number, name in enumerate(("aaaaaaaa1", "bbbbbbbb2", "cccccccc3")):
        owner = Owner.here(name)
        if name.startswith("c"):
            owner = replace(owner, host="box", pid=7, process="1")
        request = '{"select":["+marts.totals"],"full_refresh":true}'
        began = START + number * 60 * SECOND
        runs.begin(
            RunRecord(owner=owner, catalog="lake", started_ns=began, request=request, actor="ann")
        )
    runs.model("aaaaaaaa1", record("marts.orders"))
    runs.model("aaaaaaaa1", record("marts.totals"))
    runs.end("aaaaaaaa1", "succeeded", START + 5 * SECOND)
    broken = {"status": "failed", "rows": None, "version": None, "ended_ns": START + 90 * SECOND}
    runs.model(
        "bbbbbbbb2",
        record(
            "marts.totals", **broken, code="refused", error="column `a` is text", hint="cast it"
        ),
    )
    runs.end("bbbbbbbb2", "failed", START + 130 * SECOND, error="1 model failed")
    runs.model(
        "cccccccc3",
        record("marts.orders", status="running", ended_ns=None, rows=None, version=None),
    )
    return store


def test_it_says_so_when_nothing_ever_ran(lakeport: Run, store: Store) -> None:
    assert store.runs.recent() == []
    shown = lakeport("status")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out == "nothing ran yet; `lakeport run` builds the models of this project\n"
    assert json.loads(lakeport("status", "--json").out) == {
        "runs": [],
        "interrupted": [],
        "models": [],
        "writing": [],
        "left": [],
        "unbuilt": [],
        "problem": None,
    }


def test_models_that_no_file_builds_any_more_are_told(
    lakeport: Run, history: Store, tmp_path: Path
) -> None:
    assert history.runs.recent()
    (tmp_path / "models" / "marts" / "totals.sql").unlink()
    assert json.loads(lakeport("status", "--json").out)["unbuilt"] == ["marts.totals"]
    told = "\nno file builds marts.totals any more; what was written stays as it is\n"
    assert told in lakeport("status").out
    (tmp_path / "models" / "marts" / "orders.sql").write_text(
        "/* lakeport\nname = 'x'\n*/ SELECT 1"
    )
    assert json.loads(lakeport("status", "--json").out)["unbuilt"] == []


def test_it_tells_what_ran_what_failed_and_how_to_go_on(lakeport: Run, history: Store) -> None:
    history.leases.acquire("lake", TableName("marts", "x"), Owner.here("dddddddd4"))
    shown = lakeport("status")
    assert shown.code == 0
    assert shown.out.startswith(
        """\
run       status       started               took        models
cccccccc  interrupted  2024-05-01T10:02:00Z              1 interrupted
bbbbbbbb  failed       2024-05-01T10:01:00Z  1 min 10 s  1 failed
aaaaaaaa  succeeded    2024-05-01T10:00:00Z  5.0 s       2 succeeded

model         status       when                  took        rows  version
marts.orders  interrupted  2024-05-01T10:00:00Z
marts.totals  failed       2024-05-01T10:01:30Z  1 min 30 s

failed: marts.totals: column `a` is text
hint: cast it
its last commit is of 2024-05-01T10:00:02Z

cut off: run cccccccc3 of 2024-05-01T10:02:00Z
hint: `lakeport run --select +marts.totals --full-refresh` goes on with it; \
`lakeport rollback cccccccc3` takes back what it has committed

being written  by run    process"""
    )
    assert f"marts.x        dddddddd  process {Owner.here('x').pid} on" in shown.out


def test_json_has_all_of_it(lakeport: Run, history: Store) -> None:
    found = json.loads(lakeport("status", "--json").out)
    assert [run["run_id"] for run in found["runs"]] == ["cccccccc3", "bbbbbbbb2", "aaaaaaaa1"]
    assert found["runs"][2]["models"] == {"succeeded": 2}
    totals = next(each for each in found["models"] if each["model"] == "marts.totals")
    assert (totals["status"], totals["error"], totals["run_id"]) == (
        "failed",
        "column `a` is text",
        "bbbbbbbb2",
    )
    assert [run["run_id"] for run in found["interrupted"]] == ["cccccccc3"]
    assert history.runs.get("cccccccc3") is not None
    assert len(json.loads(lakeport("status", "--limit", "1", "--json").out)["runs"]) == 1
    assert json.loads(lakeport("status", "--env", "dev", "--json").out)["runs"] == []


def test_one_run_is_shown_by_its_first_letters(lakeport: Run, history: Store) -> None:
    shown = lakeport("status", "bbbb")
    assert shown.code == 0
    assert "run      bbbbbbbb2" in shown.out
    assert "by       ann" in shown.out
    assert "failed: marts.totals: column `a` is text" in shown.out
    report = json.loads(lakeport("status", "bbbbbbbb2", "--json").out)
    assert (report["run"]["status"], report["models"][0]["code"]) == ("failed", "refused")
    missing = lakeport("status", "nothing")
    assert missing.code == 1
    assert "cccccccc3" in missing.err
    assert history.runs.recent()


def test_what_runs_left_in_the_lake_is_told(lakeport: Run, history: Store) -> None:
    Path("one.csv").write_text("k\n1\n")
    assert lakeport("load", "lakeport_staging.run_bbbbbbbb2_0badcafe", "one.csv").code == 0
    shown = lakeport("status")
    assert "lakeport_staging.run_bbbbbbbb2_0badcafe  staging  bbbbbbbb" in shown.out
    assert "`lakeport maintain` removes 1 of them now" in shown.out
    done = lakeport("maintain", "--only", "leftovers")
    assert done.code == 0, done.err
    assert "staging table of run bbbbbbbb2 that is over" in done.out
    assert "left behind" not in lakeport("status").out
    assert history.runs.recent()


def test_a_lake_that_cannot_be_reached_does_not_hide_the_runs(
    lakeport: Run, history: Store
) -> None:
    far = ("--set", "catalog.type=rest", "--set", "catalog.uri=http://127.0.0.1:9")
    shown = lakeport("status", *far)
    assert shown.code == 0
    assert "aaaaaaaa" in shown.out
    assert "the lake was not looked at" in shown.out
    assert history.runs.recent()


def test_it_needs_a_project(lakeport: Run) -> None:
    missing = lakeport("status")
    assert missing.code == 1
    assert "lakeport init" in missing.err

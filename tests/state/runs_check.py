"""What the records of runs promise on every database; the suites of both call it with a store of theirs."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from lakeport.core.errors import AlreadyExistsError
from lakeport.core.names import TableName
from lakeport.state import ModelRecord, Owner, RunRecord, Store, StoredEdge, StoredIssue
from tests.state.leases_check import elsewhere

ORDERS = TableName("marts", "Orders")
ORDER = ModelRecord(
    model="marts.Orders",
    table=ORDERS,
    status="succeeded",
    strategy="merge",
    rows=3,
    counts={"added-records": 3},
    started_ns=11,
    ended_ns=12,
    snapshot_id=2**62,
    version=4,
    created=True,
    attempts=2,
    fingerprint="f",
    interval="1970-01-01/2024-01-01",
    columns='[{"name": "id"}]',
    warnings=("one\0two", "x" * 30_000),
)


def run_of(run_id: str, started_ns: int = 10, **changes: Any) -> RunRecord:
    run = RunRecord(owner=Owner.here(run_id), catalog="lake", started_ns=started_ns, actor="ann")
    return replace(run, **changes)


def check_a_run_from_beginning_to_end(store: Store) -> None:
    runs = store.runs
    begun = run_of("a", environment="dev", request='{"select": ["x"]}', fingerprint="p")
    runs.begin(begun)
    with pytest.raises(AlreadyExistsError):
        runs.begin(begun)
    found = runs.get("a")
    assert found is not None
    assert replace(found, until_ns=0) == begun
    runs.model("a", replace(ORDER, status="running", rows=None))
    runs.model("a", ORDER)
    broken = ModelRecord(
        model="marts.broken",
        table=TableName("marts", "broken"),
        status="failed",
        code="conflict",
        error="no\0",
        hint="try again",
    )
    runs.model("a", broken)
    assert runs.models("a") == [
        replace(ORDER, warnings=("one\0two", "x" * 20_000 + "…")),
        replace(broken, error="no\ufffd"),
    ]
    assert runs.beat(begun.owner)
    runs.end("a", "failed", 20, error="1 model failed")
    assert not runs.beat(begun.owner)
    found = runs.get("a")
    assert found is not None
    assert (found.status, found.ended_ns, found.error) == ("failed", 20, "1 model failed")
    assert runs.get("b") is None
    assert [run.run_id for run in runs.starting_with("a")] == ["a"]
    assert runs.starting_with("%") == []


def check_what_is_newest(store: Store) -> None:
    runs = store.runs
    for number, status in enumerate(("succeeded", "failed")):
        name = f"r{number}"
        runs.begin(run_of(name, started_ns=number))
        runs.model(name, replace(ORDER, status=status, fingerprint=name))  # type: ignore[arg-type]
        runs.end(name, "succeeded", number)
    runs.begin(run_of("dev", environment="dev"))
    runs.model("dev", replace(ORDER, fingerprint="dev"))
    assert runs.last("lake")["MARTS.orders"].record.fingerprint == "r1"
    assert runs.last_success("lake")["marts.Orders"].record.fingerprint == "r0"
    assert runs.last_success("lake", "dev")["marts.orders"].run_id == "dev"
    assert not runs.last_success("lake", "prod")
    assert not runs.last("eu")
    assert [run.run_id for run in runs.recent()] == ["dev", "r1", "r0"]
    assert [run.run_id for run in runs.recent(1, catalog="lake", command="run")] == ["dev"]
    assert runs.recent(catalog="eu") == []
    assert runs.environments("lake") == [None, "dev"]
    # What a rollback undid is no success any more.
    runs.model("r0", replace(ORDER, status="rolled_back"))
    assert not runs.last_success("lake")


def check_an_interrupted_run_is_taken_up_once(store: Store, url: str) -> None:
    runs = store.runs
    dead = replace(Owner.here("dead"), process="1")
    runs.begin(run_of("dead", owner=dead, request="{}"))
    runs.model("dead", replace(ORDER, status="running"))
    runs.begin(run_of("silent", owner=elsewhere("silent")), ttl=-1)
    runs.begin(run_of("far", owner=elsewhere("far")))
    runs.begin(run_of("alive"))
    runs.begin(run_of("other", owner=replace(dead, run_id="other"), environment="dev"))
    assert {run.run_id for run in runs.interrupted("lake")} == {"dead", "silent"}
    assert [run.run_id for run in runs.interrupted("lake", "dev")] == ["other"]
    assert [each.status for each in runs.models("dead")] == ["interrupted"]
    assert runs.resume("alive", Owner.here("alive")) is None
    assert runs.resume("nobody", Owner.here("nobody")) is None
    got: list[RunRecord] = []
    barrier = threading.Barrier(3)

    def take() -> None:
        with Store.open(url) as mine:
            barrier.wait()
            found = mine.runs.resume("dead", Owner.here("dead"))
            if found is not None:
                got.append(found)

    threads = [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (found,) = got
    assert (found.status, found.owner) == ("interrupted", dead)
    after = runs.get("dead")
    assert after is not None
    assert (after.status, after.owner) == ("running", Owner.here("dead"))
    runs.end("dead", "failed", 30)
    assert runs.resume("dead", Owner.here("dead")) is not None  # `--retry`
    runs.end("dead", "succeeded", 31)
    assert runs.resume("dead", Owner.here("dead")) is None


def check_old_runs_are_forgotten(store: Store) -> None:
    runs = store.runs
    for number in range(3):
        name = f"r{number}"
        runs.begin(run_of(name, started_ns=number))
        runs.model(name, replace(ORDER, status="failed" if number == 2 else "succeeded"))
        runs.end(name, "succeeded", number)
    runs.begin(run_of("running", started_ns=0))
    assert runs.forget(3) == 2
    # The last commit of a model stays known, and so does what still runs.
    assert {run.run_id for run in runs.recent()} == {"r1", "running"}
    assert [each.status for each in runs.models("r1")] == ["succeeded"]
    assert runs.models("r0") == runs.models("r2") == []


def check_lineage_is_replaced(store: Store) -> None:
    lineage = store.lineage
    raw = TableName("raw", "orders")
    edges = [
        StoredEdge(raw, f"c{number}", ORDERS, "total", "derivation", number == 1)
        for number in range(1_500)
    ]
    issue = StoredIssue(ORDERS, "UNKNOWN_COLUMN", "warning", "what\0", "that", "models/x.sql", 3, 7)
    lineage.put("lake", None, edges, [issue])
    lineage.put("lake", "dev", edges[:1], [])
    lineage.put("eu", None, [], [issue])
    assert lineage.edges("lake") == edges
    assert lineage.issues("lake") == [issue._replace(message="what\ufffd")]
    lineage.put("lake", None, edges[1:2], [])
    assert lineage.edges("lake") == edges[1:2]
    assert lineage.issues("lake") == []
    assert lineage.edges("lake", "dev") == edges[:1]
    assert lineage.environments("lake") == [None, "dev"]
    assert lineage.environments("eu") == [None]

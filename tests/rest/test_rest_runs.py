"""A run of a pipeline is in a table's history once, however often its commit is sent."""

from __future__ import annotations

from typing import Any

from tests.rest.raw import RawLake, RawTable, update

LOST = (409, "CommitFailedException")


def written(table: RawTable, run: str, model: str = "shop.t") -> tuple[int, dict[str, Any]]:
    """The number of a new snapshot by that run, and the update that adds it."""
    summary = {"operation": "append", "lakeport.run-id": run, "lakeport.model": model}
    snapshot = table.snapshot(table.loaded()["last-sequence-number"] + 1, summary=summary)
    return snapshot["snapshot-id"], update("add-snapshot", snapshot=snapshot)


def at(branch: str, number: int) -> dict[str, Any]:
    return update("set-snapshot-ref", ref_name=branch, type="branch", snapshot_id=number)


def test_a_second_commit_of_a_run_is_overtaken_for_good(raw: RawLake) -> None:
    table = raw.table()
    first, added = written(table, "r1")
    table.changed(added, at("main", first))
    table.append()
    second, added = written(table, "r1")
    refused = table.refuse(added, at("main", second))
    assert refused.error == LOST
    assert "run `r1` has written table" in refused.message


def test_other_runs_and_other_models_are_not_in_its_way(raw: RawLake) -> None:
    table = raw.table()
    for run, model in (("r1", "shop.t"), ("r2", "shop.t"), ("r1", "shop.more")):
        number, added = written(table, run, model)
        table.changed(added, at("main", number))
    assert len(table.loaded()["snapshots"]) == 3


def test_a_branch_may_hold_what_main_then_refuses(raw: RawLake) -> None:
    table = raw.table()
    first, added = written(table, "r1")
    table.changed(added, at("main", first))
    second, added = written(table, "r1")
    table.changed(added, at("dev", second))
    assert table.refuse(at("main", second)).error == LOST


def test_two_snapshots_of_a_run_are_published_as_one(raw: RawLake) -> None:
    table = raw.table()
    table.append()
    deleted, added = written(table, "r1")
    table.changed(added, at("dev", deleted))
    inserted, added = written(table, "r1")
    added["snapshot"]["parent-snapshot-id"] = deleted
    table.changed(added, at("dev", inserted))
    assert table.changed(at("main", inserted))["current-snapshot-id"] == inserted


def test_a_run_that_was_rolled_back_may_come_again(raw: RawLake) -> None:
    table = raw.table()
    before = table.append()
    first, added = written(table, "r1")
    table.changed(added, at("main", first))
    table.changed(at("main", before))
    again, added = written(table, "r1")
    table.changed(added, at("main", again))
    assert table.changed(at("main", before))["current-snapshot-id"] == before
    assert table.changed(at("main", first))["current-snapshot-id"] == first

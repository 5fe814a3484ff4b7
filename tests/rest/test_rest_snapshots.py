"""Snapshots, branches, tags and statistics: what an engine writes is in the table's history as it must be."""

from __future__ import annotations

from typing import Any

import pytest

from lakeport.catalog.evolution.rules import rules_of
from tests.rest.raw import COLUMNS, RawLake, RawTable, column, schema, update

BAD = (400, "BadRequestException")
LOST = (409, "CommitFailedException")


def add(snapshot: dict[str, Any]) -> dict[str, Any]:
    return update("add-snapshot", snapshot=snapshot)


def point(name: str, number: int, kind: str = "branch", **more: Any) -> dict[str, Any]:
    return update("set-snapshot-ref", ref_name=name, type=kind, snapshot_id=number, **more)


def history(table: RawTable) -> list[int]:
    return [entry["snapshot-id"] for entry in table.loaded()["snapshot-log"]]


def test_an_append_moves_main_and_the_log(raw: RawLake) -> None:
    table = raw.table()
    first, second = table.append(), table.append()
    after = table.loaded()
    assert after["current-snapshot-id"] == second
    assert after["refs"]["main"] == {"snapshot-id": second, "type": "branch"}
    assert after["last-sequence-number"] == 2
    assert history(table) == [first, second]
    assert after["snapshots"][1]["summary"] == {"operation": "append", "added-records": "1"}


def test_a_snapshot_on_a_branch_is_not_in_the_log(raw: RawLake) -> None:
    table = raw.table()
    main = table.append()
    snapshot = table.snapshot(2)
    after = table.changed(add(snapshot), point("dev", snapshot["snapshot-id"]))
    assert after["current-snapshot-id"] == main
    assert history(table) == [main]
    assert after["refs"]["dev"]["snapshot-id"] == snapshot["snapshot-id"]


@pytest.mark.parametrize("sequence", [0, 1])
def test_a_sequence_number_that_was_given_out_is_lost(raw: RawLake, sequence: int) -> None:
    table = raw.table()
    table.append()
    assert table.refuse(add(table.snapshot(sequence))).error == LOST
    orphan = table.snapshot(sequence, **{"parent-snapshot-id": None})
    assert table.refuse(add(orphan)).error == LOST


def test_a_replaced_table_goes_on_counting_whatever_was_written_meanwhile(raw: RawLake) -> None:
    """Java's client sends a replace again as it is, with the numbers of the table that it once saw."""
    table = raw.table()
    table.append()
    first = table.snapshot(2, **{"parent-snapshot-id": None})
    second = table.snapshot(3, **{"parent-snapshot-id": first["snapshot-id"]})
    overtaken = [table.append(), table.append()]
    after = table.changed(
        update("remove-snapshot-ref", ref_name="main"),
        add(first),
        point("main", first["snapshot-id"]),
        add(second),
        point("main", second["snapshot-id"]),
    )
    numbers = {each["snapshot-id"]: each["sequence-number"] for each in after["snapshots"]}
    assert [numbers[each] for each in overtaken] == [2, 3]
    assert [numbers[each["snapshot-id"]] for each in (first, second)] == [4, 5]
    assert len(set(numbers.values())) == len(numbers)
    assert after["last-sequence-number"] == 5
    assert after["current-snapshot-id"] == second["snapshot-id"]
    assert table.append()


CHECK = '[{"kind": "check", "name": "c", "columns": {"k": 1}, "expression": "k > 0"}]'


@pytest.mark.parametrize(
    "change",
    [
        [update("set-properties", updates={"lakeport.constraints": CHECK})],
        [
            update("add-schema", schema=schema(COLUMNS[0], {**COLUMNS[1], "required": True})),
            update("set-current-schema", schema_id=-1),
        ],
    ],
    ids=["check", "not null"],
)
def test_rows_that_were_checked_by_older_rules_are_lost(
    raw: RawLake, change: list[dict[str, Any]]
) -> None:
    """Nobody held them against what the table has asked of rows since."""
    table = raw.table()
    now = table.loaded()
    checked = rules_of(now["schemas"][0], now["properties"])

    def rows() -> dict[str, Any]:
        summary = {"operation": "append", "lakeport.rules": checked}
        return add(table.snapshot(table.loaded()["last-sequence-number"] + 1, summary=summary))

    after = table.changed(rows())
    assert after["snapshots"][0]["summary"]["lakeport.rules"] == checked
    grown = schema(*COLUMNS, column(3, "more"), number=1)
    table.changed(update("add-schema", schema=grown), update("set-current-schema", schema_id=-1))
    table.changed(rows())
    table.changed(*change)
    assert table.refuse(rows()).error == LOST


def test_a_snapshot_that_is_there_is_refused(raw: RawLake) -> None:
    table = raw.table()
    number = table.append()
    assert table.refuse(add(table.snapshot(2, **{"snapshot-id": number}))).error == BAD


@pytest.mark.parametrize(
    "fields",
    [
        {"summary": None},
        {"summary": {}},
        {"summary": {"operation": "invent"}},
        {"timestamp-ms": "yesterday"},
        {"manifest-list": None},
        {"schema-id": 9},
        {"timestamp-ms": 0},
    ],
)
def test_a_snapshot_that_cannot_be_is_refused(raw: RawLake, fields: dict[str, Any]) -> None:
    table = raw.table()
    table.append()
    snapshot = table.snapshot(2, **fields)
    reply = table.refuse(add(snapshot), point("main", snapshot["snapshot-id"]))
    assert reply.error == BAD


def test_only_the_last_of_several_snapshots_was_ever_current(raw: RawLake) -> None:
    table = raw.table()
    first, second = table.snapshot(1), table.snapshot(2)
    table.changed(
        add(first),
        point("main", first["snapshot-id"]),
        add(second),
        point("main", second["snapshot-id"]),
    )
    assert history(table) == [second["snapshot-id"]]


def test_a_rollback_is_a_new_entry_of_the_log(raw: RawLake) -> None:
    table = raw.table()
    first, second = table.append(), table.append()
    table.changed(point("main", first))
    assert history(table) == [first, second, first]
    assert table.loaded()["current-snapshot-id"] == first


def test_removed_snapshots_end_the_history_before_them(raw: RawLake) -> None:
    table = raw.table()
    first, second, third = table.append(), table.append(), table.append()
    statistics = {"snapshot-id": second, "statistics-path": "s", "file-size-in-bytes": 1}
    table.changed(update("set-partition-statistics", partition_statistics=statistics))
    after = table.changed(update("remove-snapshots", snapshot_ids=[second, 424242]))
    assert [each["snapshot-id"] for each in after["snapshots"]] == [first, third]
    assert history(table) == [third]
    assert not after.get("partition-statistics")


def test_removing_what_a_branch_is_at_removes_the_branch(raw: RawLake) -> None:
    table = raw.table()
    number = table.append()
    after = table.changed(update("remove-snapshots", snapshot_ids=[number]))
    assert after.get("current-snapshot-id") is None
    assert after["refs"] == {}
    assert after["last-sequence-number"] == 1


def test_tags_and_branches_keep_what_they_say(raw: RawLake) -> None:
    table = raw.table()
    number = table.append()
    table.changed(point("v1", number, "tag", max_ref_age_ms=5))
    after = table.changed(
        point("dev", number, max_snapshot_age_ms=7, min_snapshots_to_keep=2),
    )
    assert after["refs"]["v1"] == {"snapshot-id": number, "type": "tag", "max-ref-age-ms": 5}
    assert after["refs"]["dev"] == {
        "snapshot-id": number,
        "type": "branch",
        "max-snapshot-age-ms": 7,
        "min-snapshots-to-keep": 2,
    }
    after = table.changed(update("remove-snapshot-ref", ref_name="v1"))
    assert after["refs"].keys() == {"main", "dev"}
    assert table.commit(update("remove-snapshot-ref", ref_name="v1")).status == 200


def test_without_main_a_table_is_empty(raw: RawLake) -> None:
    table = raw.table()
    table.append()
    after = table.changed(update("remove-snapshot-ref", ref_name="main"))
    assert after.get("current-snapshot-id") is None


@pytest.mark.parametrize(
    ("name", "kind", "more"),
    [
        ("main", "tag", {}),
        ("x", "leaf", {}),
        ("x", "tag", {"min_snapshots_to_keep": 1}),
        ("x", "branch", {"max_ref_age_ms": 0}),
    ],
)
def test_a_reference_that_cannot_be_is_refused(
    raw: RawLake, name: str, kind: str, more: dict[str, int]
) -> None:
    table = raw.table()
    number = table.append()
    assert table.refuse(point(name, number, kind, **more)).error == BAD
    assert table.refuse(point("x", 77)).error == BAD


def test_statistics_are_kept_by_snapshot(raw: RawLake) -> None:
    table = raw.table()
    number = table.append()
    statistics = {
        "snapshot-id": number,
        "statistics-path": "a",
        "file-size-in-bytes": 10,
        "file-footer-size-in-bytes": 5,
        "blob-metadata": [],
    }
    table.changed(update("set-statistics", statistics=statistics, snapshot_id=number))
    newer = {**statistics, "statistics-path": "b"}
    assert table.changed(update("set-statistics", statistics=newer))["statistics"] == [newer]
    assert not table.changed(update("remove-statistics", snapshot_id=number)).get("statistics")
    assert table.commit(update("remove-statistics", snapshot_id=number)).status == 200
    bad = {**statistics, "snapshot-id": 77}
    assert table.refuse(update("set-statistics", statistics=bad)).error == BAD


def test_partition_statistics_are_kept_by_snapshot(raw: RawLake) -> None:
    table = raw.table()
    number = table.append()
    statistics = {"snapshot-id": number, "statistics-path": "a", "file-size-in-bytes": 10}
    after = table.changed(update("set-partition-statistics", partition_statistics=statistics))
    assert after["partition-statistics"] == [statistics]
    after = table.changed(update("remove-partition-statistics", snapshot_id=number))
    assert not after.get("partition-statistics")

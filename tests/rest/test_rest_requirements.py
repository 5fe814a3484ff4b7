"""A commit is applied only if the table is as its engine thinks it is: 409 otherwise, and nothing changed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rest.raw import RawLake, requirement, update

LOST = (409, "CommitFailedException")
CHANGE = update("set-properties", updates={"changed": "yes"})


def facts(metadata: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Requirements that hold, each beside one of its kind that does not."""
    main = metadata["current-snapshot-id"]
    return [
        (
            requirement("assert-table-uuid", uuid=metadata["table-uuid"]),
            requirement("assert-table-uuid", uuid="11111111-2222-3333-4444-555555555555"),
        ),
        (
            requirement("assert-ref-snapshot-id", ref="main", snapshot_id=main),
            requirement("assert-ref-snapshot-id", ref="main", snapshot_id=1),
        ),
        (
            requirement("assert-ref-snapshot-id", ref="dev", snapshot_id=None),
            requirement("assert-ref-snapshot-id", ref="main", snapshot_id=None),
        ),
        (
            requirement("assert-ref-snapshot-id", ref="dev"),
            requirement("assert-ref-snapshot-id", ref="dev", snapshot_id=main),
        ),
        (
            requirement("assert-last-assigned-field-id", last_assigned_field_id=2),
            requirement("assert-last-assigned-field-id", last_assigned_field_id=3),
        ),
        (
            requirement("assert-current-schema-id", current_schema_id=0),
            requirement("assert-current-schema-id", current_schema_id=1),
        ),
        (
            requirement("assert-last-assigned-partition-id", last_assigned_partition_id=999),
            requirement("assert-last-assigned-partition-id", last_assigned_partition_id=1000),
        ),
        (
            requirement("assert-default-spec-id", default_spec_id=0),
            requirement("assert-default-spec-id", default_spec_id=1),
        ),
        (
            requirement("assert-default-sort-order-id", default_sort_order_id=0),
            requirement("assert-default-sort-order-id", default_sort_order_id=1),
        ),
    ]


@pytest.mark.parametrize("index", range(9))
def test_what_holds_lets_a_commit_through_and_what_does_not_stops_it(
    raw: RawLake, index: int
) -> None:
    table = raw.table()
    table.append()
    true, false = facts(table.loaded())[index]
    assert table.refuse(CHANGE, requiring=(true, false)).error == LOST
    assert table.changed(CHANGE, requiring=(true,))["properties"]["changed"] == "yes"


def test_a_table_that_is_there_cannot_be_created(raw: RawLake) -> None:
    table = raw.table()
    assert table.refuse(CHANGE, requiring=(requirement("assert-create"),)).error == LOST


def test_a_table_without_snapshots_takes_its_first_on_any_branch(raw: RawLake) -> None:
    table = raw.table()
    snapshot = table.snapshot(1)
    after = table.changed(
        update("add-snapshot", snapshot=snapshot),
        update(
            "set-snapshot-ref", ref_name="dev", type="branch", snapshot_id=snapshot["snapshot-id"]
        ),
        requiring=(requirement("assert-ref-snapshot-id", ref="dev", snapshot_id=None),),
    )
    assert after.get("current-snapshot-id") is None


def test_a_new_table_can_have_no_other_requirement(raw: RawLake) -> None:
    table = raw.table()
    uuid = requirement("assert-table-uuid", uuid=table.loaded()["table-uuid"])
    table.name = "another"
    reply = table.commit(CHANGE, requiring=(requirement("assert-create"), uuid))
    assert reply.error == (400, "BadRequestException")


def test_a_table_that_is_not_there_takes_no_commit(raw: RawLake) -> None:
    table = raw.table()
    table.name = "another"
    assert table.commit(CHANGE).error == (404, "NoSuchTableException")

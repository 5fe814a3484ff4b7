"""A commit whose answer was lost is sent again, as DuckDB does: it is answered, and made once."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.rest.account import Done
from tests.rest.doors import Client, Reply, open_door, profile_in
from tests.rest.raw import RawLake, RawTable, requirement, update
from tests.rest.test_rest_faults import appending, snapshots
from tests.rest.test_rest_transactions import CHANGE, creation, part, together

LOST = (409, "CommitFailedException")
BAD = (400, "BadRequestException")


def whole(table: RawTable, body: dict[str, Any]) -> dict[str, Any]:
    """A commit as a part of a transaction."""
    return {"identifier": {"namespace": [table.namespace], "name": table.name}, **body}


def test_what_comes_again_is_made_once(raw: RawLake) -> None:
    table = raw.table()
    body = appending(table)
    first, again = (table.client.post(table.path, body) for _ in range(2))
    assert (first.status, again.status) == (200, 200)
    assert first.json == again.json
    assert len(snapshots(table)) == 1


def test_others_may_have_been_there_in_between(raw: RawLake) -> None:
    table = raw.table()
    body = appending(table)
    assert table.client.post(table.path, body).status == 200
    later = table.append()
    again = table.client.post(table.path, body)
    assert again.status == 200
    assert again.json["metadata"]["current-snapshot-id"] == later
    assert len(snapshots(table)) == 2


def test_another_server_knows_it_too(raw: RawLake, folder: Path) -> None:
    table = raw.table()
    body = appending(table)
    assert table.client.post(table.path, body).status == 200
    done: list[Done] = []
    with (
        IcebergCatalog(profile_in(folder)) as other,
        open_door(other, watches=(done.append,)) as uri,
    ):
        elsewhere = Client(uri)
        assert elsewhere.post(table.path, body).status == 200
        elsewhere.close()
    assert done[-1].rows_changed == 0
    assert len(snapshots(table)) == 1


def test_all_of_a_transaction_comes_again(raw: RawLake, client: Client) -> None:
    one, two, third = (raw.table() for _ in range(3))
    parts = whole(one, appending(one)), whole(two, appending(two)), part(third, CHANGE)
    assert together(client, *parts).status == 204
    before = [table.location() for table in (one, two, third)]
    assert together(client, *parts).status == 204
    assert [table.location() for table in (one, two, third)] == before


def test_half_a_transaction_does_not_come_again(raw: RawLake, client: Client) -> None:
    one, two = raw.table(), raw.table()
    body = appending(one)
    assert client.post(one.path, body).status == 200
    before = one.location(), two.location()
    assert together(client, whole(one, body), whole(two, appending(two))).error == LOST
    assert (one.location(), two.location()) == before


def made(raw: RawLake) -> tuple[RawTable, list[dict[str, Any]]]:
    """A table to be, and the updates that make it."""
    like = raw.table()
    table = RawTable(raw.client, like.namespace, "made")
    uuid = update("assign-uuid", uuid=str(uuid4()))
    return table, [uuid, *creation(f"{like.loaded()['location']}-made")]


def create(table: RawTable, updates: list[dict[str, Any]]) -> Reply:
    return table.commit(*updates, requiring=(requirement("assert-create"),))


def test_a_table_is_made_once(raw: RawLake) -> None:
    table, updates = made(raw)
    first, again = create(table, updates), create(table, updates)
    assert (first.status, again.status) == (200, 200)
    assert first.json == again.json


def test_a_table_that_somebody_else_made_is_another_one(raw: RawLake) -> None:
    table, updates = made(raw)
    assert create(table, updates).status == 200
    before = table.location()
    other = update("assign-uuid", uuid=str(uuid4()))
    assert create(table, [other, *updates[1:]]).status == 409
    assert create(table, updates[1:]).status == 409
    assert table.location() == before


@pytest.mark.parametrize(
    "fields",
    [
        {"manifest-list": "file:///elsewhere.avro"},
        {"manifest-list": None},
        {"snapshot-id": None},
        {"snapshot-id": [1]},
        {"snapshot-id": {}},
    ],
)
def test_what_only_looks_alike_is_refused(raw: RawLake, fields: dict[str, Any]) -> None:
    table = raw.table()
    body = appending(table)
    assert table.client.post(table.path, body).status == 200
    before = table.location()
    body["requirements"] = []
    body["updates"][0]["snapshot"] |= fields
    assert table.client.post(table.path, body).error == BAD
    assert table.location() == before

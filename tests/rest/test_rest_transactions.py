"""Commits to several tables: all of them or none, in a lake of ours and in a service behind us."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from tests.rest.doors import Client, Reply, open_door
from tests.rest.raw import VIEW, RawLake, RawTable, requirement, schema, update

CHANGE = update("set-properties", updates={"changed": "yes"})
NEVER = requirement("assert-current-schema-id", current_schema_id=7)


@pytest.fixture(scope="module", params=["lake", "service"])
def door(request: pytest.FixtureRequest, uri: str) -> Iterator[str]:
    """`service`: the lake's door stands behind another one, which passes everything on."""
    if request.param == "lake":
        yield uri
        return
    behind = Profile("lake", "rest", uri, "lake")
    with IcebergCatalog(behind, max_staleness=0.0) as passing, open_door(passing) as outer:
        yield outer


@pytest.fixture
def client(door: str) -> Iterator[Client]:
    client = Client(door)
    yield client
    client.close()


def part(table: RawTable, *updates: dict[str, Any], requiring: tuple[Any, ...] = ()) -> Any:
    return {
        "identifier": {"namespace": [table.namespace], "name": table.name},
        "requirements": list(requiring),
        "updates": list(updates),
    }


def together(client: Client, *parts: Any) -> Reply:
    return client.post("/v1/lake/transactions/commit", {"table-changes": list(parts)})


def creation(location: str) -> list[dict[str, Any]]:
    return [
        update("add-schema", schema=schema()),
        update("set-current-schema", schema_id=-1),
        update("add-spec", spec={"fields": []}),
        update("set-default-spec", spec_id=-1),
        update("add-sort-order", sort_order={"order-id": 0, "fields": []}),
        update("set-default-sort-order", sort_order_id=-1),
        update("set-location", location=location),
    ]


def files(folder: Path) -> int:
    return sum(1 for _ in folder.rglob("*.metadata.json"))


def test_several_tables_change_as_one(raw: RawLake, client: Client) -> None:
    tables = [raw.table() for _ in range(3)]
    assert together(client, *(part(table, CHANGE) for table in tables)).status == 204
    assert {table.loaded()["properties"]["changed"] for table in tables} == {"yes"}


def test_one_that_fails_stops_all(raw: RawLake, client: Client, folder: Path) -> None:
    tables = [raw.table() for _ in range(3)]
    before, written = [table.location() for table in tables], files(folder)
    parts = [part(table, CHANGE) for table in tables]
    parts[2] = part(tables[2], CHANGE, requiring=(NEVER,))
    assert together(client, *parts).error == (409, "CommitFailedException")
    parts[2] = part(tables[2], update("set-current-schema", schema_id=9))
    assert together(client, *parts).error == (400, "BadRequestException")
    parts[2] = part(RawTable(client, tables[2].namespace, "missing"), CHANGE)
    assert together(client, *parts).error == (404, "NoSuchTableException")
    assert [table.location() for table in tables] == before
    assert files(folder) == written


def test_tables_are_made_and_changed_together(raw: RawLake, client: Client, folder: Path) -> None:
    old = raw.table()
    new = [RawTable(client, old.namespace, name) for name in ("n1", "n2")]
    location = f"file://{folder}/warehouse/{old.namespace}"
    parts = [
        part(
            table, *creation(f"{location}/{table.name}"), requiring=(requirement("assert-create"),)
        )
        for table in new
    ]
    written = files(folder)
    refused = together(client, *parts, part(old, CHANGE, requiring=(NEVER,)))
    assert refused.status == 409
    assert files(folder) == written
    assert together(client, *parts, part(old, CHANGE)).status == 204
    assert [table.loaded()["format-version"] for table in new] == [2, 2]
    assert old.loaded()["properties"]["changed"] == "yes"
    assert together(client, *parts).error == (409, "CommitFailedException")


def test_a_new_name_that_a_view_has_is_the_one_that_is_told(
    raw: RawLake, client: Client, folder: Path
) -> None:
    old = raw.table()
    path = f"/v1/lake/namespaces/{old.namespace}/views"
    assert client.post(path, VIEW).status == 200
    new = RawTable(client, old.namespace, "v")
    location = f"file://{folder}/warehouse/{old.namespace}/v"
    made = part(new, *creation(location), requiring=(requirement("assert-create"),))
    reply = together(client, part(old, CHANGE), made)
    assert reply.error == (409, "AlreadyExistsException")
    assert f"{old.namespace}.v" in reply.message
    assert "changed" not in old.loaded()["properties"]


def test_a_table_is_named_once(raw: RawLake, client: Client) -> None:
    table = raw.table()
    loud = RawTable(client, table.namespace, table.name.upper())
    reply = together(client, part(table, CHANGE), part(loud, CHANGE))
    assert reply.error == (400, "BadRequestException")


@pytest.mark.parametrize("body", [{}, {"table-changes": 1}, {"table-changes": [{}]}])
def test_what_is_no_transaction_is_refused(client: Client, body: Any) -> None:
    reply = client.post("/v1/lake/transactions/commit", body)
    assert reply.error == (400, "BadRequestException")


def test_nothing_to_do_is_done(client: Client) -> None:
    assert together(client).status == 204

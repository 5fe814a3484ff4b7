"""Refusals begin with the words of Iceberg's reference implementation, for engines and their tests."""

from __future__ import annotations

from tests.rest.doors import Client
from tests.rest.raw import VIEW, RawLake, RawTable, requirement, schema, update


def test_what_is_not_there(raw: RawLake, client: Client) -> None:
    table = raw.table()
    missing = RawTable(client, table.namespace, "missing")
    assert client.get(missing.path).message.startswith(
        f"Table does not exist: {table.namespace}.missing"
    )
    assert client.get("/v1/lake/namespaces/no/tables/t").message.startswith(
        "Table does not exist: no.t"
    )
    for path in ("/v1/lake/namespaces/no", "/v1/lake/namespaces/no/tables"):
        assert client.get(path).message.startswith("Namespace does not exist: no")
    listed = client.get("/v1/lake/namespaces?parent=no")
    assert listed.message == "Namespace does not exist: no"
    rename = {
        "source": {"namespace": [table.namespace], "name": table.name},
        "destination": {"namespace": ["no"], "name": "t"},
    }
    moved = client.post("/v1/lake/tables/rename", rename)
    assert moved.message.startswith("Namespace does not exist: no")


def test_what_is_there_already(raw: RawLake, client: Client) -> None:
    table = raw.table()
    namespace = table.namespace
    path = f"/v1/lake/namespaces/{namespace}"
    again = client.post("/v1/lake/namespaces", {"namespace": [namespace]})
    assert again.message.startswith(f"Namespace already exists: {namespace}")
    create = client.post(f"{path}/tables", {"name": table.name, "schema": schema()})
    assert create.message.startswith(f"Table already exists: {namespace}.{table.name}")
    assert client.post(f"{path}/views", VIEW).status == 200
    taken = client.post(f"{path}/tables", {"name": "v", "schema": schema()})
    assert taken.message.startswith(f"View with same name already exists: {namespace}.v")
    view = client.post(f"{path}/views", {**VIEW, "name": table.name})
    assert view.message.startswith(f"Table with same name already exists: {namespace}.{table.name}")
    rename = {
        "source": {"namespace": [namespace], "name": table.name},
        "destination": {"namespace": [namespace], "name": "v"},
    }
    moved = client.post("/v1/lake/tables/rename", rename)
    assert moved.message.startswith(
        f"Cannot rename {namespace}.{table.name} to {namespace}.v. View already exists"
    )
    dropped = client.send("DELETE", path)
    assert dropped.message.startswith(f"Namespace {namespace} is not empty")


def test_what_has_changed_meanwhile(raw: RawLake) -> None:
    table = raw.table()
    change = update("set-properties", updates={"a": "1"})
    other = "11111111-2222-3333-4444-555555555555"
    for asked, words in (
        (requirement("assert-create"), "table already exists"),
        (requirement("assert-table-uuid", uuid=other), "UUID does not match"),
        (requirement("assert-current-schema-id", current_schema_id=9), "current schema changed"),
        (
            requirement("assert-last-assigned-field-id", last_assigned_field_id=9),
            "last assigned field id changed",
        ),
        (
            requirement("assert-default-spec-id", default_spec_id=9),
            "default partition spec changed",
        ),
    ):
        reply = table.refuse(change, requiring=(asked,))
        assert reply.message.startswith(f"Requirement failed: {words}")

"""Who may call what: every endpoint with every kind of credential, and nothing told to who may not know."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog

from lakeport.access import Ability
from tests.catalog.iceberg.views.bodies import creation, replacement
from tests.rest.doors import Client, Reply
from tests.rest.guarded import HIDDEN, Guarded, guarded
from tests.rest.raw import RawTable, schema

MOVE = {
    "source": {"namespace": ["hr"], "name": "salaries"},
    "destination": {"namespace": ["hr"], "name": "moved"},
}
MOVE_VIEW = {
    "source": {"namespace": ["hr"], "name": "leavers"},
    "destination": {"namespace": ["hr"], "name": "moved_view"},
}
SET = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}
BODIES: dict[str, Any] = {
    "POST /v1/{prefix}/namespaces": {"namespace": ["hr", "new"], "properties": {}},
    "POST /v1/{prefix}/namespaces/{namespace}/properties": {"removals": [], "updates": {"a": "b"}},
    "POST /v1/{prefix}/namespaces/{namespace}/tables": {"name": "new", "schema": schema()},
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}": SET,
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics": {"report-type": "x"},
    "POST /v1/{prefix}/namespaces/{namespace}/register": {
        "name": "reg",
        "metadata-location": "file:///x/salaries.json",
    },
    "POST /v1/{prefix}/namespaces/{namespace}/register-view": {
        "name": "reg",
        "metadata-location": "file:///x/leavers.json",
    },
    "POST /v1/{prefix}/tables/rename": MOVE,
    "POST /v1/{prefix}/views/rename": MOVE_VIEW,
    "POST /v1/{prefix}/transactions/commit": {
        "table-changes": [{"identifier": {"namespace": ["hr"], "name": "salaries"}, **SET}]
    },
    "POST /v1/{prefix}/namespaces/{namespace}/views": creation("new_view"),
    "POST /v1/{prefix}/namespaces/{namespace}/views/{view}": {
        "requirements": [],
        "updates": replacement("SELECT 2 AS b", "b"),
    },
}
# In this order a call with all rights finds what it is about.
LAST = ("tables/rename", "views/rename", "DELETE")


def ask(client: Client, endpoint: str, namespace: str = "hr") -> Reply:
    method, _, template = endpoint.partition(" ")
    path = template.format(prefix="lake", namespace=namespace, table="salaries", view="leavers")
    return client.send(method, path, BODIES.get(endpoint))


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    with guarded(tmp_path_factory.mktemp("guarded")) as made:
        yield made


@pytest.fixture(scope="module")
def endpoints(door: Guarded) -> list[str]:
    """All that the configuration lists, and itself."""
    client = door.client(door.token("lister", [Ability.READ]))
    found = ["GET /v1/config", *client.get("/v1/config").json["endpoints"]]
    client.close()
    assert set(BODIES) <= set(found)
    return sorted(found, key=lambda each: next((n for n, w in enumerate(LAST, 1) if w in each), 0))


@pytest.mark.parametrize("kind", ["none", "garbage", "expired", "revoked", "pass"])
def test_without_a_good_token_every_endpoint_is_401_in_the_same_words(
    door: Guarded, endpoints: list[str], kind: str
) -> None:
    tokens: dict[str, Callable[[], str | None]] = {
        "none": lambda: None,
        "garbage": lambda: "lp_garbage",
        "expired": lambda: door.token("old", [Ability.ADMIN], seconds=1),
        "revoked": lambda: door.revoked("gone"),
        "pass": lambda: "lp_pass_garbage",
    }
    client = door.client(tokens[kind]())
    replies = [ask(client, endpoint) for endpoint in endpoints]
    client.close()
    assert {reply.status for reply in replies} == {401}
    assert {reply.headers["www-authenticate"] for reply in replies} == {"Bearer"}
    told = {reply.body for reply in replies if reply.body}
    assert len(told) == 1
    error = json.loads(told.pop())["error"]
    assert (error["type"], error["code"]) == ("NotAuthorizedException", 401)
    assert "a valid token is needed" in error["message"]
    assert {each.outcome for each in door.done[-len(endpoints) :]} == {"UNAUTHENTICATED"}


@pytest.mark.parametrize("abilities", [[Ability.READ], [Ability.WRITE, Ability.DDL]])
def test_with_grants_elsewhere_nothing_is_there_and_nothing_is_told(
    door: Guarded, endpoints: list[str], abilities: list[Ability]
) -> None:
    """The same whether or not there is such a thing: `hr` is there, `nowhere` is not."""
    client = door.client(door.token(f"shop only {abilities[0]}", abilities, "shop.orders"))
    for endpoint in endpoints:
        if "{namespace}" not in endpoint:
            continue
        there, not_there = ask(client, endpoint), ask(client, endpoint, "nowhere")
        assert there.status in {403, 404}, endpoint
        assert there.status == not_there.status, endpoint
        if there.body:
            assert there.error == not_there.error
            words = there.message.replace("hr", "nowhere")
            assert words == not_there.message, endpoint
    client.close()


def test_reading_what_one_may_not_is_404_and_changing_it_is_403(
    door: Guarded, endpoints: list[str]
) -> None:
    client = door.client(door.token("narrow", list(Ability)[:3], "shop.orders"))
    reads = {"GET", "HEAD"}
    for endpoint in endpoints:
        if "{namespace}" not in endpoint:
            continue
        is_read = endpoint.partition(" ")[0] in reads or endpoint.endswith("/metrics")
        assert ask(client, endpoint).status == (404 if is_read else 403), endpoint
    for endpoint in ("POST /v1/{prefix}/tables/rename", "POST /v1/{prefix}/transactions/commit"):
        assert ask(client, endpoint).error == (403, "ForbiddenException")
    client.close()


def test_listings_and_errors_name_nothing_that_is_hidden(door: Guarded) -> None:
    client = door.client(door.token("shopper", list(Ability)[:3], "shop.o*"))
    listed = client.get("/v1/lake/namespaces")
    assert listed.json["namespaces"] == [["shop"]]
    shop = "/v1/lake/namespaces/shop"
    assert [each["name"] for each in client.get(f"{shop}/tables").json["identifiers"]] == ["orders"]
    assert [each["name"] for each in client.get(f"{shop}/views").json["identifiers"]] == ["ones"]
    replies = [
        listed,
        client.get(f"{shop}/tables/order"),
        client.get(f"{shop}/tables/salarie"),
        client.get(f"{shop}/views/one"),
        client.get("/v1/lake/namespaces/h"),
        client.get("/v1/lake/namespaces?parent=h"),
        client.send("DELETE", f"{shop}/tables/order"),
        client.send("DELETE", f"{shop}/views/one"),
        client.post(f"{shop}/tables/order", SET),
        client.post(f"{shop}/views/one", {"updates": [], "requirements": []}),
        client.get("/v1/other/namespaces"),
        client.get("/v1/config?warehouse=nope"),
    ]
    client.close()
    for reply in replies:
        assert not [name for name in HIDDEN if name.encode() in reply.body], reply.body
        assert b"Traceback" not in reply.body
        assert b"warehouse/" not in reply.body


def test_dropping_a_namespace_does_not_tell_what_is_in_it(door: Guarded) -> None:
    client = door.client(door.token("builder", [Ability.DDL], "hr.*"))
    reply = client.send("DELETE", "/v1/lake/namespaces/hr")
    client.close()
    assert reply.error == (409, "NamespaceNotEmptyException")
    assert b"salaries" not in reply.body


@pytest.mark.parametrize(
    ("update", "needed"),
    [
        ({"action": "remove-snapshots", "snapshot-ids": []}, Ability.WRITE),
        ({"action": "remove-snapshot-ref", "ref-name": "x"}, Ability.WRITE),
        ({"action": "set-properties", "updates": {"x": "y"}}, Ability.DDL),
        ({"action": "set-current-schema", "schema-id": 0}, Ability.DDL),
    ],
)
def test_rows_take_write_and_definitions_take_ddl(
    door: Guarded, update: dict[str, Any], needed: Ability
) -> None:
    path = "/v1/lake/namespaces/shop/tables/orders"
    for ability in (Ability.WRITE, Ability.DDL):
        client = door.client(door.token(f"{ability} {update['action']}", [ability], "shop.orders"))
        status = client.post(path, {"requirements": [], "updates": [update]}).status
        client.close()
        assert status == (200 if ability is needed else 403)


def test_a_file_is_registered_by_admins_alone(door: Guarded) -> None:
    """Whoever names a metadata file could read the table that it is of."""
    admin = door.client(door.token("root", [Ability.ADMIN]))
    found = admin.get("/v1/lake/namespaces/hr/tables/salaries").json["metadata-location"]
    body = {"name": "mine", "metadata-location": found}
    bob = door.client(door.token("bob", list(Ability)[:3], "shop.*"))
    assert bob.post("/v1/lake/namespaces/shop/register", body).error == (403, "ForbiddenException")
    assert bob.get("/v1/lake/namespaces/shop/tables/mine").status == 404
    assert admin.post("/v1/lake/namespaces/shop/register", body).status == 200
    assert admin.send("DELETE", "/v1/lake/namespaces/shop/tables/mine").status == 204
    admin.close()
    bob.close()


@pytest.mark.parametrize("kind", ["statistics", "partition-statistics"])
def test_statistics_are_files_of_the_lake(tmp_path: Path, kind: str) -> None:
    """They are removed with their snapshots: nobody may have another file removed by that."""
    (tmp_path / "lake").mkdir()
    with guarded(tmp_path / "lake") as door:
        writer = door.client(door.token("writer", [Ability.READ, Ability.WRITE], "shop.orders"))
        table = RawTable(writer, "shop", "orders")
        file: dict[str, object] = {"snapshot-id": table.append(), "file-size-in-bytes": 1}
        if kind == "statistics":
            file |= {"file-footer-size-in-bytes": 1, "blob-metadata": []}
        home = table.loaded()["location"]
        for path in (f"file://{tmp_path}/somebodys", f"{home}/../../hr/somebodys", "", "\n"):
            refused = table.refuse(
                {"action": f"set-{kind}", kind: {**file, "statistics-path": path}}
            )
            assert refused.error == (400, "BadRequestException")
        own = {**file, "statistics-path": f"{home}/metadata/its-own"}
        assert table.changed({"action": f"set-{kind}", kind: own})[kind] == [own]
        writer.close()


def test_every_call_leaves_one_row_that_says_who_did_what(door: Guarded) -> None:
    client = door.client(door.token("ann", [Ability.READ], "shop.orders"))
    del door.done[:]
    client.get("/v1/lake/namespaces/shop/tables/orders")
    client.get("/v1/lake/namespaces/hr/tables/salaries")
    client.send("DELETE", "/v1/lake/namespaces/shop/tables/orders")
    client.close()
    rows = [done.entry() for done in door.done]
    assert [(r.identity, r.method, r.action, r.outcome) for r in rows] == [
        ("ann", "GET", "rest.load_table", "OK"),
        ("ann", "GET", "rest.load_table", "NOT_FOUND"),
        ("ann", "DELETE", "rest.drop_table", "PERMISSION_DENIED"),
    ]
    assert [(r.catalog, r.namespace, r.table) for r in rows[:2]] == [
        ("lake", "shop", "orders"),
        ("lake", "hr", "salaries"),
    ]
    assert all(row.ms > 0 and row.peer for row in rows)
    assert rows[0].bytes_out > 100


def test_an_append_is_told_with_its_rows(door: Guarded) -> None:
    token = door.token("writer", list(Ability)[:3], "shop.*")
    with RestCatalog("through", uri=door.uri, warehouse="lake", token=token) as catalog:
        table = catalog.load_table("shop.orders")
        table.append(pa.table({"id": pa.array([1, 2, 3]), "n": pa.array([1, 2, 3], pa.int32())}))
    last = [done for done in door.done if done.action == "rest.commit_table"][-1]
    assert (last.identity, last.rows_changed, last.outcome) == ("writer", 3, "OK")


def test_with_all_rights_every_endpoint_does_its_work(endpoints: list[str], tmp_path: Path) -> None:
    with guarded(tmp_path) as own:
        client = own.client(own.token("admin", [Ability.ADMIN]))
        found = {endpoint: ask(client, endpoint).status for endpoint in endpoints}
        client.close()
    gone = {"GET", "HEAD", "DELETE"}
    for endpoint, status in found.items():
        if "register" in endpoint:
            assert status in {400, 422, 500}, endpoint  # there is no such file
        elif endpoint.partition(" ")[0] in gone and ("{view}" in endpoint or "{table}" in endpoint):
            assert status in {200, 204, 404}, endpoint  # renamed by then
        elif endpoint == "DELETE /v1/{prefix}/namespaces/{namespace}":
            assert status == 409
        else:
            assert status in {200, 204}, endpoint

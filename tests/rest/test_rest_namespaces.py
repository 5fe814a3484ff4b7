"""Namespaces over the door."""

from __future__ import annotations

from tests.rest.doors import Client
from tests.rest.raw import VIEW, RawLake, schema

ALL = "/v1/lake/namespaces"
NO_NAMESPACE = (404, "NoSuchNamespaceException")
TAKEN = (409, "AlreadyExistsException")
BAD = (400, "BadRequestException")


def test_a_namespace_lives(client: Client) -> None:
    made = client.post(ALL, {"namespace": ["Life"], "properties": {"owner": "me", "comment": "c"}})
    assert made.json == {"namespace": ["Life"], "properties": {"owner": "me", "comment": "c"}}
    assert ["Life"] in client.get(ALL).json["namespaces"]
    assert client.get(f"{ALL}/life").json == made.json
    assert client.send("HEAD", f"{ALL}/Life").status == 204
    assert client.post(ALL, {"namespace": ["life"]}).error == TAKEN
    assert client.send("DELETE", f"{ALL}/LIFE").status == 204
    assert client.send("HEAD", f"{ALL}/Life").status == 404
    assert client.get(f"{ALL}/Life").error == NO_NAMESPACE
    assert client.send("DELETE", f"{ALL}/Life").error == NO_NAMESPACE


def test_a_namespace_with_tables_is_not_dropped(raw: RawLake, client: Client) -> None:
    table = raw.table()
    reply = client.send("DELETE", f"{ALL}/{table.namespace}")
    assert reply.error == (409, "NamespaceNotEmptyException")
    assert client.send("HEAD", table.path).status == 204


def test_properties_are_changed(raw: RawLake, client: Client) -> None:
    path = f"{ALL}/{raw.namespace(properties={'a': '1', 'b': '2'})}"
    body = {"removals": ["a", "x"], "updates": {"b": "3", "comment": "hello"}}
    done = client.post(f"{path}/properties", body).json
    assert {key: sorted(value) for key, value in done.items()} == {
        "updated": ["b", "comment"],
        "removed": ["a"],
        "missing": ["x"],
    }
    assert client.get(path).json["properties"] == {"b": "3", "comment": "hello"}
    both = client.post(f"{path}/properties", {"removals": ["b"], "updates": {"b": "4"}})
    assert both.error == (422, "UnprocessableEntityException")
    missing = client.post(f"{ALL}/nowhere/properties", {"removals": ["b"]})
    assert missing.error == NO_NAMESPACE


def test_removing_all_properties_keeps_the_namespace(raw: RawLake, client: Client) -> None:
    path = f"{ALL}/{raw.namespace(properties={'a': '1'})}"
    client.post(f"{path}/properties", {"removals": ["a", "exists"]})
    assert client.get(path).json["properties"] == {}


def test_namespaces_lie_in_each_other(client: Client) -> None:
    for levels in (["outer"], ["outer", "b"], ["outer", "b", "c"], ["implied", "below"]):
        assert client.post(ALL, {"namespace": levels}).status == 200
    top = client.get(ALL).json["namespaces"]
    assert ["outer"] in top
    assert ["implied"] in top
    assert ["outer", "b"] not in top
    assert client.get(f"{ALL}?parent=OUTER").json["namespaces"] == [["outer", "b"]]
    assert client.get(f"{ALL}?parent=outer%1Fb").json["namespaces"] == [["outer", "b", "c"]]
    assert client.get(f"{ALL}?parent=outer%1Fb%1Fc").json["namespaces"] == []
    assert client.get(f"{ALL}?parent=implied").json["namespaces"] == [["implied", "below"]]
    assert client.get(f"{ALL}?parent=nowhere").error == NO_NAMESPACE
    assert client.get(f"{ALL}/outer%1Fb").json["namespace"] == ["outer", "b"]
    path = f"{ALL}/outer%1Fb/tables"
    assert client.get(path).json["identifiers"] == []
    assert client.get(f"{ALL}/Implied").json == {"namespace": ["implied"], "properties": {}}
    assert client.send("HEAD", f"{ALL}/implied").status == 204
    assert client.send("HEAD", f"{ALL}/impli").status == 404
    assert client.post(ALL, {"namespace": ["implied"], "properties": {"a": "1"}}).status == 200
    assert client.get(f"{ALL}/implied").json["properties"] == {"a": "1"}


def test_a_namespace_that_only_holds_others_is_one(raw: RawLake, client: Client) -> None:
    for top in ("lists", "takes", "holds", "moves", "keeps", "views"):
        assert client.post(ALL, {"namespace": [top, "below"]}).status == 200
    for kind in ("tables", "views"):
        assert client.get(f"{ALL}/Lists/{kind}").json["identifiers"] == []
        assert client.get(f"{ALL}/list/{kind}").error == NO_NAMESPACE
    changed = client.post(f"{ALL}/takes/properties", {"updates": {"a": "1"}, "removals": ["b"]})
    assert changed.json == {"updated": ["a"], "removed": [], "missing": ["b"]}
    assert client.get(f"{ALL}/takes").json["properties"] == {"a": "1"}
    assert client.post(f"{ALL}/HOLDS/tables", {"name": "t", "schema": schema()}).status == 200
    found = client.get(f"{ALL}/holds/tables").json["identifiers"]
    assert found == [{"namespace": ["holds"], "name": "t"}]
    table = raw.table()
    body = {
        "source": {"namespace": [table.namespace], "name": table.name},
        "destination": {"namespace": ["moves"], "name": "t"},
    }
    assert client.post("/v1/lake/tables/rename", body).status == 204
    register = {"name": "t", "metadata-location": raw.table().location()}
    assert client.post(f"{ALL}/keeps/register", register).status == 200
    assert client.post(f"{ALL}/views/views", VIEW).status == 200
    assert client.get(f"{ALL}?parent=views").json["namespaces"] == [["views", "below"]]


def test_a_namespace_with_others_in_it_is_not_dropped(client: Client) -> None:
    client.post(ALL, {"namespace": ["stays"]})
    for top in ("stays", "lasts"):
        client.post(ALL, {"namespace": [top, "below"]})
        refused = client.send("DELETE", f"{ALL}/{top.upper()}")
        assert refused.error == (409, "NamespaceNotEmptyException")
        assert client.send("DELETE", f"{ALL}/{top}%1Fbelow").status == 204
    assert client.send("DELETE", f"{ALL}/stays").status == 204
    assert client.send("HEAD", f"{ALL}/stays").status == 404
    assert client.send("HEAD", f"{ALL}/lasts").status == 404


def test_nothing_may_be_written_as_null(client: Client) -> None:
    """As clients in Go do."""
    assert client.post(ALL, {"namespace": ["nulls"], "properties": None}).status == 200
    path = f"{ALL}/nulls/properties"
    assert client.post(path, {"removals": None, "updates": {"a": "1"}}).json["updated"] == ["a"]
    assert client.post(path, {"removals": ["a"], "updates": None}).json["removed"] == ["a"]


def test_namespaces_come_in_pages(raw: RawLake, client: Client) -> None:
    made = {raw.namespace() for _ in range(3)}
    found: list[str] = []
    token: str | None = ""
    while token is not None:
        reply = client.get(f"{ALL}?pageSize=2&pageToken={token}").json
        assert len(reply["namespaces"]) <= 2
        found += [levels[0] for levels in reply["namespaces"]]
        token = reply["next-page-token"]
    assert found == sorted(set(found))
    assert made <= set(found)
    # The size is the most that a client can take, so there is none too large.
    for size in ("100001", str(2**63), "9" * 5_000):
        assert made <= {
            levels[0] for levels in client.get(f"{ALL}?pageSize={size}").json["namespaces"]
        }
    for size in ("0", "000", "-1", "1.5", "%D9%A3", "x" * 5_000):
        reply = client.get(f"{ALL}?pageSize={size}")
        assert reply.error == BAD
        assert len(reply.message) < 200


def test_names_that_cannot_be_are_refused(client: Client) -> None:
    for levels in ([], [""], ["a", ""], ["a.b"], ["a/b"], [" a"], ["__lakeport"]):
        assert client.post(ALL, {"namespace": levels}).error == BAD, levels


def test_the_system_namespace_is_not_to_be_had(client: Client) -> None:
    assert client.post(ALL, {"namespace": ["Lakeport"]}).error == TAKEN
    assert client.get(f"{ALL}/lakeport").error == NO_NAMESPACE
    assert ["lakeport"] not in client.get(ALL).json["namespaces"]

"""Namespaces over the door."""

from __future__ import annotations

from tests.rest.doors import Client
from tests.rest.raw import RawLake

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


def test_names_that_cannot_be_are_refused(client: Client) -> None:
    for levels in ([], [""], ["a", ""], ["a.b"], ["a/b"], [" a"], ["__lakeport"]):
        assert client.post(ALL, {"namespace": levels}).error == BAD, levels


def test_the_system_namespace_is_not_to_be_had(client: Client) -> None:
    assert client.post(ALL, {"namespace": ["Lakeport"]}).error == TAKEN
    assert client.get(f"{ALL}/lakeport").error == NO_NAMESPACE
    assert ["lakeport"] not in client.get(ALL).json["namespaces"]

"""Views over REST: by raw requests, and by PyIceberg's own client."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import NoSuchViewError, TableAlreadyExistsError
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField
from pyiceberg.view.metadata import SQLViewRepresentation, ViewRepresentation, ViewVersion

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import NamespaceInfo
from tests.catalog.iceberg.views.bodies import creation, replacement
from tests.rest.doors import Client, Reply, pyiceberg_client
from tests.rest.raw import schema

_numbers = itertools.count(1)


@pytest.fixture
def place(lake: IcebergCatalog) -> str:
    """A namespace of its own for each test."""
    name = f"views_{next(_numbers)}"
    lake.create_namespace(NamespaceInfo(name))
    return name


@pytest.fixture
def through(uri: str) -> Iterator[RestCatalog]:
    catalog = pyiceberg_client(uri)
    yield catalog
    catalog.close()


def path(place: str, name: str | None = None) -> str:
    return f"/v1/lake/namespaces/{place}/views" + (f"/{name}" if name else "")


def names(client: Client, place: str, kind: str = "views") -> list[str]:
    found = client.get(f"/v1/lake/namespaces/{place}/{kind}").json["identifiers"]
    return [each["name"] for each in found]


def made(client: Client, place: str, name: str = "v", **more: Any) -> dict[str, Any]:
    reply = client.post(path(place), creation(name, **more))
    assert reply.status == 200, reply.body
    answer: dict[str, Any] = reply.json
    return answer


def rename(client: Client, old: tuple[str, str], new: tuple[str, str]) -> Reply:
    def identifier(name: tuple[str, str]) -> dict[str, Any]:
        return {"namespace": [name[0]], "name": name[1]}

    body = {"source": identifier(old), "destination": identifier(new)}
    return client.post("/v1/lake/views/rename", body)


def test_a_view_is_made_loaded_listed_and_dropped(client: Client, place: str) -> None:
    answer = made(client, place)
    assert answer["metadata"]["versions"][0]["representations"][0]["sql"] == "SELECT 1 AS a"
    assert answer["metadata"]["properties"] == {"comment": "Ones."}
    assert client.get(path(place, "v")).json == answer
    assert client.send("HEAD", path(place, "v")).status == 204
    assert (names(client, place), names(client, place, "tables")) == (["v"], [])
    assert client.send("DELETE", path(place, "v")).status == 204
    assert client.get(path(place, "v")).error == (404, "NoSuchViewException")
    assert client.send("HEAD", path(place, "v")).status == 404
    assert client.send("DELETE", path(place, "v")).error == (404, "NoSuchViewException")


def test_a_view_is_no_table_and_a_table_no_view(client: Client, place: str) -> None:
    """Spark asks for a table first, and then for a view."""
    made(client, place)
    tables = f"/v1/lake/namespaces/{place}/tables"
    assert client.get(f"{tables}/v").error == (404, "NoSuchTableException")
    assert client.send("HEAD", f"{tables}/v").status == 404
    assert client.post(tables, {"name": "V", "schema": schema()}).error == (
        409,
        "AlreadyExistsException",
    )
    assert client.post(tables, {"name": "t", "schema": schema()}).status == 200
    assert client.get(path(place, "t")).error == (404, "NoSuchViewException")
    assert client.post(path(place), creation("T")).error == (409, "AlreadyExistsException")


def test_replacing_is_a_commit_that_others_can_overtake(client: Client, place: str) -> None:
    uuid = made(client, place)["metadata"]["view-uuid"]
    same = {"type": "assert-view-uuid", "uuid": uuid}
    body = {"requirements": [same], "updates": replacement("SELECT 2 AS b", "b")}
    replaced = client.post(path(place, "v"), body)
    assert replaced.status == 200
    assert replaced.json["metadata"]["current-version-id"] == 2
    assert client.get(path(place, "V")).json == replaced.json
    other = {"type": "assert-view-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}
    refused = client.post(path(place, "v"), {**body, "requirements": [other]})
    assert refused.error == (409, "CommitFailedException")
    assert client.post(path(place, "none"), body).error == (404, "NoSuchViewException")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"updates": 1}',
        b'{"updates": ["x"]}',
        b'{"updates": [{"action": "add-snapshot"}]}',
        b'{"requirements": [{"type": "assert-create"}], "updates": []}',
    ],
)
def test_what_cannot_be_read_changes_nothing(client: Client, place: str, body: bytes) -> None:
    answer = made(client, place)
    refused = client.send("POST", path(place, "v"), data=body)
    assert refused.error == (400, "BadRequestException")
    assert client.get(path(place, "v")).json == answer
    assert client.send("POST", path(place), data=body).error == (400, "BadRequestException")
    assert names(client, place) == ["v"]


def test_a_view_that_makes_no_sense_is_told_as_icebergs_own_server_does(
    client: Client, place: str
) -> None:
    body = creation()
    body["view-version"]["representations"] *= 2
    refused = client.post(path(place), body)
    assert refused.error == (400, "IllegalArgumentException")
    assert "Invalid view version: Cannot add multiple queries for dialect spark" in refused.message
    made(client, place)
    update = {"action": "set-current-view-version", "view-version-id": 9}
    assert client.post(path(place, "v"), {"requirements": [], "updates": [update]}).status == 400


def test_a_view_is_renamed_also_into_another_namespace(
    client: Client, place: str, lake: IcebergCatalog
) -> None:
    lake.create_namespace(NamespaceInfo(f"{place}_b"))
    metadata = made(client, place)["metadata"]
    made(client, place, "other")
    assert rename(client, (place, "v"), (place, "OTHER")).error == (409, "AlreadyExistsException")
    assert rename(client, (place, "v"), ("nowhere", "v")).error == (404, "NoSuchNamespaceException")
    assert rename(client, (place, "x"), (place, "y")).error == (404, "NoSuchViewException")
    assert rename(client, (place, "v"), (f"{place}_b", "w")).status == 204
    assert client.get(path(f"{place}_b", "w")).json["metadata"] == metadata
    assert names(client, place) == ["other"]


def test_views_are_listed_in_pages(client: Client, place: str) -> None:
    for name in ("a", "b", "c"):
        made(client, place, name)
    first = client.get(f"{path(place)}?pageSize=2").json
    assert [each["name"] for each in first["identifiers"]] == ["a", "b"]
    rest = client.get(f"{path(place)}?pageSize=2&pageToken={first['next-page-token']}").json
    assert [each["name"] for each in rest["identifiers"]] == ["c"]
    assert rest["next-page-token"] is None
    assert client.get(path("nowhere")).error == (404, "NoSuchNamespaceException")


def test_what_was_dropped_is_registered_again(client: Client, place: str) -> None:
    answer = made(client, place)
    client.send("DELETE", path(place, "v"))
    body = {"name": "back", "metadata-location": answer["metadata-location"]}
    register = f"/v1/lake/namespaces/{place}/register-view"
    assert client.post(register, body).json == answer
    assert client.post(register, body).error == (409, "AlreadyExistsException")


def test_views_are_among_the_endpoints_that_are_told(client: Client) -> None:
    told = client.get("/v1/config").json["endpoints"]
    assert [each for each in told if "view" in each] == [
        "GET /v1/{prefix}/namespaces/{namespace}/views",
        "POST /v1/{prefix}/namespaces/{namespace}/views",
        "GET /v1/{prefix}/namespaces/{namespace}/views/{view}",
        "HEAD /v1/{prefix}/namespaces/{namespace}/views/{view}",
        "POST /v1/{prefix}/namespaces/{namespace}/views/{view}",
        "DELETE /v1/{prefix}/namespaces/{namespace}/views/{view}",
        "POST /v1/{prefix}/views/rename",
        "POST /v1/{prefix}/namespaces/{namespace}/register-view",
    ]


def test_pyiceberg_makes_loads_and_drops_views(through: RestCatalog, place: str) -> None:
    query = SQLViewRepresentation(type="sql", sql="SELECT 1 AS a", dialect="spark")
    version = ViewVersion.model_validate(
        {
            "version-id": 1,
            "schema-id": 0,
            "representations": [ViewRepresentation(query)],
            "default-namespace": (place,),
        }
    )
    columns = Schema(NestedField(1, "a", LongType(), required=False))
    view = through.create_view((place, "v"), columns, version)
    assert view.sql_for("SPARK") == query
    assert through.list_views(place) == [(place, "v")]
    assert through.load_view((place, "v")).metadata == view.metadata
    assert through.view_exists((place, "v"))
    with pytest.raises(TableAlreadyExistsError):
        through.create_table((place, "v"), columns)
    through.drop_view((place, "v"))
    assert not through.view_exists((place, "v"))
    with pytest.raises(NoSuchViewError):
        through.load_view((place, "v"))

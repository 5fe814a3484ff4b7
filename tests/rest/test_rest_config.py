"""The configuration: which catalog a client gets, and what is offered."""

from __future__ import annotations

from pathlib import Path

from pyiceberg.catalog.rest import RestCatalog

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.memory import MemoryCatalog
from tests.rest.doors import Client, open_door, profile_in
from tests.rest.raw import RawLake


def test_the_configuration_names_the_catalog_and_lists_what_is_there(client: Client) -> None:
    found = client.get("/v1/config").json
    assert found["overrides"] == {"prefix": "lake"}
    assert client.get("/v1/config?warehouse=LAKE").json == found
    endpoints = set(found["endpoints"])
    assert len(endpoints) == len(found["endpoints"])
    assert {
        "HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}",
        "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}",
        "POST /v1/{prefix}/transactions/commit",
        "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics",
    } <= endpoints
    assert not {endpoint for endpoint in endpoints if "credentials" in endpoint}


def test_what_is_listed_is_answered(client: Client, raw: RawLake) -> None:
    """Every endpoint knows itself: none is a bare 404 or 405."""
    table = raw.table()
    values = {"prefix": "lake", "namespace": table.namespace, "table": table.name, "view": "v"}
    for endpoint in client.get("/v1/config").json["endpoints"]:
        method, template = endpoint.split(" ")
        if method == "DELETE":
            continue
        reply = client.send(method, template.format(**values), data=b"{}")
        assert reply.status != 405, endpoint
        if reply.status >= 400 and method != "HEAD":
            assert reply.error[1] != "NoSuchEndpointException", endpoint


def test_one_door_has_several_catalogs(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with (
        IcebergCatalog(profile_in(tmp_path / "one", "first")) as one,
        IcebergCatalog(profile_in(tmp_path / "two", "my second")) as two,
        open_door(one, two) as uri,
    ):
        plain, named = RestCatalog("a", uri=uri), RestCatalog("b", uri=uri, warehouse="My Second")
        plain.create_namespace("in_first")
        named.create_namespace("in_second")
        assert plain.list_namespaces() == [("in_first",)]
        assert named.list_namespaces() == [("in_second",)]
        client = Client(uri)
        found = client.get("/v1/my%20second/namespaces").json
        assert found["namespaces"] == [["in_second"]]
        assert client.get("/v1/namespaces").json["namespaces"] == [["in_first"]]
        plain.close()
        named.close()
        client.close()


def test_a_catalog_that_is_not_icebergs_says_so() -> None:
    with open_door(MemoryCatalog("memory")) as uri:
        client = Client(uri)
        for path in ("/v1/config", "/v1/memory/namespaces"):
            reply = client.get(path)
            assert reply.error == (406, "UnsupportedOperationException")
            assert "airport" in reply.message
        client.close()

"""Views of other engines over Flight: listed with comment and SQL, refused when somebody reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.access import Ability, Identity, grants_for
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from tests.airport.airport_server import AIRPORT, Client, People, fl, serving, stock
from tests.catalog.iceberg.views.bodies import creation, replacement

DUCKDB = (AIRPORT, ("airport-catalog", "lake"))
SHOWN = "Ones.\n\nview (spark): SELECT 1 AS a"


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[IcebergCatalog]:
    uri = f"sqlite:///{tmp_path / 'catalog.db'}"
    with IcebergCatalog(Profile("lake", "embedded", uri, f"{tmp_path}/warehouse", {})) as catalog:
        stock(catalog)
        catalog.namespace("shop").views().create("ones", creation())
        yield catalog


@pytest.fixture
def client(lake: IcebergCatalog) -> Iterator[Client]:
    with serving([lake]) as made:
        yield made


def unwrap(wrapped: bytes) -> Any:
    length, data = msgpack.unpackb(wrapped)
    return msgpack.unpackb(pa.Codec("zstd").decompress(data, length, asbytes=True))


def listed(client: Client) -> dict[str, Any]:
    """What DuckDB makes of `list_schemas`: objects by namespace and name."""
    root = unwrap(client.action("list_schemas", msgpack.packb({"catalog_name": "lake"})))
    infos = [
        fl.FlightInfo.deserialize(each)
        for schema in root["schemas"]
        for each in unwrap(schema["contents"]["serialized"])
    ]
    about = [(msgpack.unpackb(info.app_metadata), info) for info in infos]
    return {f"{known['schema']}.{known['name']}": (known, info) for known, info in about}


def test_duckdb_is_told_of_a_view_as_of_a_table(client: Client) -> None:
    known, info = listed(client.having(*DUCKDB))["shop.ones"]
    assert (known["type"], known["comment"]) == ("table", SHOWN)
    assert info.schema.names == ["a"]


def test_its_next_version_is_seen_at_once(client: Client, lake: IcebergCatalog) -> None:
    duckdb = client.having(*DUCKDB)
    before = duckdb.packed("catalog_version", catalog_name="lake")
    lake.namespace("shop").views().commit("ones", (), replacement("SELECT 2 AS b", "b"))
    assert duckdb.packed("catalog_version", catalog_name="lake") != before
    assert listed(duckdb)["shop.ones"][1].schema.names == ["b"]


def test_reading_it_is_refused_with_where_it_can_be_read(client: Client) -> None:
    duckdb = client.having(*DUCKDB)
    descriptor = listed(duckdb)["shop.ones"][1].descriptor.serialize()
    for method in ("GetFlightInfo", "GetSchema"):
        code, text = duckdb.code_of(method, descriptor)
        assert code is grpc.StatusCode.UNIMPLEMENTED
        assert "`shop.ones` is a view: its SQL is shown here, not run" in text
        assert "Spark, Trino" in text
    code, text = duckdb.action_code(
        "endpoints", msgpack.packb({"descriptor": descriptor, "parameters": {}})
    )
    assert "is a view" in text


def test_dropping_it_as_a_table_is_refused(client: Client, lake: IcebergCatalog) -> None:
    body = {
        "catalog_name": "lake",
        "schema_name": "shop",
        "name": "ones",
        "ignore_not_found": False,
        "type": "table",
    }
    code, text = client.having(*DUCKDB).action_code("drop_table", msgpack.packb(body))
    assert (code, "is a view" in text) == (grpc.StatusCode.UNIMPLEMENTED, True)
    assert lake.namespace("shop").views().names() == ["ones"]


def test_reports_tell_views_too(client: Client) -> None:
    found = json.loads(client.action("ListTables", json.dumps({"long": True}).encode()))
    assert [(each["name"], each["kind"], each["comment"]) for each in found] == [
        ("shop.customers", "table", None),
        ("shop.ones", "view", "Ones."),
        ("shop.orders", "table", "all orders"),
    ]
    told = json.loads(client.action("TableDetails", json.dumps({"table": "shop.ONES"}).encode()))
    assert (told["kind"], told["comment"]) == ("view", "Ones.")
    assert told["queries"] == [{"dialect": "spark", "sql": "SELECT 1 AS a"}]
    assert [column["name"] for column in told["columns"]] == ["a"]


def test_who_may_not_read_a_view_is_not_told_of_it(lake: IcebergCatalog) -> None:
    lake.create_namespace(NamespaceInfo("secret"))
    lake.namespace("secret").views().create("plans", creation())
    ann = Identity("ann", grants_for([Ability.READ], ["shop.o*"]))
    eve = Identity("eve", grants_for([Ability.READ], ["secret.plans"]))
    with serving([lake], People({"a": ann, "e": eve})) as client:
        mine = client.having(*DUCKDB, ("authorization", "Bearer a"))
        assert set(listed(mine)) == {"shop.ones", "shop.orders"}
        path = fl.FlightDescriptor.for_path("secret", "plans").serialize()
        assert mine.code_of("GetSchema", path)[0] is grpc.StatusCode.PERMISSION_DENIED
        theirs = client.having(*DUCKDB, ("authorization", "Bearer e"))
        assert set(listed(theirs)) == {"secret.plans"}


def test_a_run_changes_no_definitions_here(lake: IcebergCatalog) -> None:
    run = Identity("run", grants_for([Ability.ADMIN]), growth=True)
    with serving([lake], People({"r": run})) as client:
        mine = client.having(*DUCKDB, ("authorization", "Bearer r"))
        assert "shop.orders" in listed(mine)
        body = {"catalog_name": "lake", "schema_name": "shop", "name": "orders", "type": "table"}
        code, _ = mine.action_code("drop_table", msgpack.packb({**body, "ignore_not_found": False}))
        assert code is grpc.StatusCode.PERMISSION_DENIED
    assert "orders" in lake.namespace("shop").tables()

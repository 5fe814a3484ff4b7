"""PyIceberg's own client at the door, over a lake of ours and over a service behind us."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import SortField, SortOrder
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from tests.catalog.iceberg.rest_server import rest_server
from tests.rest.doors import Client, open_door, profile_in, pyiceberg_client

ROWS = pa.table({"k": [1, 2, 3], "v": ["a", "b", "c"]})


@pytest.fixture(params=["lake", "service"])
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RestCatalog]:
    """`service`: the lake is behind a door of its own, and that one behind another."""
    with IcebergCatalog(profile_in(tmp_path)) as lake, open_door(lake) as uri:
        if request.param == "lake":
            yield from _client(uri)
            return
        behind = Profile("lake", "rest", uri, "lake")
        with IcebergCatalog(behind, max_staleness=0.0) as passing, open_door(passing) as outer:
            yield from _client(outer)


def _client(uri: str) -> Iterator[RestCatalog]:
    client = pyiceberg_client(uri)
    client.create_namespace("shop", {"owner": "me"})
    yield client
    client.close()


def test_namespaces(catalog: RestCatalog) -> None:
    assert catalog.list_namespaces() == [("shop",)]
    assert catalog.load_namespace_properties("shop") == {"owner": "me"}
    with pytest.raises(NamespaceAlreadyExistsError):
        catalog.create_namespace("shop")
    catalog.update_namespace_properties("shop", {"owner"}, {"comment": "hello"})
    assert catalog.load_namespace_properties("shop") == {"comment": "hello"}
    catalog.create_namespace(("shop", "eu"))
    assert catalog.list_namespaces("shop") == [("shop", "eu")]
    catalog.drop_namespace(("shop", "eu"))
    with pytest.raises(NoSuchNamespaceError):
        catalog.drop_namespace("nowhere")
    assert not catalog.namespace_exists("nowhere")


def test_a_table_lives(catalog: RestCatalog) -> None:
    table = catalog.create_table("shop.orders", ROWS.schema)
    with pytest.raises(TableAlreadyExistsError):
        catalog.create_table("shop.orders", ROWS.schema)
    table.append(ROWS)
    table.delete("k = 2")
    with table.update_schema() as schema:
        schema.add_column("w", LongType())
        schema.rename_column("v", "text")
    with table.update_spec() as spec:
        spec.add_field("k", IdentityTransform(), "by_k")
    with table.transaction() as transaction:
        transaction.set_properties(a="1")
    table.append(pa.table({"k": [9], "text": ["z"], "w": [1]}))
    found = catalog.load_table("shop.orders")
    assert found.properties["a"] == "1"
    assert sorted(found.scan().to_arrow()["k"].to_pylist()) == [1, 3, 9]
    assert catalog.list_tables("shop") == [("shop", "orders")]
    with pytest.raises(NamespaceNotEmptyError):
        catalog.drop_namespace("shop")
    catalog.rename_table("shop.orders", "shop.sold")
    assert catalog.table_exists("shop.sold")
    assert not catalog.table_exists("shop.orders")
    catalog.drop_table("shop.sold")
    with pytest.raises(NoSuchTableError):
        catalog.load_table("shop.sold")


def test_a_table_is_created_with_everything(catalog: RestCatalog) -> None:
    schema = Schema(NestedField(1, "k", LongType()), NestedField(2, "v", StringType()))
    made = catalog.create_table(
        "shop.t",
        schema,
        partition_spec=PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "k")),
        sort_order=SortOrder(SortField(2, IdentityTransform())),
        properties={"p": "1"},
    )
    assert [str(field) for field in made.spec().fields] == ["1000: k: identity(1)"]
    assert [field.source_id for field in made.sort_order().fields] == [2]
    assert made.properties["p"] == "1"
    assert made.schema().find_field("v").field_type == StringType()


def test_a_staged_table_is_made_with_its_rows(catalog: RestCatalog) -> None:
    with catalog.create_table_transaction("shop.t", ROWS.schema) as transaction:
        transaction.append(ROWS)
        assert not catalog.table_exists("shop.t")
    assert catalog.load_table("shop.t").scan().to_arrow().num_rows == 3


def test_the_slower_of_two_is_told(catalog: RestCatalog) -> None:
    first = catalog.create_table("shop.t", ROWS.schema)
    second = catalog.load_table("shop.t")
    with first.update_schema() as schema:
        schema.add_column("x", LongType())
    with pytest.raises(CommitFailedException), second.update_schema() as schema:
        schema.add_column("y", LongType())
    assert catalog.load_table("shop.t").schema().column_names == ["k", "v", "x"]


def test_branches_and_expiry(catalog: RestCatalog) -> None:
    table = catalog.create_table("shop.t", ROWS.schema)
    table.append(ROWS)
    first = table.current_snapshot()
    assert first is not None
    table.manage_snapshots().create_tag(first.snapshot_id, "v1").commit()
    table.append(ROWS)
    assert catalog.load_table("shop.t").refs().keys() == {"main", "v1"}
    table.manage_snapshots().remove_tag("v1").commit()
    table.maintenance.expire_snapshots().by_id(first.snapshot_id).commit()
    found = catalog.load_table("shop.t")
    assert [each.snapshot_id for each in found.snapshots()] != [first.snapshot_id]
    assert len(found.snapshots()) == 1
    assert found.scan().to_arrow().num_rows == 6


def test_a_service_behind_us_offers_what_it_can(tmp_path: Path) -> None:
    """One of ours commits several tables at once; of one that lists no endpoints nobody knows."""
    endpoint = "POST /v1/{prefix}/transactions/commit"
    with IcebergCatalog(profile_in(tmp_path)) as lake, open_door(lake) as uri:
        behind = Profile("lake", "rest", uri, "lake")
        with IcebergCatalog(behind) as passing, open_door(passing) as outer:
            client = Client(outer)
            assert endpoint in client.get("/v1/config").json["endpoints"]
            client.close()
    with (
        rest_server(tmp_path / "silent") as server,
        IcebergCatalog(server.profile()) as passing,
        open_door(passing) as outer,
    ):
        client = Client(outer)
        assert endpoint not in client.get("/v1/config").json["endpoints"]
        change = {"identifier": {"namespace": ["a"], "name": "b"}, "updates": []}
        reply = client.post("/v1/lake/transactions/commit", {"table-changes": [change]})
        assert reply.status in {404, 406}
        client.close()

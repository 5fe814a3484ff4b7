"""Listings of catalogs in which not everything is well."""

from __future__ import annotations

import logging
from pathlib import Path

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.access import EVERYONE
from lakeport.airport.inventory import Inventory
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import CatalogVersion, Table, TableState
from lakeport.flight.messages import FlightDescriptor
from tests.airport.airport_server import AIRPORT, Client, grow, serving, stock


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    with open_lake(tmp_path) as catalog:
        stock(catalog)
    return tmp_path


def open_lake(folder: Path) -> IcebergCatalog:
    uri = f"sqlite:///{folder / 'catalog.db'}"
    return IcebergCatalog(Profile("lake", "embedded", uri, f"{folder}/warehouse", {}))


def listed(client: Client) -> list[str]:
    infos = client.flight.list_flights(b"", client.options)
    return [msgpack.unpackb(info.app_metadata)["name"] for info in infos]


def test_a_damaged_table_does_not_take_its_namespace_with_it(
    warehouse: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (table,) = (warehouse / "warehouse").rglob("customers*")
    for metadata in table.rglob("*.metadata.json"):
        metadata.write_text("{")
    with (
        caplog.at_level(logging.WARNING, "lakeport.airport"),
        open_lake(warehouse) as catalog,
        serving([catalog]) as client,
    ):
        assert listed(client) == ["orders"]
        assert listed(client.having(AIRPORT)) == ["orders"]
        client.action("list_schemas")
        path = FlightDescriptor(path=("shop", "customers")).encode()
        assert client.code_of("GetFlightInfo", path)[0] is grpc.StatusCode.DATA_LOSS
    assert "listing.table_left_out" in caplog.messages


def test_another_process_is_listed_at_once(warehouse: Path) -> None:
    with open_lake(warehouse) as catalog, serving([catalog]) as client:
        before = client.packed("catalog_version")["catalog_version"]
        assert listed(client) == ["customers", "orders"]
        with open_lake(warehouse) as elsewhere:
            elsewhere.namespace("shop").drop_table("customers")
        assert listed(client) == ["orders"]
        assert client.packed("catalog_version")["catalog_version"] > before


def test_what_a_change_left_alone_is_not_described_again(warehouse: Path) -> None:
    made: list[str] = []

    def announce(_version: CatalogVersion, table: Table, state: TableState) -> pa.Schema:
        made.append(table.name.table)
        return state.definition.schema

    inventory = Inventory(announce)
    with open_lake(warehouse) as catalog:
        inventory.of(catalog, EVERYONE, catalog.version())
        assert sorted(made) == ["customers", "orders"]
        grow(catalog.namespace("shop").table("orders"), "more")
        (space,) = inventory.of(catalog, EVERYONE, catalog.version())
    assert made[2:] == ["orders"]
    assert "more" in space.tables[1].schema.names

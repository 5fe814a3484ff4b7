"""A commit at the Iceberg door is seen at once by everybody else, in this process and in another one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.types import LongType

from lakeport import open as opened
from lakeport.app.serve import running
from lakeport.app.settings import load
from lakeport.catalog.definition import (
    Check,
    Definition,
    PrimaryKey,
    default_of,
    with_comment,
    with_default,
)
from lakeport.web.app import build
from tests.cli.served import fl, serve

PORTS = {"server.grpc": "127.0.0.1:0", "server.http": "127.0.0.1:0"}
TYPES = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        with_comment(pa.field("small", pa.uint8()), "a byte"),
        with_default(pa.field("state", pa.string()), "'new'"),
        pa.field("at", pa.time64("us")),
    ]
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lakeport.toml").touch()
    with opened(tmp_path) as lake:
        rules = (PrimaryKey(("id",)), Check("(small < 100)", "small"))
        lake.create_table("shop.orders", Definition(TYPES, rules))
    return tmp_path


def version(client: Any) -> int:
    body = msgpack.packb({"catalog_name": "lake"})
    (result,) = client.do_action(fl.Action("catalog_version", body))
    found: int = msgpack.unpackb(result.body.to_pybytes())["catalog_version"]
    return found


def columns(client: Any, table: str = "orders") -> list[str]:
    names: list[str] = client.get_schema(fl.FlightDescriptor.for_path("shop", table)).schema.names
    return [name for name in names if name != "rowid"]


def rows(client: Any, table: str = "orders") -> list[dict[str, Any]]:
    info = client.get_flight_info(fl.FlightDescriptor.for_path("shop", table))
    found = [client.do_get(endpoint.ticket).read_all() for endpoint in info.endpoints]
    listed: list[dict[str, Any]] = pa.concat_tables(found).to_pylist()
    return listed


def grow_and_append(catalog: Catalog, client: Any) -> None:
    """Each commit is there in the very next call of the other door."""
    before = version(client)
    table = catalog.load_table("shop.orders")
    with table.update_schema() as change:
        change.add_column("extra", LongType())
    assert version(client) > before
    assert columns(client) == ["id", "small", "state", "at", "extra"]
    line = {"id": 1, "small": 7, "state": "x", "at": 5, "extra": 9}
    table.append(pa.Table.from_pylist([line], schema=table.schema().as_arrow()))
    assert [(row["id"], row["small"], row["extra"]) for row in rows(client)] == [(1, 7, 9)]
    between = version(client)
    catalog.rename_table("shop.orders", "shop.renamed")
    assert version(client) > between
    assert columns(client, "renamed") == ["id", "small", "state", "at", "extra"]


def test_in_one_process(project: Path) -> None:
    with (
        running(load(project=project, flags=PORTS), build) as server,
        fl.FlightClient(server.grpc) as client,
        RestCatalog("x", uri=server.greeting.iceberg, warehouse="lake") as catalog,
    ):
        grow_and_append(catalog, client)


def test_in_two_processes(project: Path) -> None:
    """A server of its own, and the door that this process opens for itself."""
    with (
        serve(project) as served,
        served.client() as client,
        opened(project) as lake,
        lake.rest() as door,
        RestCatalog("x", **door.for_pyiceberg()) as catalog,
    ):
        grow_and_append(catalog, client)
        assert served.end()[0] == 0


@pytest.fixture
def through(project: Path) -> Iterator[RestCatalog]:
    with opened(project) as lake, lake.rest() as door:
        catalog = RestCatalog("x", **door.for_pyiceberg())
        yield catalog
        catalog.close()


def test_what_iceberg_has_no_words_for_survives_changes_of_other_engines(
    project: Path, through: RestCatalog
) -> None:
    """Logical types, defaults and constraints go by field ids, whatever columns are called."""
    table = through.load_table("shop.orders")
    with table.update_schema() as change:
        change.rename_column("small", "tiny")
        change.rename_column("state", "status")
        change.move_first("at")
        change.add_column("extra", LongType())
    with opened(project) as lake:
        found = lake.catalog.namespace("shop").table("orders").state().definition
    assert found.schema.names == ["at", "id", "tiny", "status", "extra"]
    assert found.schema.field("tiny").type == pa.uint8()
    assert found.schema.field("at").type == pa.time64("us")
    assert default_of(found.schema.field("status")) == "'new'"
    assert [str(rule) for rule in found.constraints] == [
        str(PrimaryKey(("id",))),
        str(Check("(tiny < 100)", "small")),
    ]


def test_the_audit_has_calls_of_both_doors(project: Path) -> None:
    with (
        running(load(project=project, flags=PORTS), build) as server,
        fl.FlightClient(server.grpc) as client,
        RestCatalog("x", uri=server.greeting.iceberg, warehouse="lake") as catalog,
    ):
        catalog.load_table("shop.orders")
        columns(client)
        info = client.get_flight_info(fl.FlightDescriptor.for_path("lakeport", "audit"))
        entries = client.do_get(info.endpoints[0].ticket).read_all().to_pylist()
    told = {(row["method"], row["action"], row["table"], row["outcome"]) for row in entries}
    assert ("GET", "rest.load_table", "orders", "OK") in told
    assert ("GET", "rest.load_config", None, "OK") in told
    assert ("GetSchema", None, "orders", "OK") in told
    assert {row["identity"] for row in entries} == {"everyone"}
    assert json.dumps([row["peer"] for row in entries]).count("127.0.0.1") >= 3

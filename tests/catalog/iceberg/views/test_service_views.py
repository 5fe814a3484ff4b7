"""Views of a REST service behind us; the service is our own door to another lake."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from lakeport.catalog.views import NotATableError, Views
from lakeport.core.errors import (
    AlreadyExistsError,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    UnsupportedError,
)
from lakeport.core.names import TableName
from tests.catalog.iceberg.views.bodies import creation, replacement
from tests.catalog.iceberg.views.layout import make_old_layout
from tests.rest.doors import Client, door_to_lake, open_door


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[IcebergCatalog, str]]:
    with door_to_lake(tmp_path_factory.mktemp("behind")) as (lake, uri):
        yield lake, uri


@pytest.fixture
def lake(
    behind: tuple[IcebergCatalog, str], tmp_path: Path
) -> Iterator[tuple[IcebergCatalog, str]]:
    """A catalog over the service, and a namespace of its own."""
    place = tmp_path.name
    profile = Profile("far", "rest", behind[1], "lake", {})
    with IcebergCatalog(profile) as catalog:
        catalog.create_namespace(NamespaceInfo(place))
        yield catalog, place


def views(lake: tuple[IcebergCatalog, str]) -> Views:
    catalog, place = lake
    return catalog.namespace(place).views()


def test_a_view_is_made_changed_renamed_and_dropped_there(
    lake: tuple[IcebergCatalog, str], behind: tuple[IcebergCatalog, str]
) -> None:
    catalog, place = lake
    there = behind[0].namespace(place).views()
    made = views(lake).create("v", creation())
    assert there.load("v").metadata == made.metadata
    views(lake).commit("V", (), replacement("SELECT 2 AS b", "b"))
    assert views(lake).view("v").schema.names == there.view("v").schema.names == ["b"]
    with pytest.raises(NotATableError):
        catalog.namespace(place).table("V")
    views(lake).rename("v", TableName(place, "w"))
    assert list(views(lake).names()) == list(there.names()) == ["w"]
    views(lake).drop("w")
    assert list(there.names()) == []
    assert views(lake).register("again", made.location).metadata == made.metadata


def test_its_refusals_are_told_as_ours(lake: tuple[IcebergCatalog, str]) -> None:
    catalog, place = lake
    catalog.namespace(place).create_table("t", Definition(pa.schema([("k", pa.int64())])))
    views(lake).create("v", creation())
    with pytest.raises(AlreadyExistsError):
        views(lake).create("T", creation())
    with pytest.raises(AlreadyExistsError):
        views(lake).rename("v", TableName(place, "t"))
    with pytest.raises(NotFoundError, match="no view"):
        views(lake).load("none")
    other = {"type": "assert-view-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}
    with pytest.raises(ConflictError):
        views(lake).commit("v", [other], replacement("SELECT 2", "b"))
    with pytest.raises(InvalidRequestError):
        views(lake).commit("v", (), [{"action": "add-snapshot"}])


def test_our_own_door_passes_them_on(lake: tuple[IcebergCatalog, str]) -> None:
    catalog, place = lake
    with open_door(catalog) as uri:
        client = Client(uri)
        told = client.get("/v1/config").json["endpoints"]
        assert "POST /v1/{prefix}/views/rename" in told
        path = f"/v1/far/namespaces/{place}/views"
        made = client.post(path, creation())
        assert made.status == 200
        assert client.get(f"{path}/v").json == made.json
        assert client.send("DELETE", f"{path}/v").status == 204
        client.close()


def test_a_service_that_tells_of_no_views_has_none(profile: Profile) -> None:
    make_old_layout(profile)
    with IcebergCatalog(profile) as old, open_door(old) as uri:
        old.create_namespace(NamespaceInfo("shop"))
        with IcebergCatalog(Profile("far", "rest", uri, "lake", {})) as catalog:
            assert not catalog.engines().keeps_views
            assert list(catalog.namespace("shop").views().names()) == []
            with pytest.raises(UnsupportedError, match="keeps no views"):
                catalog.namespace("shop").views().create("v", creation())

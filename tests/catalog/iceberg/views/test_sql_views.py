"""Views of a SQL catalog: kept as Java's JDBC catalog keeps them, changed by compare-and-swap."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from lakeport.catalog.views import StoredView, ViewQuery, Views
from lakeport.core.errors import (
    AlreadyExistsError,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
    UnsupportedError,
)
from lakeport.core.names import TableName
from tests.catalog.iceberg.views.bodies import creation, replacement
from tests.catalog.iceberg.views.layout import make_old_layout

ONE = Definition(pa.schema([("k", pa.int64())]))


def views(lake: IcebergCatalog, namespace: str = "shop") -> Views:
    return lake.namespace(namespace).views()


def text(stored: StoredView) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(stored.metadata)
    return found


def test_a_view_is_described_by_its_current_version(lake: IcebergCatalog) -> None:
    views(lake).create("Ones", creation())
    view = views(lake).view("ones")
    assert view.name == TableName("shop", "Ones")
    assert view.queries == (ViewQuery("spark", "SELECT 1 AS a"),)
    assert view.schema == pa.schema([("a", pa.int64())])
    assert (view.version, view.comment) == (1, "Ones.")
    assert view.changed_ns == 1_700_000_000_001_000_000


def test_the_stored_bytes_are_those_of_the_file(lake: IcebergCatalog) -> None:
    made = views(lake).create("v", creation())
    assert views(lake).load("V") == made
    assert Path(made.location.removeprefix("file://")).read_bytes() == made.metadata
    assert made.location.startswith(text(made)["location"] + "/metadata/00000-")


def test_the_row_is_the_one_that_javas_jdbc_catalog_reads(
    lake: IcebergCatalog, database: sqlite3.Connection
) -> None:
    first = views(lake).create("v", creation())
    second = views(lake).commit("v", (), replacement("SELECT 2 AS b", "b"))
    assert database.execute(
        "SELECT table_namespace, table_name, iceberg_type, metadata_location,"
        " previous_metadata_location FROM iceberg_tables"
    ).fetchall() == [("shop", "v", "VIEW", second.location, first.location)]


def test_replacing_adds_a_version_and_keeps_the_old_one(lake: IcebergCatalog) -> None:
    made = text(views(lake).create("v", creation()))
    uuid = {"type": "assert-view-uuid", "uuid": made["view-uuid"]}
    changed = text(views(lake).commit("v", [uuid], replacement("SELECT 2 AS b", "b")))
    assert changed["view-uuid"] == made["view-uuid"]
    assert changed["current-version-id"] == 2
    assert [each["version-id"] for each in changed["version-log"]] == [1, 2]
    assert [each["schema-id"] for each in changed["versions"]] == [0, 1]
    assert views(lake).view("v").schema.names == ["b"]


def test_another_views_uuid_is_a_conflict(lake: IcebergCatalog) -> None:
    before = views(lake).create("v", creation())
    other = {"type": "assert-view-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}
    with pytest.raises(ConflictError, match="another view"):
        views(lake).commit("v", [other], replacement("SELECT 2 AS b", "b"))
    assert views(lake).load("v") == before


def test_changes_of_many_at_once_are_all_made(lake: IcebergCatalog) -> None:
    """Each is worked out again on what the others left."""
    views(lake).create("v", creation())
    keys = [f"key-{number}" for number in range(6)]

    def change(key: str) -> None:
        update = {"action": "set-properties", "updates": {key: "x"}}
        views(lake).commit("v", (), [update])

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(change, keys))
    assert set(keys) <= set(views(lake).view("v").properties)


def test_a_change_that_is_overtaken_again_and_again_is_a_conflict_and_leaves_no_file(
    lake: IcebergCatalog, database: sqlite3.Connection
) -> None:
    made = views(lake).create("v", creation())
    folder = Path(made.location.removeprefix("file://")).parent
    before = set(folder.iterdir())
    # Another program moves the row while our file is being written.
    database.execute(
        "CREATE TRIGGER overtaken BEFORE UPDATE ON iceberg_tables BEGIN SELECT RAISE(IGNORE); END"
    )
    with pytest.raises(ConflictError, match="somebody else"):
        views(lake).commit("v", (), replacement("SELECT 2 AS b", "b"))
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize("name", ["t", "T"])
def test_a_table_and_a_view_never_share_a_name(lake: IcebergCatalog, name: str) -> None:
    shop = lake.namespace("shop")
    shop.create_table("t", ONE)
    shop.views().create("v", creation())
    with pytest.raises(AlreadyExistsError, match="table or view"):
        shop.views().create(name, creation())
    with pytest.raises(AlreadyExistsError):
        shop.create_table("V", ONE)
    with pytest.raises(AlreadyExistsError):
        shop.rename_table("t", "V")
    with pytest.raises(AlreadyExistsError, match="table or view"):
        shop.views().rename("v", TableName("shop", name))


def test_a_view_cannot_be_opened_as_a_table(lake: IcebergCatalog) -> None:
    shop = lake.namespace("shop")
    shop.views().create("v", creation())
    assert shop.tables() == []
    with pytest.raises(UnsupportedError, match=r"`shop\.v` is a view") as refused:
        shop.table("V")
    assert "/iceberg" in str(refused.value)


def test_a_view_is_renamed_into_another_namespace(lake: IcebergCatalog) -> None:
    lake.create_namespace(NamespaceInfo("art"))
    made = views(lake).create("v", creation())
    views(lake).rename("V", TableName("ART", "w"))
    assert views(lake).names() == []
    assert views(lake, "art").load("w").metadata == made.metadata
    with pytest.raises(NotFoundError, match="namespace"):
        views(lake, "art").rename("w", TableName("nowhere", "w"))


def test_a_new_spelling_of_its_own_name_is_free(lake: IcebergCatalog) -> None:
    views(lake).create("v", creation())
    views(lake).rename("v", TableName("shop", "V"))
    assert views(lake).names() == ["V"]


def test_a_dropped_view_is_gone_and_can_be_registered_again(lake: IcebergCatalog) -> None:
    made = views(lake).create("v", creation())
    views(lake).drop("v")
    with pytest.raises(NotFoundError, match="no view `v`"):
        views(lake).load("v")
    with pytest.raises(NotFoundError):
        views(lake).drop("v")
    assert views(lake).register("again", made.location).metadata == made.metadata
    assert views(lake).names() == ["again"]


def test_a_namespace_with_a_view_is_not_dropped(lake: IcebergCatalog) -> None:
    views(lake).create("v", creation())
    with pytest.raises(PreconditionError, match="not empty"):
        lake.drop_namespace("shop")


def test_every_change_of_a_view_is_a_new_version_of_the_catalog(lake: IcebergCatalog) -> None:
    numbers = [lake.version().number]
    views(lake).create("v", creation())
    numbers.append(lake.version().number)
    views(lake).commit("v", (), replacement("SELECT 2 AS b", "b"))
    numbers.append(lake.version().number)
    views(lake).drop("v")
    numbers.append(lake.version().number)
    assert numbers == sorted(set(numbers))


def test_a_view_that_another_program_changes_is_a_new_version_too(
    lake: IcebergCatalog, database: sqlite3.Connection
) -> None:
    first = views(lake).create("v", creation())
    second = views(lake).commit("v", (), replacement("SELECT 2 AS b", "b"))
    before = lake.version()
    database.execute("UPDATE iceberg_tables SET metadata_location = ?", [first.location])
    assert lake.version() != before
    assert views(lake).load("v").metadata == first.metadata != second.metadata


@pytest.mark.parametrize("place", ["file:///etc/x", "s3://other/x", "{w}/../x", "{w}x", "{w}/a?b"])
def test_a_place_outside_the_warehouse_is_for_admins_alone(
    lake: IcebergCatalog, profile: Profile, place: str
) -> None:
    location = place.format(w=profile.warehouse)
    with pytest.raises(InvalidRequestError):
        views(lake).create("v", creation(location=location))
    with pytest.raises(InvalidRequestError):
        views(lake).register("v", location)
    assert views(lake).names() == []


def test_metadata_files_go_where_the_view_wants_them_within_the_warehouse(
    lake: IcebergCatalog, profile: Profile
) -> None:
    place = f"{profile.warehouse}/elsewhere"
    made = views(lake).create("v", creation(properties={"write.metadata.path": place}))
    assert made.location.startswith(f"{place}/00000-")
    assert views(lake).load("v") == made
    outside = {"write.metadata.path": "file:///etc"}
    with pytest.raises(InvalidRequestError, match="outside the warehouse"):
        views(lake).create("w", creation(properties=outside))
    update = {"action": "set-properties", "updates": outside}
    with pytest.raises(InvalidRequestError, match="outside the warehouse"):
        views(lake).commit("v", (), [update])


def test_an_admin_may_choose_any_place(lake: IcebergCatalog, tmp_path: Path) -> None:
    made = views(lake).create("v", creation(location=f"file://{tmp_path}/x/"), anywhere=True)
    assert text(made)["location"] == f"file://{tmp_path}/x"
    within = f"file:{tmp_path}/w/shop/v"
    moved = [{"action": "set-location", "location": within}]
    assert text(views(lake).commit("v", (), moved))["location"] == within


def test_a_database_of_the_old_layout_keeps_no_views(profile: Profile) -> None:
    make_old_layout(profile)
    with IcebergCatalog(profile) as lake:
        lake.create_namespace(NamespaceInfo("shop"))
        assert views(lake).names() == ()
        with pytest.raises(UnsupportedError, match="keeps no views"):
            views(lake).create("v", creation())
        with pytest.raises(NotFoundError):
            views(lake).load("v")

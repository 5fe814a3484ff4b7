"""Views in Postgres: the same rows, names and races as in SQLite."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from lakeport.core.errors import AlreadyExistsError, LakeportError
from lakeport.core.names import TableName
from tests.catalog.iceberg.views.bodies import creation, replacement

ONE = Definition(pa.schema([("k", pa.int64())]))


def test_a_view_lives_in_postgres(profile: Profile) -> None:
    with IcebergCatalog(profile) as lake, IcebergCatalog(profile) as other:
        lake.create_namespace(NamespaceInfo("shop"))
        views = lake.namespace("shop").views()
        views.create("v", creation())
        before = other.version()
        views.commit("v", (), replacement("SELECT 2 AS b", "b"))
        assert other.version() != before
        assert other.namespace("shop").views().view("V").schema.names == ["b"]
        views.rename("v", TableName("shop", "w"))
        assert other.namespace("shop").views().names() == ["w"]
        with pytest.raises(AlreadyExistsError):
            other.namespace("shop").create_table("W", ONE)
        views.drop("w")
        assert other.namespace("shop").views().names() == []


def test_of_a_table_and_a_view_of_one_name_only_one_is_made(profile: Profile) -> None:
    with IcebergCatalog(profile) as one, IcebergCatalog(profile) as two:
        one.create_namespace(NamespaceInfo("shop"))

        def make(number: int) -> bool:
            lake = (one, two)[number % 2]
            name = f"x{number // 4}"
            try:
                if number % 4 < 2:
                    lake.namespace("shop").views().create(name, creation())
                else:
                    lake.namespace("shop").create_table(name.upper(), ONE)
            except AlreadyExistsError:
                return False
            return True

        with ThreadPoolExecutor(4) as pool:
            made = list(pool.map(make, range(16)))
        assert [sum(made[first : first + 4]) for first in range(0, 16, 4)] == [1, 1, 1, 1]
        shop = two.namespace("shop")
        assert len(shop.tables()) + len(shop.views().names()) == 4


def test_changes_of_two_processes_are_both_made(profile: Profile) -> None:
    with IcebergCatalog(profile) as one, IcebergCatalog(profile) as two:
        one.create_namespace(NamespaceInfo("shop"))
        one.namespace("shop").views().create("v", creation())

        def change(number: int) -> str | None:
            views = (one, two)[number % 2].namespace("shop").views()
            update = {"action": "set-properties", "updates": {f"p{number}": "x"}}
            try:
                views.commit("v", (), [update])
            except LakeportError as error:
                return error.message
            return None

        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(change, range(6))) == [None] * 6
        found = two.namespace("shop").views().view("v").properties
        assert {f"p{number}" for number in range(6)} <= set(found)

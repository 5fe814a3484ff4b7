"""Finding namespaces, tables and their definitions, in any spelling."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakeport.catalog.ports import NamespaceInfo, Scannable, Travelable, require
from lakeport.core.errors import NotFoundError, UnsupportedError
from tests.behaviours.lake import Lake, Subject


def test_a_new_catalog_holds_nothing(lake: Lake) -> None:
    assert list(lake.catalog.namespaces()) == []


def test_namespaces_are_listed_with_comment_and_properties(lake: Lake) -> None:
    lake.catalog.create_namespace(NamespaceInfo("zoo"))
    lake.catalog.create_namespace(NamespaceInfo("art"))
    lake.catalog.create_namespace(NamespaceInfo("art.modern", "pictures", {"owner": "ann"}))
    assert list(lake.catalog.namespaces()) == [
        NamespaceInfo("art"),
        NamespaceInfo("art.modern", "pictures", {"owner": "ann"}),
        NamespaceInfo("zoo"),
    ]


def test_tables_are_listed_by_name(lake: Lake, items_schema: pa.Schema) -> None:
    lake.seed(items_schema, name="pears")
    lake.seed(items_schema, name="Apples")
    assert list(lake.catalog.namespace("shop").tables()) == ["Apples", "pears"]


@pytest.mark.parametrize("spelling", ["items", "ITEMS", "Items"])
def test_a_table_is_found_in_any_spelling(lake: Lake, items: Subject, spelling: str) -> None:
    found = lake.catalog.namespace("SHOP").table(spelling)
    assert found.state() == items.state
    assert (found.name.namespace, found.name.table) == ("shop", "items")


@pytest.mark.usefixtures("items")
def test_an_unknown_table_is_an_error_that_names_the_nearest(lake: Lake) -> None:
    with pytest.raises(NotFoundError, match="itms") as caught:
        lake.catalog.namespace("shop").table("itms")
    assert "items" in str(caught.value.hint)


@pytest.mark.usefixtures("items")
def test_an_unknown_namespace_is_an_error_that_names_the_nearest(lake: Lake) -> None:
    with pytest.raises(NotFoundError) as caught:
        lake.catalog.namespace("shopp")
    assert "shop" in str(caught.value.hint)


def test_a_state_tells_what_belongs_together(items: Subject) -> None:
    state = items.state
    newest = items.travelable.history()[-1]
    assert state.version == newest.version == 2
    assert state.snapshot_id == newest.snapshot_id
    assert state.definition.schema.names == ["k", "name", "price"]
    assert str(state.name) == "shop.items"


def test_a_table_nobody_wrote_to_has_version_zero_and_no_snapshot(
    lake: Lake, items_schema: pa.Schema
) -> None:
    state = lake.seed(items_schema, name="fresh").state
    assert (state.version, state.snapshot_id) == (0, None)


def test_the_catalog_version_is_steady_while_nothing_changes(lake: Lake, items: Subject) -> None:
    before = lake.catalog.version()
    items.rows()
    assert lake.catalog.version() == before
    assert not before.is_fixed


def test_an_ability_that_is_missing_is_an_unsupported_error(items: Subject) -> None:
    require(items.table, Scannable, "table `shop.items`")
    with pytest.raises(UnsupportedError, match=r"namespace `shop` cannot be read as of"):
        require(object(), Travelable, "namespace `shop`")

"""Who may change what: grants are asked by name, and what one may not see stays unseen."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from lakeport.access import Ability, Grant, Identity
from lakeport.catalog.definition import Definition
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import Catalog, NamespaceInfo
from lakeport.system import SystemCatalog
from tests.airport.airport_server import Audit, People
from tests.airport.ddl.door import (
    DENIED,
    EXISTS,
    NOT_FOUND,
    PRECONDITION,
    TEXTS,
    UNIMPLEMENTED,
    Door,
    column,
    ipc,
    opened,
    path_of,
    stock,
)

TABLE = {"schema_name": "shop", "arrow_schema": ipc(TEXTS)}
ADDED = {"schema": "shop", "column_schema": column("x", pa.int8())}

PEOPLE = {
    "reader": [Grant(Ability.READ), Grant(Ability.WRITE)],
    "builder": [Grant(Ability.DDL, "shop.*")],
    "one": [Grant(Ability.DDL, "shop.orders"), Grant(Ability.READ, "shop.orders")],
    "else": [Grant(Ability.DDL, "shop.*", "elsewhere")],
    "boss": [Grant(Ability.ADMIN)],
}


@pytest.fixture
def audit() -> Audit:
    return Audit()


@pytest.fixture
def served(audit: Audit) -> Iterator[Door]:
    catalog = MemoryCatalog("lake")
    stock(catalog)
    catalog.create_namespace(NamespaceInfo("secret")).create_table("hidden", _definition(catalog))
    people = People({name: Identity(name, frozenset(held)) for name, held in PEOPLE.items()})
    with opened(catalog, people=people, audit=audit) as door:
        yield door


def _definition(catalog: Catalog) -> Definition:
    return catalog.namespace("shop").table("orders").state().definition


def by(door: Door, name: str) -> Door:
    return door.having(("authorization", f"Bearer {name}"))


def test_reading_and_writing_is_not_changing(served: Door) -> None:
    reader = by(served, "reader")
    assert reader.code("create_schema", schema="new") is DENIED
    assert reader.code("drop_schema", name="empty") is DENIED
    assert reader.code("create_table", table_name="t", **TABLE) is DENIED
    assert reader.code("drop_table", schema_name="shop", name="orders") is DENIED
    assert reader.code("add_column", name="orders", **ADDED) is DENIED
    assert reader.code("rename_table", schema="shop", name="orders", new_table_name="o") is DENIED


def test_a_refusal_does_not_tell_what_exists(served: Door) -> None:
    for who in ("reader", "else", "one"):
        caller = by(served, who)
        there = caller.refusal("drop_table", schema_name="secret", name="hidden")
        missing = caller.refusal("drop_table", schema_name="secret", name="hidde2")
        assert there[0] is DENIED
        assert there[1].replace("hidden", "hidde2") == missing[1]
        # Nor does the wish to ignore what is missing.
        ignoring = caller.code(
            "drop_table", schema_name="secret", name="hidde2", ignore_not_found=True
        )
        assert ignoring is DENIED


def test_a_namespace_of_ones_own_is_built_up_and_taken_down(served: Door) -> None:
    builder = by(served, "builder")
    assert path_of(builder.info("create_table", table_name="t", **TABLE)) == ["shop", "t"]
    info = builder.info("add_column", name="t", **ADDED)
    assert info.schema.names == ["id", "name", "x", "rowid"]
    builder.info("rename_table", schema="shop", name="t", new_table_name="t2")
    builder.nothing("drop_table", schema_name="shop", name="t2")
    builder.nothing("drop_table", schema_name="shop", name="orders")
    builder.nothing("drop_schema", name="shop")
    builder.results("create_schema", schema="shop")
    assert builder.code("create_schema", schema="other") is DENIED


def test_what_is_missing_is_told_in_names_one_may_read(served: Door) -> None:
    builder = by(served, "builder")
    code, text = builder.refusal("drop_table", schema_name="shop", name="order")
    assert code is NOT_FOUND
    assert "orders" not in text
    code, text = builder.refusal("drop_schema", name="shop")
    assert code is PRECONDITION
    assert "orders" not in text
    served.catalog.namespace("shop")
    boss = by(served, "boss")
    assert "orders" in boss.refusal("drop_table", schema_name="shop", name="order")[1]
    assert "orders" in boss.refusal("drop_schema", name="shop")[1]


def test_a_table_of_ones_own_is_changed_and_nothing_beside_it(served: Door) -> None:
    one = by(served, "one")
    one.info("add_column", name="orders", **ADDED)
    assert one.code("create_table", table_name="other", **TABLE) is DENIED
    # To call it otherwise one needs the other name, too.
    assert one.code("rename_table", schema="shop", name="orders", new_table_name="o") is DENIED
    one.nothing("drop_table", schema_name="shop", name="ORDERS")
    one.info("create_table", table_name="Orders", **TABLE)
    assert one.code("drop_schema", name="shop") is DENIED


def test_the_audit_says_who_tried_what(served: Door, audit: Audit) -> None:
    by(served, "builder").info("create_table", table_name="t", **TABLE)
    by(served, "reader").code("drop_table", schema_name="shop", name="orders")
    by(served, "boss").results("create_schema", schema="made")
    by(served, "boss").info("add_column", name="ORDERS", **ADDED)
    told = [
        (each.identity, each.action, each.catalog, each.namespace, each.table, each.outcome)
        for each in audit.entries
    ]
    assert told == [
        ("builder", "create_table", "lake", "shop", "t", "OK"),
        ("reader", "drop_table", "lake", "shop", "orders", "PERMISSION_DENIED"),
        ("boss", "create_schema", "lake", "made", None, "OK"),
        ("boss", "add_column", "lake", "shop", "orders", "OK"),
    ]


REFUSED_BY_ROWS: list[tuple[str, dict[str, object]]] = [
    ("set_not_null", {"column_name": "v"}),
    ("add_constraint", {"constraint": "CHECK (name = 'z')"}),
    (
        "change_column_type",
        {"column_schema": column("v", pa.int64()), "expression": "CAST(name AS BIGINT)"},
    ),
    ("add_column", {"column_schema": column("x", pa.int8(), nullable=False)}),
]


@pytest.mark.parametrize(("action", "body"), REFUSED_BY_ROWS)
def test_rows_that_forbid_a_change_are_shown_to_readers_alone(
    served: Door, action: str, body: dict[str, object]
) -> None:
    where = {"schema": "shop", "name": "orders"}
    told, seen = by(served, "builder").refusal(action, **where, **body)
    code, text = by(served, "one").refusal(action, **where, **body)
    assert told is code
    assert not any(value in seen for value in ("'a'", "'c'", "1.5", "id ="))
    assert any(value in text for value in ("'a'", "'c'")), (seen, text)


# -- the namespace `lakeport` ----------------------------------------------------------------------


def test_the_system_namespace_is_not_dynamic() -> None:
    catalog = MemoryCatalog("lake")
    stock(catalog)

    def overlay(inner: Catalog, identity: Identity) -> Catalog:
        del identity
        return SystemCatalog(inner, None)  # type: ignore[arg-type]  # no row is asked for

    with opened(catalog, overlay=overlay) as door:
        assert door.code("create_table", **TABLE | {"schema_name": "Lakeport"}, table_name="t") is (
            UNIMPLEMENTED
        )
        drop = {"schema_name": "lakeport", "name": "tables"}
        assert door.code("drop_table", **drop) is UNIMPLEMENTED
        assert door.code("drop_table", **drop, ignore_not_found=True) is UNIMPLEMENTED
        added = ADDED | {"schema": "lakeport", "name": "tables"}
        assert door.code("add_column", **added) is UNIMPLEMENTED
        renamed = {"schema": "lakeport", "name": "tables", "new_table_name": "t"}
        assert door.code("rename_table", **renamed) is UNIMPLEMENTED
        assert door.code("drop_schema", name="lakeport", ignore_not_found=True) is UNIMPLEMENTED
        assert door.code("create_schema", schema="LAKEPORT") is EXISTS
        # Everything else passes through.
        door.results("create_schema", schema="new")
        door.info("create_table", **TABLE | {"schema_name": "new"}, table_name="t")
        door.nothing("drop_schema", name="empty")
        assert [info.name for info in catalog.namespaces()] == ["new", "shop"]


def test_duckdb_is_not_given_a_schema_that_it_cannot_use(door: Door) -> None:
    assert door.duck.code("create_schema", schema="Main").name == "INVALID_ARGUMENT"
    door.results("create_schema", schema="main")

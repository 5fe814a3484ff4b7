"""Every ALTER that DuckDB or another client can send: what it does, what it answers, what it refuses."""

from __future__ import annotations

from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Check, PrimaryKey, Unique
from lakeport.catalog.ports import Travelable, require
from tests.airport.ddl.door import (
    EXISTS,
    INVALID,
    NOT_FOUND,
    PRECONDITION,
    UNIMPLEMENTED,
    Door,
    column,
    ipc,
    path_of,
)

ORDERS = {"schema": "shop", "name": "orders"}
_STRUCT: list[Field] = [pa.field("a", pa.int32()), pa.field("b", pa.string())]
_NESTED: list[Field] = [pa.field("id", pa.int64()), pa.field("st", pa.struct(_STRUCT))]
NESTED = pa.schema(_NESTED)

ALTERS: dict[str, dict[str, object]] = {
    "rename_column": {"old_name": "v", "new_name": "w"},
    "rename_table": {"new_table_name": "sold"},
    "change_column_type": {"column_schema": column("v", pa.string()), "expression": ""},
    "set_default": {"column_name": "v", "expression": "1.5"},
    "set_not_null": {"column_name": "name"},
    "drop_not_null": {"column_name": "id"},
    "add_constraint": {"constraint": "UNIQUE (name)"},
    "add_field": {"column_path": ["st"], "column_schema": column("c", pa.int8())},
    "remove_field": {"column_path": ["st", "b"]},
    "rename_field": {"column_path": ["st", "a"], "new_name": "aa"},
}


@pytest.fixture
def nested(door: Door) -> Door:
    door.info("create_table", schema_name="shop", table_name="n", arrow_schema=ipc(NESTED))
    return door


def target(action: str) -> dict[str, str]:
    return {"schema": "shop", "name": "n"} if action.endswith("field") else ORDERS


def rows(door: Door, info: Any) -> list[dict[str, Any]]:
    found = door.client.rows(info).to_pylist()
    return sorted(({k: v for k, v in row.items() if k != "rowid"} for row in found), key=repr)


# -- what each of them does ------------------------------------------------------------------------


def test_a_column_is_renamed_with_all_that_uses_it(door: Door) -> None:
    info = door.info("rename_column", **ORDERS, old_name="ID", new_name="Key")
    assert info.schema.names == ["Key", "name", "v", "rowid"]
    packed = msgpack.unpackb(info.schema.metadata[b"check_constraints"])
    assert packed == {"constraints": ['("Key" > 0)']}
    assert rows(door, info)[0] == {"Key": 1, "name": "a", "v": 1.5}


def test_a_table_is_renamed(door: Door) -> None:
    info = door.info("rename_table", **ORDERS, new_table_name="Sold")
    assert path_of(info) == ["shop", "Sold"]
    assert msgpack.unpackb(info.app_metadata)["name"] == "Sold"
    assert len(rows(door, info)) == 3
    assert list(door.catalog.namespace("shop").tables()) == ["Sold"]
    again = door.info("rename_table", schema="shop", name="sold", new_table_name="SOLD")
    assert path_of(again) == ["shop", "SOLD"]


def test_a_type_is_changed_by_the_cast_that_duckdb_always_sends(door: Door) -> None:
    info = door.info(
        "change_column_type",
        **ORDERS,
        column_schema=column("v", pa.int32()),
        expression="CAST(v AS INTEGER)",
    )
    assert info.schema.field("v").type == pa.int32()
    assert [row["v"] for row in rows(door, info)] == [2, 2, None]


def test_a_type_is_changed_by_the_users_expression(door: Door) -> None:
    info = door.info(
        "change_column_type",
        **ORDERS,
        column_schema=column("v", pa.string()),
        expression="('v' || name)",
    )
    assert info.schema.field("v").type == pa.string()
    assert [row["v"] for row in rows(door, info)] == ["va", "vb", "vc"]


def test_a_default_is_set_and_removed(door: Door) -> None:
    info = door.info("set_default", **ORDERS, column_name="v", expression="2.5")
    assert info.schema.field("v").metadata == {b"default": b"2.5"}
    info = door.info("set_default", **ORDERS, column_name="v", expression=None)
    assert not info.schema.field("v").metadata


def test_not_null_is_set_and_dropped(door: Door) -> None:
    info = door.info("set_not_null", **ORDERS, column_name="name")
    assert not info.schema.field("name").nullable
    info = door.info("drop_not_null", **ORDERS, column_name="name")
    assert info.schema.field("name").nullable


def test_a_constraint_is_added(door: Door) -> None:
    door.info("add_constraint", **ORDERS, constraint="UNIQUE (name, v)")
    door.info("add_constraint", **ORDERS, constraint="CONSTRAINT small CHECK (v < 100)")
    info = door.info("add_constraint", **ORDERS, constraint="PRIMARY KEY (id)")
    held = door.catalog.namespace("shop").table("orders").state().definition.constraints
    assert [type(each) for each in held] == [Check, Unique, Check, PrimaryKey]
    shown = msgpack.unpackb(info.schema.metadata[b"check_constraints"])["constraints"]
    assert shown == ["(id > 0)", "(v < 100)"]


def test_fields_are_added_renamed_and_removed(nested: Door) -> None:
    at = {"schema": "shop", "name": "n"}
    added = column("c", pa.int8())
    info = nested.info("add_field", **at, column_path=["st"], column_schema=added)
    assert [each.name for each in info.schema.field("st").type] == ["a", "b", "c"]
    more = {"column_path": ["st"], "column_schema": added}
    assert nested.code("add_field", **at, **more) is EXISTS
    nested.info("add_field", **at, **more, if_field_not_exists=True)
    info = nested.info("rename_field", **at, column_path=["st", "A"], new_name="aa")
    assert [each.name for each in info.schema.field("st").type] == ["aa", "b", "c"]
    info = nested.info("remove_field", **at, column_path=["st", "b"], cascade=False)
    assert [each.name for each in info.schema.field("st").type] == ["aa", "c"]
    gone = {"column_path": ["st", "b"]}
    assert nested.code("remove_field", **at, **gone) is NOT_FOUND
    nested.info("remove_field", **at, **gone, if_column_exists=True)


def test_a_field_without_a_name_is_refused_with_the_reason(nested: Door) -> None:
    code, text = nested.duck.refusal(
        "add_field",
        schema="shop",
        name="n",
        column_path=["st"],
        column_schema=column("st", pa.int32()),
        if_field_not_exists=False,
    )
    assert code is INVALID
    assert "does not carry the name" in text


# -- what they refuse ------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ALTERS)
def test_required_fields_of_alters_are_required(nested: Door, action: str) -> None:
    full: dict[str, object] = {**target(action), **ALTERS[action]}
    nullable = {("set_default", "expression"), ("change_column_type", "expression")}
    for key in full:
        for wrong in (5, [5], {"a": 1}, True):
            assert nested.code(action, **full | {key: wrong}) is INVALID, (key, wrong)
        if (action, key) in nullable:
            continue
        assert nested.code(action, **full | {key: None}) is INVALID, key
        assert nested.code(action, **full | {key: ""}) is INVALID, key
        left = {name: value for name, value in full.items() if name != key}
        assert nested.code(action, **left) is INVALID, key


@pytest.mark.parametrize("action", ALTERS)
def test_a_missing_table_is_excused_by_its_flag(door: Door, action: str) -> None:
    body = {"schema": "shop", "name": "nosuch", **ALTERS[action]}
    assert door.code(action, **body) is NOT_FOUND
    assert door.code(action, **body, ignore_not_found=False) is NOT_FOUND
    door.nothing(action, **body, ignore_not_found=True)


@pytest.mark.parametrize("action", ALTERS)
def test_malformed_alters_are_refused(nested: Door, action: str) -> None:
    for body in (b"\xc1", b"\x93\x01", b"\x01", b"\x81\xa1", b"\xff", b""):
        assert nested.refused_bytes(action, body)[0] is INVALID, body


def test_a_default_must_be_named_even_to_be_removed(door: Door) -> None:
    assert door.code("set_default", **ORDERS, column_name="v") is INVALID


def test_what_cannot_be_done_keeps_the_catalogs_code(nested: Door) -> None:
    door = nested
    door.info("create_table", schema_name="shop", table_name="b", arrow_schema=ipc(NESTED))
    refusals: list[tuple[object, str, dict[str, object]]] = [
        (NOT_FOUND, "rename_column", {"old_name": "nosuch", "new_name": "x"}),
        (EXISTS, "rename_column", {"old_name": "id", "new_name": "V"}),
        (INVALID, "rename_column", {"old_name": "id", "new_name": "rowid"}),
        (EXISTS, "rename_table", {"new_table_name": "B"}),
        (INVALID, "rename_table", {"new_table_name": "a.b"}),
        (NOT_FOUND, "change_column_type", {"column_schema": column("x", pa.int8())}),
        (INVALID, "change_column_type", {"column_schema": column("name", pa.int64())}),
        (
            INVALID,
            "change_column_type",
            {"column_schema": column("v", pa.int8()), "expression": "nosuch + 1"},
        ),
        (NOT_FOUND, "set_default", {"column_name": "x", "expression": "1"}),
        (INVALID, "set_default", {"column_name": "v", "expression": "'text'"}),
        (INVALID, "set_default", {"column_name": "v", "expression": "random()"}),
        (NOT_FOUND, "set_not_null", {"column_name": "x"}),
        (INVALID, "set_not_null", {"column_name": "v"}),  # a row holds NULL
        (NOT_FOUND, "drop_not_null", {"column_name": "x"}),
        (INVALID, "add_constraint", {"constraint": "id > 0"}),
        (INVALID, "add_constraint", {"constraint": "CHECK (id > 1)"}),  # a row breaks it
        (INVALID, "add_constraint", {"constraint": "CHECK (nosuch > 1)"}),
        (EXISTS, "add_constraint", {"constraint": "CONSTRAINT positive CHECK (v > 0)"}),
        (UNIMPLEMENTED, "add_constraint", {"constraint": "FOREIGN KEY (id) REFERENCES b (id)"}),
        (NOT_FOUND, "add_field", {"column_path": ["x"], "column_schema": column("c", pa.int8())}),
        (INVALID, "add_field", {"column_path": ["v"], "column_schema": column("c", pa.int8())}),
        (NOT_FOUND, "rename_field", {"column_path": ["x", "y"], "new_name": "z"}),
    ]
    for expected, action, more in refusals:
        assert door.code(action, **ORDERS, **more) is expected, (action, more)


def test_a_primary_key_keeps_its_columns(door: Door) -> None:
    door.info("add_constraint", **ORDERS, constraint="PRIMARY KEY (id)")
    assert door.code("drop_not_null", **ORDERS, column_name="id") is PRECONDITION
    removal = {**ORDERS, "removed_column": "id"}
    code, text = door.refusal("remove_column", **removal)
    assert code is PRECONDITION
    assert "PRIMARY KEY" in text
    assert "positive" in text
    door.info("remove_column", **removal, cascade=True)


def test_a_column_does_not_become_of_a_type_that_nobody_here_knows(door: Door) -> None:
    unknown = {"ARROW:extension:name": "geoarrow.point", "ARROW:extension:metadata": "{}"}
    code = door.code(
        "change_column_type",
        **ORDERS,
        column_schema=column("name", pa.binary(), metadata=unknown),
        expression="CAST(name AS POINT_2D)",
    )
    assert code is UNIMPLEMENTED


# -- what they leave -------------------------------------------------------------------------------


def test_each_alter_is_one_version_with_its_author(nested: Door) -> None:
    # A table's name is the catalog's affair; a column that was renamed is unknown to the others.
    for action in (*sorted(ALTERS.keys() - {"rename_table", "rename_column"}), "rename_column"):
        more, name = ALTERS[action], target(action)["name"]
        table = require(nested.catalog.namespace("shop").table(name), Travelable, name)
        before = len(table.history())
        nested.results(action, **target(action), **more)
        newest = table.history()[-1]
        assert len(table.history()) == before + 1, action
        assert newest.summary["lakeport.actor"] == "everyone"
        assert newest.summary["lakeport.statement"] == action


def test_an_alter_that_changes_nothing_answers_and_leaves_no_version(door: Door) -> None:
    before = door.catalog.namespace("shop").table("orders").state()
    for action, more in (
        ("drop_not_null", {"column_name": "name"}),
        ("set_not_null", {"column_name": "id"}),
        ("rename_column", {"old_name": "v", "new_name": "v"}),
        ("set_default", {"column_name": "name", "expression": "'zz'"}),
    ):
        info = door.info(action, **ORDERS, **more)
        assert info.schema.names == ["id", "name", "v", "rowid"]
    assert door.catalog.namespace("shop").table("orders").state() == before

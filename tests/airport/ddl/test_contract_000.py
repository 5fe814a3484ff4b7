"""Contract 000, DDL actions: each line of its tables, by raw gRPC, over each implementation.

| the contract | the test |
|---|---|
| create_schema: one Result, a contents record | `test_create_schema_answers_a_contents_record` |
| create_schema: comment, tags | `test_comment_and_tags_of_a_schema_come_back` |
| create_schema: ALREADY_EXISTS | `test_an_existing_schema_is_not_created` |
| create_schema: UNIMPLEMENTED | `test_a_catalog_that_is_not_dynamic_is_not_changed` |
| create_schema: INVALID_ARGUMENT, empty name | `test_a_schema_needs_a_name` |
| drop_schema: empty response | `test_drop_schema_answers_nothing` |
| drop_schema: NOT_FOUND, `ignore_not_found` | `test_a_missing_schema_is_not_dropped` |
| drop_schema: FAILED_PRECONDITION | `test_a_schema_with_tables_is_not_dropped` |
| create_table: one Result, a FlightInfo with schema, descriptor, endpoint, app_metadata | `test_create_table_answers_the_flight_info_of_the_table` |
| create_table: NOT NULL, UNIQUE, CHECK | `test_constraints_by_position_and_text_are_kept` |
| create_table: ALREADY_EXISTS, `ignore`, `replace` | `test_an_existing_table_…` |
| create_table: NOT_FOUND | `test_a_table_needs_a_schema_that_is_there` |
| create_table: INVALID_ARGUMENT | `test_a_table_that_cannot_be_is_refused` |
| create_table, drop_table: UNIMPLEMENTED | `test_a_schema_that_is_not_dynamic_is_not_changed` |
| drop_table: empty response | `test_drop_table_answers_nothing` |
| drop_table: NOT_FOUND, `ignore_not_found` | `test_a_missing_table_is_not_dropped` |
| add_column: one Result, a FlightInfo with the updated schema | `test_add_column_answers_the_new_schema` |
| add_column: ALREADY_EXISTS, `if_column_not_exists` | `test_an_existing_column_is_not_added` |
| add_column: NOT_FOUND, `ignore_not_found` | `test_a_missing_table_is_not_altered` |
| add_column: INVALID_ARGUMENT, exactly one field | `test_exactly_one_column_is_added` |
| add_column, remove_column: UNIMPLEMENTED | `test_a_table_that_is_not_dynamic_is_not_changed` |
| remove_column: one Result, a FlightInfo with the updated schema | `test_remove_column_answers_the_new_schema` |
| remove_column: NOT_FOUND of the column, `if_column_exists` | `test_a_missing_column_is_not_removed` |
| remove_column: `cascade` | `test_cascade_takes_dependents_along` |
| missing required field: INVALID_ARGUMENT | `test_required_fields_are_required` |
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.catalog.definition import Check, PrimaryKey, Unique
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import NamespaceInfo
from tests.airport.airport_server import shop
from tests.airport.ddl.door import (
    ALIASES,
    EXISTS,
    INVALID,
    NOT_FOUND,
    PRECONDITION,
    TEXTS,
    UNIMPLEMENTED,
    Door,
    column,
    ipc,
    metadata_of,
    opened,
    path_of,
)
from tests.airport.ddl.frozen import FrozenTable, frozen

ANNOUNCED = ["id", "name", "v", "rowid"]


def contents_of(result: bytes) -> list[Any]:
    record = msgpack.unpackb(result)
    assert set(record) == {"sha256", "url", "serialized"}
    assert record["url"] is None
    assert hashlib.sha256(record["serialized"]).hexdigest() == record["sha256"]
    length, data = msgpack.unpackb(record["serialized"])
    unpacked = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
    assert len(unpacked) == length
    found: list[Any] = msgpack.unpackb(unpacked)
    return found


# -- create_schema ---------------------------------------------------------------------------------


def test_create_schema_answers_a_contents_record(either: Door) -> None:
    (result,) = either.results("create_schema", catalog_name="", schema="staging")
    assert contents_of(result) == []
    assert list(either.catalog.namespace("STAGING").tables()) == []


TAGS: list[dict[str, str]] = [
    {},
    {"owner": "ann", "größe": "5", "empty": "", "": "nameless"},
    {
        "comment": "not the comment",
        "exists": "no",
    },  # as other things are called that are kept there
    {"exists": "true"},
]


@pytest.mark.parametrize("comment", ["raw data", None])
@pytest.mark.parametrize("tags", TAGS, ids=str)
def test_comment_and_tags_of_a_schema_come_back(
    either: Door, tags: dict[str, str], comment: str | None
) -> None:
    either.results("create_schema", schema="staging", comment=comment, tags=tags)
    body = msgpack.packb({"catalog_name": "lake"})
    length, data = msgpack.unpackb(either.duck.client.action("list_schemas", body))
    root = msgpack.unpackb(pa.CompressedInputStream(pa.BufferReader(data), "zstd").read(length))
    (listed,) = [each for each in root["schemas"] if each["name"] == "staging"]
    assert (listed["description"], listed["tags"]) == (comment or "", tags)


@pytest.mark.parametrize("name", ["shop", "SHOP"])
def test_an_existing_schema_is_not_created(either: Door, name: str) -> None:
    assert either.code("create_schema", schema=name) is EXISTS


@pytest.mark.parametrize("body", [{}, {"schema": ""}, {"schema": None}, {"schema": " x"}])
def test_a_schema_needs_a_name(either: Door, body: dict[str, object]) -> None:
    assert either.code("create_schema", **body) is INVALID


def test_an_existing_schema_may_count_as_success(catalog: Any) -> None:
    with opened(catalog, existing_schema_ok=True) as door:
        (result,) = door.duck.results("create_schema", schema="shop")
        (_,) = contents_of(result)
        assert door.catalog.namespace("shop").info.comment == "what we sell"


# -- drop_schema -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        {"name": "empty", "schema_name": ""},
        {"name": "empty"},
        {"name": "", "schema_name": "empty"},
        {"name": "EMPTY", "schema_name": "empty"},
    ],
)
def test_drop_schema_answers_nothing(either: Door, names: dict[str, str]) -> None:
    either.nothing("drop_schema", type="schema", catalog_name="lake", **names)
    assert [info.name for info in either.catalog.namespaces()] == ["shop"]


def test_a_missing_schema_is_not_dropped(either: Door) -> None:
    body = {"type": "schema", "name": "nosuch"}
    assert either.code("drop_schema", **body, ignore_not_found=False) is NOT_FOUND
    assert either.code("drop_schema", **body) is NOT_FOUND
    either.nothing("drop_schema", **body, ignore_not_found=True)


def test_a_schema_with_tables_is_not_dropped(either: Door) -> None:
    for ignore in (False, True):
        code = either.code("drop_schema", name="shop", type="schema", ignore_not_found=ignore)
        assert code is PRECONDITION


def test_drop_schema_is_told_one_schema(either: Door) -> None:
    assert either.code("drop_schema", type="table", name="empty") is INVALID
    assert either.code("drop_schema", type="schema", name="empty", schema_name="shop") is INVALID
    assert either.code("drop_schema", type="schema", name="", schema_name="") is INVALID


# -- create_table ----------------------------------------------------------------------------------


def test_create_table_answers_the_flight_info_of_the_table(either: Door) -> None:
    info = either.info(
        "create_table",
        catalog_name="lake",
        schema_name="shop",
        table_name="Items",
        arrow_schema=ipc(TEXTS.with_metadata({"comment": "what there is"})),
        on_conflict="error",
        not_null_constraints=[0],
        unique_constraints=[],
        check_constraints=[],
    )
    assert path_of(info) == ["shop", "Items"]
    assert info.schema.names == ["id", "name", "rowid"]
    assert [field.nullable for field in info.schema] == [False, True, False]
    assert either.client.rows(info).num_rows == 0
    assert metadata_of(info) == {
        "type": "table",
        "catalog": "lake",
        "schema": "shop",
        "name": "Items",
        "comment": "what there is",
        "description": None,
        "input_schema": None,
        "action_name": None,
        "extra_data": None,
    }
    (endpoint,) = info.endpoints
    assert endpoint.locations[0].uri.startswith(b"grpc://")
    assert either.catalog.namespace("shop").table("items").state().definition.comment


def test_constraints_by_position_and_text_are_kept(either: Door) -> None:
    info = either.info(
        "create_table",
        schema_name="shop",
        table_name="items",
        arrow_schema=ipc(TEXTS),
        on_conflict="error",
        not_null_constraints=[1],
        unique_constraints=[0],
        check_constraints=["(id > 0)"],
    )
    packed = info.schema.metadata[b"check_constraints"]
    assert msgpack.unpackb(packed) == {"constraints": ["(id > 0)"]}
    definition = either.catalog.namespace("shop").table("items").state().definition
    assert [field.nullable for field in definition.schema] == [True, False]
    assert definition.constraints == (Unique(("id",), "id_unique"), Check("(id > 0)", "id_check"))


def test_an_existing_table_is_an_error(either: Door) -> None:
    for more in ({"on_conflict": "error"}, {}, {"on_conflict": ""}):
        code = either.code(
            "create_table", schema_name="SHOP", table_name="Orders", arrow_schema=ipc(TEXTS), **more
        )
        assert code is EXISTS


def test_an_existing_table_is_left_as_it_is_when_that_is_ignored(either: Door) -> None:
    body = {"schema_name": "shop", "table_name": "ORDERS", "arrow_schema": ipc(TEXTS)}
    info = either.info("create_table", **body, on_conflict="ignore")
    assert path_of(info) == ["shop", "orders"]
    assert info.schema.names == ANNOUNCED
    assert either.client.rows(info).num_rows == 3


def test_an_existing_table_is_replaced_in_one_version(either: Door) -> None:
    before = either.catalog.namespace("shop").table("orders").state()
    body = {"schema_name": "shop", "table_name": "orders", "arrow_schema": ipc(TEXTS)}
    info = either.info("create_table", **body, on_conflict="replace")
    assert path_of(info) == ["shop", "orders"]
    assert info.schema.names == ["id", "name", "rowid"]
    assert either.client.rows(info).num_rows == 0
    after = either.catalog.namespace("shop").table("orders").state()
    assert (after.uuid, after.version) == (before.uuid, before.version + 1)
    assert after.definition.constraints == ()


@pytest.mark.parametrize("on_conflict", ["ignore", "replace"])
def test_a_new_table_is_created_whatever_a_conflict_would_mean(
    door: Door, on_conflict: str
) -> None:
    body = {"schema_name": "empty", "table_name": "t", "arrow_schema": ipc(TEXTS)}
    info = door.duck.info("create_table", **body, on_conflict=on_conflict)
    assert path_of(info) == ["empty", "t"]


@pytest.mark.parametrize("on_conflict", ["error", "ignore", "replace"])
def test_a_table_needs_a_schema_that_is_there(either: Door, on_conflict: str) -> None:
    code = either.code(
        "create_table",
        schema_name="nosuch",
        table_name="t",
        arrow_schema=ipc(TEXTS),
        on_conflict=on_conflict,
    )
    assert code is NOT_FOUND


WRONG_TABLES: list[dict[str, object]] = [
    {"table_name": ""},
    {"table_name": "a.b"},
    {"table_name": "a\\b"},
    {"schema_name": ""},
    {"arrow_schema": b""},
    {"arrow_schema": b"no schema at all"},
    {"arrow_schema": ipc(TEXTS)[:40]},
    {"arrow_schema": ipc(pa.schema([]))},
    {"arrow_schema": ipc(pa.schema([("a", pa.int8()), ("A", pa.int8())]))},
    {"arrow_schema": ipc(pa.schema([("a", pa.int8()), ("a", pa.int8())]))},
    {"arrow_schema": ipc(pa.schema([("", pa.int8())]))},
    {"arrow_schema": ipc(pa.schema([("rowid", pa.int64())]))},
    {"arrow_schema": column("a", pa.int8(), metadata={"comment": b"\xff"})},
    {"arrow_schema": column("a", pa.int8(), metadata={"default": "nosuch(1)"})},
    {"arrow_schema": column("a", pa.float16())},
    {"on_conflict": "overwrite"},
    {"not_null_constraints": [2]},
    {"not_null_constraints": [2**64 - 1]},
    {"unique_constraints": [2]},
    {"check_constraints": ["id >"]},
    {"check_constraints": ["nosuch > 1"]},
    {"check_constraints": ["id"]},
    {"check_constraints": ["random() > 0.5"]},
    {"check_constraints": ["(SELECT 1) = 1"]},
    {"check_constraints": [""]},
    {"primary_key_columns": ["nosuch"]},
    {"primary_key_columns": ["id"], "multi_key_primary_keys": ["id", "name"]},
    {"primary_key_columns": ["id"], "extra_constraints": ["PRIMARY KEY (name)"]},
    {"unique_columns": ["nosuch"]},
    {"multi_key_primary_keys": ["id", "ID"]},
    {"extra_constraints": ["UNIQUE"]},
    {"extra_constraints": ["EXCLUDE (id)"]},
]


def test_a_table_that_cannot_be_is_refused(either: Door) -> None:
    body = {"schema_name": "shop", "table_name": "items", "arrow_schema": ipc(TEXTS)}
    for wrong in WRONG_TABLES:
        assert either.code("create_table", **body | wrong) is INVALID, wrong


def test_a_rule_between_tables_is_not_promised(either: Door) -> None:
    """Nobody could hold it where every table is committed by itself."""
    body = {"schema_name": "shop", "table_name": "items", "arrow_schema": ipc(TEXTS)}
    for text in (
        "FOREIGN KEY (id) REFERENCES orders (id)",
        "CONSTRAINT f FOREIGN KEY(id) REFERENCES o",
    ):
        code, said = either.refusal("create_table", **body, extra_constraints=[text])
        assert code is UNIMPLEMENTED
        assert "FOREIGN KEY is not supported" in said


# -- drop_table ------------------------------------------------------------------------------------


def test_drop_table_answers_nothing(either: Door) -> None:
    either.nothing("drop_table", type="table", schema_name="Shop", name="ORDERS")
    assert list(either.catalog.namespace("shop").tables()) == []


@pytest.mark.parametrize(("namespace", "table"), [("shop", "nosuch"), ("nosuch", "orders")])
def test_a_missing_table_is_not_dropped(either: Door, namespace: str, table: str) -> None:
    body = {"type": "table", "schema_name": namespace, "name": table}
    assert either.code("drop_table", **body, ignore_not_found=False) is NOT_FOUND
    assert either.code("drop_table", **body) is NOT_FOUND
    either.nothing("drop_table", **body, ignore_not_found=True)


def test_drop_table_drops_tables_alone(either: Door) -> None:
    code = either.code("drop_table", type="schema", schema_name="shop", name="orders")
    assert code is INVALID


# -- add_column ------------------------------------------------------------------------------------


def test_add_column_answers_the_new_schema(either: Door) -> None:
    info = either.info(
        "add_column",
        catalog="lake",
        schema="shop",
        name="ORDERS",
        column_schema=column("Extra", pa.int32()),
        ignore_not_found=False,
        if_column_not_exists=False,
    )
    assert info.schema.names == ["id", "name", "v", "Extra", "rowid"]
    assert path_of(info) == ["shop", "orders"]
    assert either.client.rows(info).column("Extra").to_pylist() == [None] * 3


def test_an_existing_column_is_not_added(either: Door) -> None:
    body = {"schema": "shop", "name": "orders", "column_schema": column("V", pa.int32())}
    assert either.code("add_column", **body, if_column_not_exists=False) is EXISTS
    # The flag of the table does not excuse the column.
    assert either.code("add_column", **body, ignore_not_found=True) is EXISTS
    info = either.info("add_column", **body, if_column_not_exists=True)
    assert info.schema.names == ANNOUNCED
    assert info.schema.field("v").type == pa.float64()


@pytest.mark.parametrize(
    ("action", "more"),
    [
        ("add_column", {"column_schema": column("x", pa.int8()), "if_column_not_exists": True}),
        ("remove_column", {"removed_column": "v", "if_column_exists": True}),
    ],
)
@pytest.mark.parametrize(("namespace", "table"), [("shop", "nosuch"), ("nosuch", "orders")])
def test_a_missing_table_is_not_altered(
    either: Door, action: str, more: dict[str, object], namespace: str, table: str
) -> None:
    body = {"schema": namespace, "name": table, **more}
    # The flag of the column does not excuse the table.
    assert either.code(action, **body) is NOT_FOUND
    assert either.code(action, **body, ignore_not_found=False) is NOT_FOUND
    either.nothing(action, **body, ignore_not_found=True)


def test_exactly_one_column_is_added(either: Door) -> None:
    for described in (
        ipc(pa.schema([])),
        ipc(TEXTS),
        b"",
        b"no schema",
        column("", pa.int8()),
        column("a.b", pa.int8()),
        column("rowid", pa.int64()),
        column("x", pa.int8(), metadata={"default": "'text'"}),
    ):
        code = either.code("add_column", schema="shop", name="orders", column_schema=described)
        assert code is INVALID, described


# -- remove_column ---------------------------------------------------------------------------------


def test_remove_column_answers_the_new_schema(either: Door) -> None:
    info = either.info(
        "remove_column",
        catalog="",
        schema="shop",
        name="orders",
        removed_column="V",
        ignore_not_found=False,
        if_column_exists=False,
        cascade=False,
    )
    assert info.schema.names == ["id", "name", "rowid"]
    assert either.client.rows(info).column("name").to_pylist() == ["a", "b", "c"]


def test_a_missing_column_is_not_removed(either: Door) -> None:
    body = {"schema": "shop", "name": "orders", "removed_column": "nosuch"}
    assert either.code("remove_column", **body) is NOT_FOUND
    assert either.code("remove_column", **body, ignore_not_found=True) is NOT_FOUND
    info = either.info("remove_column", **body, if_column_exists=True)
    assert info.schema.names == ANNOUNCED


def test_cascade_takes_dependents_along(either: Door) -> None:
    body = {"schema": "shop", "name": "orders", "removed_column": "id"}
    before = either.refusal("remove_column", **body, cascade=False)
    assert before[0] is PRECONDITION
    assert "positive" in before[1]
    info = either.info("remove_column", **body, cascade=True)
    assert info.schema.names == ["name", "v", "rowid"]
    assert not (info.schema.metadata or {}).get(b"check_constraints")
    state = either.catalog.namespace("shop").table("orders").state()
    assert state.definition.constraints == ()
    assert state.version == 2


def test_a_table_keeps_one_column(either: Door) -> None:
    body = {"schema": "shop", "name": "orders", "cascade": True}
    for name in ("id", "name"):
        either.info("remove_column", **body, removed_column=name)
    assert either.code("remove_column", **body, removed_column="v") is PRECONDITION


# -- what is not dynamic ---------------------------------------------------------------------------


CHANGES: dict[str, dict[str, object]] = {
    "create_schema": {"schema": "staging"},
    "drop_schema": {"type": "schema", "name": "shop"},
    "create_table": {"schema_name": "shop", "table_name": "t", "arrow_schema": ipc(TEXTS)},
    "drop_table": {"type": "table", "schema_name": "shop", "name": "orders"},
    "add_column": {"schema": "shop", "name": "orders", "column_schema": column("x", pa.int8())},
    "remove_column": {"schema": "shop", "name": "orders", "removed_column": "v"},
}


@pytest.mark.parametrize("is_json", [False, True])
@pytest.mark.parametrize("action", CHANGES)
def test_a_catalog_that_is_not_dynamic_is_not_changed(action: str, *, is_json: bool) -> None:
    with opened(frozen(shop())) as door:
        caller = door.json if is_json else door
        assert caller.code(action, **CHANGES[action]) is UNIMPLEMENTED


@pytest.mark.parametrize("action", ["create_table", "drop_table"])
def test_a_schema_that_is_not_dynamic_is_not_changed(action: str) -> None:
    with opened(frozen(shop())) as door:
        assert door.code(action, **CHANGES[action]) is UNIMPLEMENTED
        missing = CHANGES[action] | {"name": "nosuch", "ignore_not_found": True}
        assert door.code(action, **missing) is UNIMPLEMENTED


@pytest.mark.parametrize("action", ["add_column", "remove_column"])
def test_a_table_that_is_not_dynamic_is_not_changed(action: str) -> None:
    catalog = MemoryCatalog("lake")
    kept = FrozenTable(shop().namespace("shop").table("orders"))
    catalog.create_namespace(NamespaceInfo("shop")).add_table(kept)
    with opened(catalog) as door:
        assert door.code(action, **CHANGES[action]) is UNIMPLEMENTED


# -- requests --------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", CHANGES)
def test_required_fields_are_required(either: Door, action: str) -> None:
    full = CHANGES[action]
    for key in full.keys() - {"type"}:  # which can only be its own
        wrong: dict[str, object]
        for wrong in (
            {name: value for name, value in full.items() if name != key},
            full | {key: None},
            full | {key: ""},
            full | {key: 5},
            full | {key: {"a": "b"}},
        ):
            assert either.code(action, **wrong) is INVALID, wrong


@pytest.mark.parametrize("action", CHANGES)
def test_flags_and_lists_have_types(either: Door, action: str) -> None:
    flags = ["ignore_not_found", "if_column_not_exists", "if_column_exists", "cascade"]
    read = {
        "create_schema": [],
        "drop_schema": flags[:1],
        "create_table": [],
        "drop_table": flags[:1],
        "add_column": flags[:2],
        "remove_column": [flags[0], *flags[2:]],
    }
    for flag in read[action]:
        for value in ("true", 1, [True]):
            assert either.code(action, **CHANGES[action] | {flag: value}) is INVALID
    if action == "create_table":
        lists: list[dict[str, object]] = [
            {"not_null_constraints": [-1]},
            {"not_null_constraints": ["0"]},
            {"not_null_constraints": [True]},
            {"unique_constraints": {"0": 1}},
            {"check_constraints": "id > 0"},
            {"check_constraints": [1]},
            {"extra_constraints": [None]},
            {"primary_key_columns": "id"},
        ]
        for wrong in lists:
            assert either.code(action, **CHANGES[action] | wrong) is INVALID
    if action == "create_schema":
        several: list[object] = [[], "owner", {"owner": 5}, {"owner": ["a"]}]
        for tags in several:
            assert either.code(action, **CHANGES[action] | {"tags": tags}) is INVALID


@pytest.mark.parametrize("action", CHANGES)
def test_keys_nobody_knows_are_ignored(either: Door, action: str) -> None:
    body = CHANGES[action] | {"from_the_future": [1, {"a": 2}]}
    if action == "drop_schema":
        body["name"] = "empty"
    assert len(either.results(action, **body)) == (not action.startswith("drop"))


@pytest.mark.parametrize("action", CHANGES)
def test_malformed_bodies_are_refused(door: Door, action: str) -> None:
    for body in (b"\xc1", b"\x93\x01", b"\x01", b"[]", b"{", b'"text"', b"\xff"):
        assert door.refused_bytes(action, body)[0] is INVALID, body
        assert door.refused_bytes(ALIASES[action], body)[0] is INVALID, body


def test_an_unknown_catalog_is_not_found_whatever_may_be_missing(either: Door) -> None:
    for action, body in CHANGES.items():
        name = "catalog" if action.endswith("column") else "catalog_name"
        code = either.code(action, **body | {name: "nosuch", "ignore_not_found": True})
        assert code is NOT_FOUND


def test_the_header_and_the_body_name_one_catalog(either: Door) -> None:
    other = either.having(("airport-catalog", "other"))
    for action, body in CHANGES.items():
        name = "catalog" if action.endswith("column") else "catalog_name"
        assert other.code(action, **body | {name: "lake"}) is INVALID


def test_the_primary_key_is_kept(either: Door) -> None:
    either.info(
        "create_table",
        schema_name="shop",
        table_name="t",
        arrow_schema=ipc(TEXTS),
        primary_key_columns=["ID"],
    )
    definition = either.catalog.namespace("shop").table("t").state().definition
    assert definition.constraints == (PrimaryKey(("id",)),)
    assert not definition.schema.field("id").nullable

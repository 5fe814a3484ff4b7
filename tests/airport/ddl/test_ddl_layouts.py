"""What DuckDB is told after DDL, and what it reads with what it was told before."""

from __future__ import annotations

import uuid
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.airport.requested import Layout
from lakeport.catalog.ports import Insertable, require
from tests.airport.airport_server import fl
from tests.airport.ddl.door import TEXTS, Door, column, ipc, metadata_of, path_of
from tests.airport.traces.client_view import rows_of, tickets_of

PRECONDITION = "FAILED_PRECONDITION"
ORDERS = {"catalog": "lake", "schema": "shop", "name": "orders"}
NEW = {"catalog_name": "lake", "schema_name": "shop", "table_name": "t"}


def layout(door: Door, table: str) -> str:
    return str(Layout.of(door.catalog.namespace("shop").table(table).state()))


def insert(door: Door, table: str, **values: list[object]) -> None:
    target = require(door.catalog.namespace("shop").table(table), Insertable, table)
    with target.insert() as write:
        write.add(pa.record_batch(values))
        write.commit()


def scan(door: Door, info: Any) -> list[dict[str, Any]]:
    """As DuckDB does: the descriptor that it was told, the columns that it was told."""
    ids = list(range(len(info.schema) - 1))
    body = {
        "descriptor": info.descriptor.serialize(),
        "parameters": {"json_filters": "", "column_ids": ids},
    }
    found: list[dict[str, Any]] = []
    for ticket in tickets_of(door.client.action("endpoints", msgpack.packb(body))):
        reader = door.client.flight.do_get(fl.Ticket(ticket), door.client.options)
        found += rows_of(reader, info.schema)
    return sorted(({k: v for k, v in row.items() if k != "rowid"} for row in found), key=repr)


def test_a_new_table_is_its_first_columns_without_a_layout(door: Door) -> None:
    info = door.duck.info("create_table", **NEW, arrow_schema=ipc(TEXTS))
    assert path_of(info) == ["shop", "t"]
    assert metadata_of(info)["catalog"] == "lake"
    insert(door, "t", id=[1], name=["a"])
    assert scan(door.duck, info) == [{"id": 1, "name": "a"}]


def test_every_alter_names_the_layout_that_it_left(door: Door) -> None:
    door.duck.info("create_table", **NEW, arrow_schema=ipc(TEXTS))
    at = {"catalog": "lake", "schema": "shop", "name": "t"}
    info = door.duck.info("add_column", **at, column_schema=column("x", pa.int8()))
    assert path_of(info) == ["shop", "t", layout(door, "t")]
    info = door.duck.info("set_default", **at, column_name="x", expression="3")
    assert path_of(info) == ["shop", "t", layout(door, "t")]
    info = door.duck.info("rename_table", **at, new_table_name="T2")
    assert path_of(info) == ["shop", "T2", layout(door, "t2")]
    assert scan(door.duck, info) == []


def test_what_was_there_already_has_a_layout(door: Door) -> None:
    body = {**NEW, "table_name": "orders", "arrow_schema": ipc(TEXTS)}
    info = door.duck.info("create_table", **body, on_conflict="ignore")
    assert path_of(info) == ["shop", "orders", layout(door, "orders")]
    assert len(scan(door.duck, info)) == 3
    info = door.duck.info("create_table", **body, on_conflict="replace")
    assert path_of(info) == ["shop", "orders", layout(door, "orders")]
    assert info.schema.names == ["id", "name", "rowid"]
    assert scan(door.duck, info) == []


def test_who_holds_the_old_columns_reads_them(door: Door) -> None:
    first = door.duck.info("create_table", **NEW, arrow_schema=ipc(TEXTS))
    at = {"catalog": "lake", "schema": "shop", "name": "t"}
    insert(door, "t", id=[1], name=["a"])
    second = door.duck.info("add_column", **at, column_schema=column("x", pa.int8()))
    third = door.duck.info("add_column", **at, column_schema=column("y", pa.int8()))
    insert(door, "t", id=[2], name=["b"], x=[5], y=[6])
    assert scan(door.duck, first) == [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]
    assert scan(door.duck, second)[1] == {"id": 2, "name": "b", "x": 5}
    assert scan(door.duck, third)[1] == {"id": 2, "name": "b", "x": 5, "y": 6}


def test_who_holds_a_column_that_is_gone_is_told_so(door: Door) -> None:
    first = door.duck.info("create_table", **NEW, arrow_schema=ipc(TEXTS))
    at = {"catalog": "lake", "schema": "shop", "name": "t"}
    door.duck.info("remove_column", **at, removed_column="name")
    body = {
        "descriptor": first.descriptor.serialize(),
        "parameters": {"json_filters": "", "column_ids": [0, 1]},
    }
    code, text = door.duck.client.action_code("endpoints", msgpack.packb(body))
    assert code.name == PRECONDITION
    assert "ATTACH" in text


def test_who_holds_a_table_that_was_made_anew_is_told_so(door: Door) -> None:
    door.duck.info("create_table", **NEW, arrow_schema=ipc(TEXTS))
    at = {"catalog": "lake", "schema": "shop", "name": "t"}
    held = door.duck.info("add_column", **at, column_schema=column("x", pa.int8()))
    door.duck.nothing("drop_table", type="table", schema_name="shop", name="t")
    door.duck.info("create_table", **NEW, arrow_schema=ipc(TEXTS))
    body = {
        "descriptor": held.descriptor.serialize(),
        "parameters": {"json_filters": "", "column_ids": [0]},
    }
    code, _ = door.duck.client.action_code("endpoints", msgpack.packb(body))
    assert code.name == PRECONDITION


def test_ddl_ends_what_a_transaction_had_pinned(door: Door) -> None:
    mine = door.duck.having(("airport-transaction-id", str(uuid.uuid4())))
    info = door.duck.info("add_column", **ORDERS, column_schema=column("x", pa.int8()))
    assert len(scan(mine, info)) == 3
    insert(door, "orders", id=[4], name=["d"])
    assert len(scan(mine, info)) == 3
    # No column changes by it, so only DDL itself can have ended it.
    door.duck.info("add_constraint", **ORDERS, constraint="CHECK (v < 100)")
    assert len(scan(mine, info)) == 4


def test_a_listing_follows_every_change(door: Door) -> None:
    def listed() -> list[str]:
        infos = door.client.flight.list_flights(b"", door.client.options)
        return sorted("/".join(path_of(info)) + f":{len(info.schema)}" for info in infos)

    def version() -> int:
        answer = msgpack.unpackb(door.client.action("catalog_version", msgpack.packb({})))
        return int(answer["catalog_version"])

    versions = [version()]
    assert listed() == ["shop/orders:4"]
    door.info("create_table", **NEW, arrow_schema=ipc(TEXTS))
    versions.append(version())
    assert listed() == ["shop/orders:4", "shop/t:3"]
    door.info("add_column", **ORDERS, column_schema=column("x", pa.int8()))
    versions.append(version())
    assert listed() == ["shop/orders:5", "shop/t:3"]
    door.info("rename_table", **ORDERS, new_table_name="sold")
    versions.append(version())
    assert listed() == ["shop/sold:5", "shop/t:3"]
    door.nothing("drop_table", type="table", schema_name="shop", name="t")
    versions.append(version())
    assert listed() == ["shop/sold:5"]
    assert versions == sorted(set(versions))

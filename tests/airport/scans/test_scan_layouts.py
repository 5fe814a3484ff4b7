"""A client that holds older columns gets those, or is told to attach again; never other bytes."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.airport.requested import Layout, path_of
from lakeport.catalog.changes import AddColumn, Change, ChangeType, DropColumn, RenameColumn
from lakeport.catalog.ports import TableState
from lakeport.core.names import TableName
from lakeport.flight.messages import FlightDescriptor
from tests.airport.scans.duck import ROW_ID, Duck, ordered, path
from tests.behaviours.lake import Lake, Subject, schema_of


def held(state: TableState) -> FlightDescriptor:
    return FlightDescriptor(path=path_of(TableName("shop", "items"), Layout.of(state)))


def test_a_column_added_since_is_left_out(items: Subject, duck: Duck) -> None:
    before = items.state
    items.alter(AddColumn(pa.field("weight", pa.float64())))
    found = duck.scan(held(before), column_ids=[0, 1, 2, ROW_ID])
    assert found.schema.names == ["k", "name", "price", "rowid"]
    assert found.schema.field("rowid").type == pa.int64()
    assert ordered(found, "rowid") == sorted(items.row_ids())


def test_who_holds_the_newest_columns_gets_them(items: Subject, duck: Duck) -> None:
    after = items.alter(AddColumn(pa.field("weight", pa.float64())))
    found = duck.scan(held(after))
    assert found.schema.names == ["k", "name", "price", "weight", "rowid"]


@pytest.mark.parametrize(
    "change",
    [
        DropColumn("price"),
        RenameColumn("price", "cost"),
        ChangeType("price", pa.string()),
    ],
    ids=["dropped", "renamed", "retyped"],
)
def test_a_column_that_changed_is_refused_if_asked_for(
    items: Subject, duck: Duck, change: Change
) -> None:
    before = items.state
    items.alter(change)
    with pytest.raises(pa.ArrowInvalid, match="ATTACH it again"):
        duck.endpoints(held(before), column_ids=[2])
    others = duck.scan(held(before), column_ids=[0, 1])
    assert others.schema.names == ["k", "name", "price", "rowid"]
    assert ordered(others, "k") == [1, 2, 3]
    assert others.column("price").null_count == 3


def test_a_table_made_anew_is_another(lake: Lake, items: Subject, duck: Duck, plain: Duck) -> None:
    before = items.state
    ticket = plain.info(path("shop", "items")).endpoints[0].ticket.ticket
    lake.namespace().drop_table("items")
    lake.create(items_like(), name="items")
    with pytest.raises(pa.ArrowInvalid, match="ATTACH it again"):
        duck.endpoints(held(before))
    with pytest.raises(fl.FlightError, match="was replaced"):
        plain.get(ticket)


def items_like() -> pa.Schema:
    return schema_of(k=pa.int64(), name=pa.string(), price=pa.float64())


def test_duckdb_holds_the_first_columns_of_a_path_without_a_layout(
    items: Subject, duck: Duck, plain: Duck
) -> None:
    """It got such a path from its own CREATE TABLE; anybody else means the table as it is."""
    items.alter(AddColumn(pa.field("weight", pa.float64())))
    assert duck.scan(path("shop", "items")).schema.names == ["k", "name", "price", "rowid"]
    assert "weight" in plain.scan(path("shop", "items")).schema.names


def test_a_layout_nobody_gave_out_is_refused(items: Subject, duck: Duck) -> None:
    unknown = f"@77.{Layout.of(items.state).uuid}"
    with pytest.raises(pa.ArrowInvalid, match="ATTACH it again"):
        duck.endpoints(path("shop", "items", unknown))
    with pytest.raises(pa.ArrowInvalid, match="no layout"):
        duck.endpoints(path("shop", "items", "@x"))


def test_a_ticket_survives_a_change_of_columns(items: Subject, plain: Duck) -> None:
    tickets = [each.ticket for each in plain.endpoints(path("shop", "items"))]
    items.alter(DropColumn("price"))
    found = pa.concat_tables([plain.get(ticket) for ticket in tickets])
    assert ordered(found, "price") == [1.0, 2.0, 3.5]

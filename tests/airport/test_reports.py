"""`ListTables`, `TableDetails`, `TableHistory` and queries, with a standard client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import grpc
import pyarrow as pa
import pytest

from lakeport.access import Ability, Grant, Identity
from lakeport.app.serve.view import Audit as KeptAudit
from lakeport.app.serve.view import system_overlay
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import DynamicNamespace, NamespaceInfo, require
from lakeport.flight.messages import Ticket
from tests.airport.airport_server import Audit, Client, People, fill, fl, serving, shop

READER = Identity("ann", frozenset({Grant(Ability.READ, "shop.orders")}))
WRITER = Identity("bob", frozenset({Grant(Ability.WRITE, "shop.orders")}))


@pytest.fixture
def catalog() -> MemoryCatalog:
    return shop()


@pytest.fixture
def client(catalog: MemoryCatalog) -> Iterator[Client]:
    with serving([catalog, shop("other")]) as client:
        yield client


def asked(client: Client, action: str, **fields: object) -> Any:
    return json.loads(client.action(action, json.dumps(fields).encode()))


def query(client: Client, table: str, **more: object) -> pa.Table:
    ticket = fl.Ticket(json.dumps({"query": table, **more}).encode())
    rows: pa.Table = client.flight.do_get(ticket, client.options).read_all()
    return rows


def refusal(client: Client, table: str, **more: object) -> tuple[grpc.StatusCode, str]:
    ticket = json.dumps({"query": table, **more}).encode()
    return client.code_of("DoGet", Ticket(ticket).encode())


# -- reports ---------------------------------------------------------------------------------------


def test_tables_are_listed_by_name(client: Client) -> None:
    assert asked(client, "ListTables") == [
        {"name": "shop.customers", "namespace": "shop", "table": "customers", "kind": "table"},
        {"name": "shop.orders", "namespace": "shop", "table": "orders", "kind": "table"},
    ]


def test_a_long_list_has_what_is_known_of_each_table(client: Client) -> None:
    customers, orders = asked(client, "ListTables", long=True, namespace="SHOP")
    assert (customers["version"], customers["changed"]) == (0, None)
    assert (orders["comment"], orders["columns"], orders["version"]) == ("all orders", 3, 1)


def test_a_namespace_stands_for_the_nested_ones(client: Client, catalog: MemoryCatalog) -> None:
    inner = catalog.create_namespace(NamespaceInfo("shop.eu"))
    catalog.create_namespace(NamespaceInfo("shopping"))
    definition = catalog.namespace("shop").table("orders").state().definition
    fill(require(inner, DynamicNamespace, "it").create_table("orders", definition))
    found = [table["name"] for table in asked(client, "ListTables", namespace="shop")]
    assert found == ["shop.customers", "shop.orders", "shop.eu.orders"]


def test_details_are_those_of_the_table(client: Client) -> None:
    found = asked(client, "TableDetails", table="Shop.ORDERS")
    assert found["name"] == "shop.orders"
    assert found["constraints"] == ["CONSTRAINT positive CHECK (id > 0)"]
    assert [column["default"] for column in found["columns"]] == [None, "'zz'", None]
    assert asked(client, "TableDetails", table="shop.orders", at="version:0")["version"] == 0


def test_a_history_has_each_commit(client: Client) -> None:
    (commit,) = asked(client, "TableHistory", table="shop.orders")
    assert (commit["version"], commit["operation"], commit["parent_id"]) == (1, "append", None)
    assert asked(client, "TableHistory", table="shop.customers") == []


def test_another_catalog_is_named_beside_the_table(client: Client) -> None:
    found = asked(client, "TableDetails", table="shop.orders", catalog_name="OTHER")
    assert found["uuid"] != asked(client, "TableDetails", table="shop.orders")["uuid"]
    assert asked(client, "ListTables", catalog_name="other") == asked(client, "ListTables")


@pytest.mark.parametrize(
    ("action", "fields", "code"),
    [
        ("TableDetails", {}, grpc.StatusCode.INVALID_ARGUMENT),
        ("TableDetails", {"table": "orders"}, grpc.StatusCode.INVALID_ARGUMENT),
        ("TableDetails", {"table": "shop.orders", "at": ""}, grpc.StatusCode.INVALID_ARGUMENT),
        ("TableDetails", {"table": "shop.orders", "at": "9"}, grpc.StatusCode.NOT_FOUND),
        ("TableDetails", {"table": "shop.none"}, grpc.StatusCode.NOT_FOUND),
        ("TableDetails", {"table": "no.orders"}, grpc.StatusCode.NOT_FOUND),
        (
            "TableDetails",
            {"table": "shop.orders", "catalog_name": "x"},
            grpc.StatusCode.NOT_FOUND,
        ),
        ("TableHistory", {"table": "shop.none"}, grpc.StatusCode.NOT_FOUND),
        ("TableHistory", {"table": "shop.orders", "at": "1"}, grpc.StatusCode.INVALID_ARGUMENT),
        ("ListTables", {"namespace": "none"}, grpc.StatusCode.NOT_FOUND),
        ("ListTables", {"long": "yes"}, grpc.StatusCode.INVALID_ARGUMENT),
    ],
)
def test_what_cannot_be_answered_has_its_code(
    client: Client, action: str, fields: dict[str, object], code: grpc.StatusCode
) -> None:
    found, text = client.action_code(action, json.dumps(fields).encode())
    assert found is code
    assert text


# -- grants ----------------------------------------------------------------------------------------


def test_what_may_not_be_read_is_not_listed_described_or_hinted_at() -> None:
    people = People({"r": READER, "w": WRITER})
    audit = Audit()
    with serving([shop()], people, audit) as anyone:
        reader = anyone.having(("authorization", "Bearer r"))
        writer = anyone.having(("authorization", "Bearer w"))
        assert [table["name"] for table in asked(reader, "ListTables", long=True)] == [
            "shop.orders"
        ]
        assert asked(writer, "ListTables") == []
        denied = grpc.StatusCode.PERMISSION_DENIED
        for name in ("shop.customers", "shop.none", "no.where"):
            body = json.dumps({"table": name}).encode()
            assert reader.action_code("TableDetails", body)[0] is denied
            assert reader.action_code("TableHistory", body)[0] is denied
            assert refusal(reader, name)[0] is denied
        assert refusal(writer, "shop.orders")[0] is denied
        code, text = refusal(reader, "orderz")
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert "shop.orders" in text
        assert "customers" not in text
        assert anyone.action_code("ListTables")[0] is grpc.StatusCode.UNAUTHENTICATED
    noted = {(each.action, each.table) for each in audit.entries if each.outcome != "OK"}
    assert ("TableDetails", "customers") in noted


def test_the_servers_own_tables_are_there_for_who_names_them() -> None:
    nothing: Any = None
    with serving([shop()], overlay=system_overlay(KeptAudit(nothing, nothing))) as client:
        own = asked(client, "ListTables", namespace="lakeport", long=True)
        assert {table["namespace"] for table in own} == {"lakeport"}
        assert {table["rows"] for table in own} == {None}
        assert all(table["namespace"] == "shop" for table in asked(client, "ListTables"))
        assert asked(client, "TableDetails", table="lakeport.tables")["figures"]["rows"] is None
        found = query(client, "lakeport.tables", columns=["table"], where="version > 0")
        assert found.to_pylist() == [{"table": "orders"}]


# -- queries ---------------------------------------------------------------------------------------


def test_a_query_gives_the_columns_asked_for_in_their_order(client: Client) -> None:
    found = query(client, "shop.orders", columns=["V", "id", "v"], where="name <> 'b'")
    assert found.column_names == ["v", "id", "v"]
    assert found.column(1).to_pylist() == [1, 3]
    assert query(client, "shop.orders").column_names == ["id", "name", "v"]


def test_a_query_has_sql_a_limit_and_a_point_in_time(client: Client) -> None:
    where = "upper(name) IN ('A', 'C') AND id * 2 > 1"
    assert query(client, "shop.orders", where=where, limit=1).column("id").to_pylist() == [1]
    assert query(client, "shop.orders", at="version:0").num_rows == 0


def test_a_query_is_a_descriptor_too(client: Client) -> None:
    command = json.dumps({"query": "shop.orders", "columns": ["v"], "where": "id = 2"}).encode()
    descriptor = fl.FlightDescriptor.for_command(command)
    info = client.flight.get_flight_info(descriptor, client.options)
    assert info.schema.names == ["v"]
    assert client.flight.get_schema(descriptor, client.options).schema == info.schema
    assert client.rows(info).to_pylist() == [{"v": 2.5}]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"columns": ["none"]}, grpc.StatusCode.NOT_FOUND),
        ({"where": "no such"}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"where": "id"}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"where": "id IN (SELECT 1)"}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"limit": -1}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"limit": 2**63}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"at": "version:7"}, grpc.StatusCode.NOT_FOUND),
    ],
)
def test_a_bad_query_is_refused_before_a_row(
    client: Client, more: dict[str, object], code: grpc.StatusCode
) -> None:
    assert refusal(client, "shop.orders", **more)[0] is code

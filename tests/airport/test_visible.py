"""Who sees what: through every method, with real tokens' grants, and without an oracle."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.access import EVERYONE, Ability, Grant, Identity
from lakeport.catalog.definition import Definition
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.flight.messages import Action, FlightDescriptor, Ticket
from tests.airport.airport_server import ORDERS, Audit, Client, People, fl, serving, shop

PEOPLE = People(
    {
        "admin": EVERYONE,
        "sales": Identity("sales", frozenset({Grant(Ability.READ, "shop.ord*")})),
        "abroad": Identity("abroad", frozenset({Grant(Ability.READ, "*", "empty")})),
        "writer": Identity("writer", frozenset({Grant(Ability.WRITE, "*")})),
    }
)


@pytest.fixture
def audit() -> Audit:
    return Audit()


@pytest.fixture
def client(audit: Audit) -> Iterator[Client]:
    lake = shop()
    lake.create_namespace(NamespaceInfo("secret")).create_table("plans", Definition(ORDERS))
    with serving([lake, MemoryCatalog("empty")], PEOPLE, audit) as made:
        yield made


@pytest.fixture
def sales(client: Client) -> Client:
    return bearing(client, "sales")


def bearing(client: Client, token: str) -> Client:
    return client.having(("authorization", f"Bearer {token}"))


TABLE = FlightDescriptor(path=("shop", "orders"))
JSON_TICKET = b'{"schema_name": "shop", "table_name": "orders"}'
CALLS: dict[str, Callable[[Client], tuple[grpc.StatusCode, str]]] = {
    "ListFlights": lambda c: c.code_of("ListFlights", b""),
    "GetFlightInfo": lambda c: c.code_of("GetFlightInfo", TABLE.encode()),
    "PollFlightInfo": lambda c: c.code_of("PollFlightInfo", TABLE.encode()),
    "GetSchema": lambda c: c.code_of("GetSchema", TABLE.encode()),
    "DoGet": lambda c: c.code_of("DoGet", Ticket(JSON_TICKET).encode()),
    "DoPut": lambda c: c.code_of("DoPut", b""),
    "DoExchange": lambda c: c.code_of("DoExchange", b""),
    "DoAction": lambda c: c.code_of("DoAction", Action("list_schemas").encode()),
    "an action that is not there": lambda c: c.code_of("DoAction", Action("nothing").encode()),
    "ListActions": lambda c: c.code_of("ListActions", b""),
    "Handshake": lambda c: c.code_of("Handshake", b""),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("token", [None, "", "nobody"])
def test_no_call_comes_in_without_a_token(client: Client, name: str, token: str | None) -> None:
    stranger = client if token is None else bearing(client, token)
    code, text = CALLS[name](stranger)
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert "shop" not in text


@pytest.mark.parametrize("name", ["DoPut", "DoExchange"])
def test_those_who_are_known_are_told_what_is_missing(client: Client, name: str) -> None:
    assert CALLS[name](bearing(client, "admin"))[0] is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("table", ["customers", "nothing"])
def test_a_table_without_a_grant_is_denied_whether_or_not_it_exists(
    sales: Client, table: str
) -> None:
    texts = set()
    for namespace in ("shop", "secret", "nowhere"):
        path = FlightDescriptor(path=(namespace, table))
        for method in ("GetFlightInfo", "GetSchema", "PollFlightInfo"):
            code, text = sales.code_of(method, path.encode())
            assert code is grpc.StatusCode.PERMISSION_DENIED
            texts.add(text.replace(f"{namespace}.{table}", "X"))
        ticket = json.dumps({"schema_name": namespace, "table_name": table}).encode()
        assert sales.code_of("DoGet", Ticket(ticket).encode())[0] is (
            grpc.StatusCode.PERMISSION_DENIED
        )
    assert len(texts) == 1


def test_a_ticket_of_somebody_else_opens_nothing(client: Client, sales: Client) -> None:
    admin = bearing(client, "admin")
    (endpoint,) = admin.info("shop", "customers").endpoints
    ticket = Ticket(endpoint.ticket.ticket).encode()
    assert admin.code_of("DoGet", ticket)[0] is grpc.StatusCode.OK
    assert sales.code_of("DoGet", ticket)[0] is grpc.StatusCode.PERMISSION_DENIED


def test_a_missing_table_inside_the_grant_names_visible_neighbours_alone(sales: Client) -> None:
    code, text = sales.code_of("GetFlightInfo", FlightDescriptor(path=("shop", "order")).encode())
    assert code is grpc.StatusCode.NOT_FOUND
    assert "orders" in text
    assert "customers" not in text


def unwrap(wrapped: bytes) -> Any:
    length, data = msgpack.unpackb(wrapped)
    return msgpack.unpackb(pa.Codec("zstd").decompress(data, length, asbytes=True))


def test_listings_leave_out_what_may_not_be_read(sales: Client) -> None:
    root = unwrap(sales.action("list_schemas"))
    assert [schema["name"] for schema in root["schemas"]] == ["shop"]
    (contents,) = unwrap(root["schemas"][0]["contents"]["serialized"])
    assert fl.FlightInfo.deserialize(contents).descriptor.path == [b"shop", b"orders"]
    flights = list(sales.flight.list_flights(b"", sales.options))
    assert [info.descriptor.path for info in flights] == [[b"shop", b"orders"]]
    assert json.loads(sales.action("GetSchemas"))["schemas"] == [
        {"schema_name": "shop", "comment": "what we sell"}
    ]
    tables = json.loads(sales.action("GetTables", b'{"schema_name": "shop"}'))["tables"]
    assert [table["table_name"] for table in tables] == ["orders"]
    catalog = sales.flight.get_flight_info(fl.FlightDescriptor.for_command(b""), sales.options)
    assert (
        b"customers"
        not in pa.CompressedInputStream(pa.BufferReader(catalog.app_metadata), "zstd").read()
    )


def test_answers_kept_for_one_are_not_given_to_another(client: Client, sales: Client) -> None:
    admin = bearing(client, "admin")
    for _ in range(2):
        assert len(unwrap(admin.action("list_schemas"))["schemas"]) == 2
        assert len(unwrap(sales.action("list_schemas"))["schemas"]) == 1


def test_a_catalog_without_a_grant_is_denied_whether_or_not_it_exists(client: Client) -> None:
    abroad = bearing(client, "abroad")
    for catalog in ("lake", "nowhere"):
        body = msgpack.packb({"catalog_name": catalog})
        for action in ("list_schemas", "catalog_version", "create_transaction"):
            assert abroad.action_code(action, body)[0] is grpc.StatusCode.PERMISSION_DENIED
    assert abroad.action_code("catalog_version", msgpack.packb({"catalog_name": "empty"}))[0] is (
        grpc.StatusCode.OK
    )
    assert list(abroad.flight.list_flights(b"", abroad.options)) == []


def test_who_may_only_write_is_let_in_and_listed_nothing(client: Client) -> None:
    writer = bearing(client, "writer")
    assert unwrap(writer.action("list_schemas"))["schemas"] == []
    assert list(writer.flight.list_flights(b"", writer.options)) == []
    assert writer.code_of("GetSchema", TABLE.encode())[0] is grpc.StatusCode.PERMISSION_DENIED


def test_a_refused_call_is_in_the_audit_too() -> None:
    audit = Audit()
    with serving([shop()], PEOPLE, audit) as client:
        client.code_of("GetFlightInfo", TABLE.encode())
        sales = bearing(client, "sales")
        sales.action_code("nothing")
        sales.code_of("GetSchema", FlightDescriptor(path=("secret", "plans")).encode())
    rows = {entry.outcome: entry for entry in audit.entries}
    assert rows["UNAUTHENTICATED"].identity is None
    assert (rows["UNIMPLEMENTED"].identity, rows["UNIMPLEMENTED"].action) == ("sales", "nothing")
    denied = rows["PERMISSION_DENIED"]
    assert (denied.catalog, denied.namespace, denied.table) == ("lake", "secret", "plans")

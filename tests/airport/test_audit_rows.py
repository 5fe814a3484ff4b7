"""What the audit says of a call: who, what, about what, how it ended; refused or not."""

from __future__ import annotations

import grpc
import pytest

from lakeport.access import Ability, Grant, Identity
from lakeport.catalog.memory import MemoryCatalog
from lakeport.flight.messages import FlightDescriptor
from tests.airport.airport_server import Audit, People, serving, shop


@pytest.fixture
def lake() -> MemoryCatalog:
    return shop()


@pytest.fixture
def audit() -> Audit:
    return Audit()


def test_every_call_leaves_a_row(lake: MemoryCatalog, audit: Audit) -> None:
    with serving([lake], audit=audit) as client:
        caller = client.having(("airport-trace-id", "t1"), ("airport-client-session-id", "s1"))
        caller.rows(caller.info("shop", "orders"))
        caller.action_code("GetTables", b"{}")
    # The server has stopped: a call's row is written when it ends, not before its client knows.
    by_method = {entry.method: entry for entry in audit.entries}
    read = by_method["DoGet"]
    assert (read.catalog, read.namespace, read.table) == ("lake", "shop", "orders")
    assert (read.rows_out, read.outcome, read.identity) == (3, "OK", "everyone")
    assert (read.trace_id, read.session_id) == ("t1", "s1")
    assert read.bytes_out > 0
    failed = by_method["DoAction"]
    assert (failed.action, failed.outcome) == ("GetTables", "INVALID_ARGUMENT")


@pytest.mark.parametrize(
    ("action", "body", "about"),
    [
        ("list_schemas", b"", ("lake", None)),
        ("catalog_version", b"", ("lake", None)),
        ("create_transaction", b"", ("lake", None)),
        ("GetSchemas", b'{"catalog_name": "LAKE"}', ("lake", None)),
        ("GetSchemas", b'{"catalog_name": "none"}', ("none", None)),
        ("GetTables", b'{"schema_name": "SHOP"}', ("lake", "shop")),
        ("GetTables", b'{"schema_name": "none"}', ("lake", "none")),
        ("ListTables", b'{"namespace": "shop"}', ("lake", "shop")),
        (
            "GetTableFunctionFlightInfo",
            b'{"function_name": "f", "schema_name": "shop"}',
            ("lake", "shop", "f"),
        ),
    ],
)
def test_a_row_says_what_its_call_was_about(
    lake: MemoryCatalog, audit: Audit, action: str, body: bytes, about: tuple[str | None, ...]
) -> None:
    """A catalog's admin sees the rows about it: one without a catalog would be nobody's."""
    with serving([lake], audit=audit) as client:
        client.action_code(action, body)
    (row,) = audit.entries
    assert (row.catalog, row.namespace, row.table) == (*about, None)[:3]


def test_a_row_says_what_was_tried_in_vain(lake: MemoryCatalog, audit: Audit) -> None:
    elsewhere = Identity("ann", frozenset({Grant(Ability.READ, "shop.*", "other")}))
    with serving([lake, shop("other")], People({"a": elsewhere}), audit) as client:
        ann = client.having(("authorization", "Bearer a"))
        for path in (("shop", "orders"), ("other", "hr", "pay")):
            code, _ = ann.code_of("GetFlightInfo", FlightDescriptor(path=path).encode())
            assert code is grpc.StatusCode.PERMISSION_DENIED
        ann.action_code("GetTables", b'{"schema_name": "hr", "catalog_name": "other"}')
    tried = [(row.catalog, row.namespace, row.table, row.outcome) for row in audit.entries]
    assert tried == [
        ("lake", "shop", "orders", "PERMISSION_DENIED"),
        ("other", "hr", "pay", "PERMISSION_DENIED"),
        ("other", "hr", None, "PERMISSION_DENIED"),
    ]


def test_a_row_of_a_listing_says_which_namespace_was_listed(
    lake: MemoryCatalog, audit: Audit
) -> None:
    with serving([lake], audit=audit) as client:
        only = client.having(
            ("airport-list-flights-filter-catalog", "lake"),
            ("airport-list-flights-filter-schema", "shop"),
        )
        assert list(only.flight.list_flights(b"", only.options))
    (row,) = audit.entries
    assert (row.method, row.catalog, row.namespace) == ("ListFlights", "lake", "shop")

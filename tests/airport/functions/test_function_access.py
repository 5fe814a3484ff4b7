"""Who may call a function: `read` on NAMESPACE.FUNCTION, asked by every call, told by the audit."""

from __future__ import annotations

import json
from collections.abc import Iterator

import grpc
import pyarrow as pa
import pytest

from lakeport.access import Ability, Grant, Identity
from lakeport.flight.messages import FlightDescriptor, Ticket
from tests.airport.airport_server import Audit, People
from tests.airport.functions.guest import Guest, bind_body, opening_of, row, visiting
from tests.airport.functions.made import RECORDED, add, hosting, numbers

DENIED, MISSING = grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.NOT_FOUND
ANN = Identity("ann", frozenset({Grant(Ability.READ, "fn.g*"), Grant(Ability.READ, "fn.echo")}))
BOB = Identity("bob", frozenset({Grant(Ability.READ, "*.*")}))


@pytest.fixture(scope="module")
def audit() -> Audit:
    return Audit()


@pytest.fixture(scope="module")
def visit(audit: Audit) -> Iterator[Guest]:
    lake = hosting(*RECORDED)
    add(lake, "other", *RECORDED)
    people = People({"ann": ANN, "bob": BOB})
    with visiting(lake, people=people, audit=audit) as made:
        yield made


@pytest.fixture
def ann(visit: Guest) -> Guest:
    return visit.having(("authorization", "Bearer ann"))


@pytest.fixture
def bob(visit: Guest) -> Guest:
    return visit.having(("authorization", "Bearer bob"))


def test_what_may_not_be_called_is_not_listed(ann: Guest, bob: Guest) -> None:
    assert set(ann.entries()) == {"fn.gen", "fn.echo"}
    assert {"fn.add_one", "other.gen", "other.echo"} <= set(bob.entries())


def test_it_is_refused_by_every_way_to_call_it(ann: Guest, bob: Guest) -> None:
    scalar = bob.entry("fn.add_one").descriptor
    table = bob.entry("fn.no_args").descriptor
    in_out = bob.entry("fn.row_total").descriptor
    x = pa.record_batch({"x": [1]})
    assert ann.refused("scalar_function", scalar, x).code is DENIED
    opening = opening_of(row())
    assert ann.refused("table_function_in_out", in_out, numbers(1), opening=opening).code is DENIED
    for descriptor, rows in ((table, None), (in_out, x.schema)):
        body = bind_body(descriptor, row(), rows)
        assert ann.refused_action("table_function_flight_info", body).code is DENIED
    (ticket,) = bob.endpoints(table, row())
    assert ann.raw.failure("DoGet", Ticket(ticket).encode(), ann.headers).code is DENIED
    call = {"function_name": "no_args", "schema_name": "fn"}
    named = json.dumps(call).encode()
    assert ann.refused_action("GetTableFunctionFlightInfo", named).code is DENIED
    # By its bare name it looks like none at all.
    bare = json.dumps({"function_name": "no_args"}).encode()
    assert ann.refused_action("GetTableFunctionFlightInfo", bare).code is MISSING
    assert bob.refused_action("GetTableFunctionFlightInfo", bare).code is (
        grpc.StatusCode.INVALID_ARGUMENT  # two namespaces have it
    )


def test_who_may_call_it_may(ann: Guest) -> None:
    assert ann.rows("fn.gen", row(count=2)) == [{"n": 0}, {"n": 1}]
    (group,) = ann.passed("fn.echo", row(), [numbers(1)])
    assert group[0].to_pylist() == [{"n": 1}]
    only = json.dumps({"function_name": "gen", "parameters": {"count": 1}}).encode()
    assert ann.read(only)[1][0][0].to_pylist() == [{"n": 0}]


def test_the_audit_says_who_called_what(bob: Guest, audit: Audit) -> None:
    audit.entries.clear()
    assert bob.values("fn.add_one", pa.record_batch({"x": [1, 2, 3]})) == [2, 3, 4]
    bob.rows("fn.gen", row(count=2))
    told = [
        (entry.method, entry.action, entry.namespace, entry.table, entry.rows_in, entry.rows_out)
        for entry in audit.entries
        if entry.table
    ]
    assert told == [
        ("DoExchange", "scalar_function", "fn", "add_one", 3, 3),
        ("DoAction", "table_function_flight_info", "fn", "gen", 0, 0),
        ("DoAction", "endpoints", "fn", "gen", 0, 0),
        ("DoGet", None, "fn", "gen", 0, 2),
    ]
    assert {entry.identity for entry in audit.entries} == {"bob"}


def test_an_unknown_function_is_told_with_its_neighbours_that_may_be_called(ann: Guest) -> None:
    failure = ann.refused_action(
        "table_function_flight_info", bind_body(FlightDescriptor(path=("fn", "gem")), row())
    )
    assert failure.code is MISSING
    assert "fn.gen" in failure.text
    assert "no_args" not in failure.text

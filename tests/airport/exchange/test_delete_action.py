"""Contract 001's action `Delete`, as chapter 8 defines it."""

from __future__ import annotations

import json
from typing import Any

import grpc
import pyarrow.flight as fl
import pytest

from lakeport.access import Ability, Grant, Identity, StatementLimits
from lakeport.flight.messages import Action
from tests.airport.exchange.conftest import ITEMS, Served
from tests.behaviours.lake import Subject
from tests.flight.raw import Failure

NAMED = {"schema_name": "shop", "table_name": "items"}


def deleted(served: Served, **body: object) -> Any:
    action = fl.Action("Delete", json.dumps(NAMED | body).encode())
    (result,) = served.flight.do_action(action)
    return json.loads(bytes(result.body))


def refused(served: Served, body: bytes) -> Failure:
    return served.raw.failure("DoAction", Action("Delete", body).encode())


def test_rows_go_by_their_ids(served: Served, items: Subject) -> None:
    (row_id,) = items.row_ids("id = 1")
    assert deleted(served, rowids=[row_id, row_id]) == {"deleted": 1}
    assert items.rows("id") == [(2,)]
    assert deleted(served, rowids=[], catalog_name="lake") == {"deleted": 0}
    row_ids = items.row_ids()
    assert deleted(served, rowids=row_ids, table_uuid=items.state.uuid.upper()) == {"deleted": 1}
    told = [(entry.action, entry.table, entry.rows_changed) for entry in served.audited()]
    assert told == [("Delete", "items", 1), ("Delete", "items", 0), ("Delete", "items", 1)]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"rowids": [0]}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"rowids": [-1]}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"rowids": [2**63]}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"rowids": [1.5]}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"rowids": [True]}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"rowids": [None]}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"rowids": 5}, grpc.StatusCode.INVALID_ARGUMENT),
        ({}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"rowids": [], "table_name": None}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"rowids": [], "schema_name": 7}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"rowids": [], "table_name": "nothing"}, grpc.StatusCode.NOT_FOUND),
        ({"rowids": [], "schema_name": "nowhere"}, grpc.StatusCode.NOT_FOUND),
        ({"rowids": [], "catalog_name": "nothing"}, grpc.StatusCode.NOT_FOUND),
        (
            {"rowids": [], "schema_name": "lakeport", "table_name": "tables"},
            grpc.StatusCode.UNIMPLEMENTED,
        ),
        (
            {"rowids": [], "table_uuid": "00000000-0000-0000-0000-000000000000"},
            grpc.StatusCode.ABORTED,
        ),
    ],
    ids=str,
)
def test_what_means_no_rows_is_refused(
    served: Served, items: Subject, body: dict[str, object], code: grpc.StatusCode
) -> None:
    before = items.state
    assert refused(served, json.dumps(NAMED | body).encode()).code is code
    assert items.state == before


def test_what_is_no_json_is_refused(served: Served, items: Subject) -> None:
    del items
    for body in (b"", b"\xc1", b"[]", b"{"):
        assert refused(served, body).code is grpc.StatusCode.INVALID_ARGUMENT


def test_rows_that_changed_since_are_a_conflict(served: Served, items: Subject) -> None:
    row_ids = items.row_ids()
    items.update(items.row_ids("id = 1"), price=[3.0])
    failure = refused(served, json.dumps(NAMED | {"rowids": row_ids}).encode())
    assert failure.code is grpc.StatusCode.ABORTED
    assert "run the statement again" in failure.text
    assert len(items.rows()) == 2


def test_a_table_made_anew_is_told_by_its_uuid(served: Served, items: Subject) -> None:
    uuid, row_ids = items.state.uuid, items.row_ids()
    served.lake.namespace().drop_table("items")
    again = served.lake.create(ITEMS, name="items")
    again.insert([{"id": 1}, {"id": 2}])
    body = NAMED | {"rowids": row_ids, "table_uuid": uuid}
    assert refused(served, json.dumps(body).encode()).code is grpc.StatusCode.ABORTED
    assert len(again.rows()) == 2


def test_deleting_needs_the_grant_to_write(served: Served, items: Subject) -> None:
    row_ids = items.row_ids()
    body = json.dumps(NAMED | {"rowids": row_ids}).encode()
    served.door.identity = Identity("ann", frozenset({Grant(Ability.READ, "*")}))
    assert refused(served, body).code is grpc.StatusCode.PERMISSION_DENIED
    writing = frozenset({Grant(Ability.WRITE, "*")})
    served.door.identity = Identity("ann", writing, StatementLimits(rows=1))
    assert refused(served, body).code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert len(items.rows()) == 2

"""Decisions 20 and 21 over the wire: what a transaction reads, and what became of it."""

from __future__ import annotations

import json
import uuid
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.catalog.changes import AddColumn
from lakeport.flight.ipc import Kind
from tests.airport.exchange.conftest import ITEMS, Served
from tests.airport.exchange.talk import batch_of, descriptor_of
from tests.airport.scans.duck import Duck, ordered
from tests.behaviours.lake import Subject, ids_batch, schema_of

PATH = descriptor_of("shop", "items")
SENT = pa.schema([(field.name, field.type) for field in ITEMS])
TRANSACTION = "airport-transaction-id"


def fruit(key: int) -> pa.RecordBatch:
    return batch_of(SENT, (key, "fig", 2.0))


def keys(duck: Duck) -> list[Any]:
    return ordered(duck.scan(PATH), "id")


def status(served: Served, transaction: str) -> str:
    answer = Duck(served.flight).action("get_transaction_status", {"transaction_id": transaction})
    found = msgpack.unpackb(answer)
    assert found["exists"] is True
    return str(found["status"])


# -- what it reads -----------------------------------------------------------------------------------


def test_a_transaction_sees_its_own_writes_and_nobody_elses_later_ones(
    served: Served, items: Subject
) -> None:
    duck = served.duck
    assert duck.transaction is not None
    own = served.writer.having((TRANSACTION, duck.transaction))
    assert keys(duck) == [1, 2]
    items.insert([{"id": 10}])
    assert keys(duck) == [1, 2]  # repeatable
    assert own.run("insert", PATH, [fruit(3)]).changed == 1
    assert keys(duck) == [1, 2, 3, 10]  # its write came after the other's
    items.insert([{"id": 11}])
    assert keys(duck) == [1, 2, 3, 10]
    assert own.run("insert", PATH, [fruit(4)]).changed == 1
    assert keys(duck) == [1, 2, 3, 4, 10, 11]


def test_a_statement_that_changes_nothing_moves_nothing(served: Served, items: Subject) -> None:
    duck = served.duck
    assert duck.transaction is not None
    own = served.writer.having((TRANSACTION, duck.transaction))
    assert keys(duck) == [1, 2]
    items.insert([{"id": 10}])
    assert own.run("delete", PATH, [], schema=ids_batch([]).schema).changed == 0
    assert keys(duck) == [1, 2]


def test_a_refused_statement_moves_nothing(served: Served, items: Subject) -> None:
    duck = served.duck
    assert duck.transaction is not None
    own = served.writer.having((TRANSACTION, duck.transaction))
    assert keys(duck) == [1, 2]
    items.insert([{"id": 10}])
    own.refused("insert", PATH, [fruit(1)])
    assert keys(duck) == [1, 2]


def test_the_first_write_of_a_transaction_pins_as_well(served: Served, items: Subject) -> None:
    duck = served.duck
    assert duck.transaction is not None
    own = served.writer.having((TRANSACTION, duck.transaction))
    own.run("insert", PATH, [fruit(3)])
    items.insert([{"id": 10}])
    assert keys(duck) == [1, 2, 3]


def test_other_columns_end_the_repeating(served: Served, items: Subject) -> None:
    """The columns shown are always the current ones."""
    duck = Duck(served.flight, transaction=str(uuid.uuid4()))
    assert keys(duck) == [1, 2]
    own = served.writer.having((TRANSACTION, duck.transaction or ""))
    own.run("insert", PATH, [fruit(3)])
    items.alter(AddColumn(pa.field("shelf", pa.int32())))
    items.insert([{"id": 10}])
    found = duck.scan(PATH)
    assert found.schema.names == ["id", "name", "price", "shelf", "rowid"]
    assert ordered(found, "id") == [1, 2, 3, 10]


@pytest.mark.parametrize("returning", [False, True])
def test_the_scan_that_feeds_a_statement_sees_what_was_before_it(
    served: Served, items: Subject, *, returning: bool
) -> None:
    """INSERT INTO t SELECT … FROM t: the exchange is open while the scan runs, and there is no lock."""
    duck = served.duck
    own = served.writer.having((TRANSACTION, duck.transaction or ""))
    talk = own.open("insert", returning=returning)
    talk.name(PATH)
    talk.declare(SENT)
    assert talk.hear() == Kind.SCHEMA
    for offset in (100, 200):
        found = duck.scan(PATH)
        copied = [(row["id"] + offset, row["name"], row["price"]) for row in found.to_pylist()]
        assert len(copied) == 2
        talk.send(batch_of(SENT, *copied))
        if returning:
            talk.hear_batch()
    talk.half_close()
    assert talk.hear() is None
    assert talk.answer().changed == 4
    assert keys(duck) == [1, 2, 101, 102, 201, 202]
    assert [row[0] for row in items.rows("id")] == [1, 101, 102, 2, 201, 202]


def test_an_update_is_fed_by_a_scan_of_its_own_transaction(served: Served, items: Subject) -> None:
    duck = served.duck
    own = served.writer.having((TRANSACTION, duck.transaction or ""))
    schema = schema_of(price=pa.float64(), rowid=pa.int64())
    for expected in (5.0, 6.0, 7.0):
        talk = own.open("update")
        talk.name(PATH)
        talk.declare(schema)
        assert talk.hear() == Kind.SCHEMA
        for row in duck.scan(PATH).to_pylist():
            talk.send(batch_of(schema, (expected, row["rowid"])))
        talk.half_close()
        assert talk.hear() is None
        assert talk.answer().changed == 2
    assert items.rows("price") == [(7.0,), (7.0,)]


# -- what became of it -------------------------------------------------------------------------------


def test_the_status_is_the_outcome_of_the_last_exchange(served: Served, items: Subject) -> None:
    del items
    transaction = str(uuid.uuid4())
    own = served.writer.having((TRANSACTION, transaction))
    assert status(served, transaction) == "active"
    Duck(served.flight, transaction=transaction).scan(PATH)
    assert status(served, transaction) == "active"  # reading decides nothing
    own.run("insert", PATH, [fruit(3)])
    assert status(served, transaction) == "committed"
    own.refused("insert", PATH, [fruit(3)])
    assert status(served, transaction) == "aborted"
    own.run("insert", PATH, [fruit(4)])
    assert status(served, transaction) == "committed"
    assert status(served, str(uuid.uuid4())) == "active"


def test_standard_clients_decide_it_by_put_and_delete(served: Served, items: Subject) -> None:
    """And an id is the same however it is spelled."""
    transaction = str(uuid.uuid4())
    options = Duck(served.flight, transaction=transaction.upper()).options()
    path = fl.FlightDescriptor.for_path("shop", "items")

    def put(key: int) -> None:
        stream, _ = served.flight.do_put(path, SENT, options)
        with stream:
            stream.write_batch(fruit(key))

    put(3)
    assert status(served, transaction) == "committed"
    with pytest.raises(pa.ArrowException, match="PRIMARY KEY"):
        put(3)
    assert status(served, transaction) == status(served, transaction.upper()) == "aborted"
    named = {"schema_name": "shop", "table_name": "items", "rowids": items.row_ids("id = 3")}
    list(served.flight.do_action(fl.Action("Delete", json.dumps(named).encode()), options))
    assert status(served, transaction) == "committed"
    with pytest.raises(fl.FlightInternalError, match="run the statement again"):
        list(served.flight.do_action(fl.Action("Delete", json.dumps(named).encode()), options))
    assert status(served, transaction) == "aborted"


def test_the_status_is_right_as_soon_as_the_count_is_there(served: Served, items: Subject) -> None:
    """The call need not have ended: whoever read the last message knows that it is done."""
    del items
    for key in range(10, 40):
        transaction = str(uuid.uuid4())
        talk = served.writer.having((TRANSACTION, transaction)).open("insert")
        talk.name(PATH)
        talk.declare(SENT)
        talk.send(fruit(key))
        talk.half_close()
        assert [talk.hear(), talk.hear()] == [Kind.SCHEMA, None]
        assert status(served, transaction) == "committed"
        talk.hear_end()


@pytest.mark.parametrize("identifier", ["", "1", "not-an-id", "x" * 36])
def test_a_malformed_id_is_refused(served: Served, items: Subject, identifier: str) -> None:
    if identifier == "":
        assert served.writer.having((TRANSACTION, "")).run("insert", PATH, [fruit(3)]).changed == 1
        return
    refused = served.writer.having((TRANSACTION, identifier)).refused("insert", PATH, [fruit(3)])
    assert refused.code is grpc.StatusCode.INVALID_ARGUMENT
    assert len(items.rows()) == 2


# -- the audit ---------------------------------------------------------------------------------------


def test_the_audit_tells_what_was_changed(served: Served, items: Subject) -> None:
    transaction = str(uuid.uuid4())
    own = served.writer.having((TRANSACTION, transaction), ("airport-trace-id", "t-1"))
    own.run("insert", PATH, [fruit(3), fruit(4)])
    own.run("delete", PATH, [ids_batch(items.row_ids("id > 2"))], returning=True)
    own.refused("insert", PATH, [fruit(1)])
    told = [
        (
            entry.method,
            entry.action,
            entry.table,
            entry.rows_in,
            entry.rows_out,
            entry.rows_changed,
            entry.outcome,
            entry.transaction_id,
        )
        for entry in served.audited()
    ]
    assert told == [
        ("DoExchange", "insert", "items", 2, 0, 2, "OK", transaction),
        ("DoExchange", "delete", "items", 2, 2, 2, "OK", transaction),
        ("DoExchange", "insert", "items", 1, 0, 0, "ALREADY_EXISTS", transaction),
    ]


def test_the_snapshot_tells_who_made_it(served: Served, items: Subject) -> None:
    served.writer.run("insert", PATH, [fruit(3)])
    newest = items.travelable.history()[-1]
    assert newest.summary["lakeport.actor"] == "everyone"
    assert newest.summary["lakeport.statement"] == "insert"

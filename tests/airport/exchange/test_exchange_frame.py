"""The frame of chapter 5.1, to the letter: what is sent when, and what an exchange may be opened with."""

from __future__ import annotations

import json

import grpc
import pyarrow as pa
import pytest

from lakeport.flight.ipc import Kind
from lakeport.flight.messages import FlightDescriptor
from tests.airport.exchange.conftest import ITEMS, Served
from tests.airport.exchange.talk import ATTACHED, Writer, batch_of, descriptor_of, typed
from tests.behaviours.lake import Subject, ids_batch, schema_of
from tests.flight.raw import failure_of

PATH = descriptor_of("shop", "items")
SENT = pa.schema([(field.name, field.type) for field in ITEMS])
FIG = batch_of(SENT, (3, "fig", 2.0))


def test_our_schema_comes_before_a_row_is_sent(served: Served, items: Subject) -> None:
    del items
    for operation in ("insert", "update", "delete"):
        talk = served.writer.open(operation)
        talk.name(PATH)
        assert talk.hear() == Kind.SCHEMA  # not even the client's own schema is waited for
        talk.declare(SENT if operation == "insert" else ids_batch([]).schema)
        talk.call.cancel()


def test_without_returning_there_is_the_count_alone(served: Served, items: Subject) -> None:
    answer = served.writer.run("insert", PATH, [FIG, batch_of(SENT, (4, "kiwi", 0.5))])
    assert (answer.batches, answer.changed) == ([], 2)
    assert items.rows("id", "name")[2:] == [(3, "fig"), (4, "kiwi")]


@pytest.mark.parametrize("operation", ["insert", "update", "delete"])
@pytest.mark.parametrize("returning", [False, True])
def test_no_batch_at_all_is_a_statement(
    served: Served, items: Subject, operation: str, *, returning: bool
) -> None:
    schema = {
        "insert": SENT,
        "update": schema_of(price=pa.float64(), rowid=pa.int64()),
        "delete": schema_of(rowid=pa.int64()),
    }[operation]
    version = items.state.version
    answer = served.writer.run(operation, PATH, [], schema=schema, returning=returning)
    assert (answer.batches, answer.changed) == ([], 0)
    assert items.state.version == version


def test_columns_are_checked_even_without_a_row(served: Served, items: Subject) -> None:
    del items
    for operation in ("insert", "update", "delete"):
        schema = schema_of(nothing=pa.int64(), rowid=pa.int64())
        refused = served.writer.refused(operation, PATH, [], schema=schema)
        assert refused.code is grpc.StatusCode.INVALID_ARGUMENT


def test_an_empty_batch_is_answered_by_an_empty_batch(served: Served, items: Subject) -> None:
    del items
    answer = served.writer.run(
        "insert", PATH, [batch_of(SENT), FIG, batch_of(SENT)], returning=True
    )
    assert [batch.num_rows for batch in answer.batches] == [0, 1, 0]
    assert answer.changed == 1


def test_messages_without_rows_are_of_no_matter(served: Served, items: Subject) -> None:
    del items
    talk = served.writer.open("insert")
    talk.name(PATH)
    talk.say(b"\x1a\x02hi")
    talk.declare(SENT)
    talk.say(b"\x1a\x02hi")
    talk.send(FIG)
    talk.half_close()
    assert [talk.hear(), talk.hear()] == [Kind.SCHEMA, None]
    assert talk.answer().changed == 1


COMMAND = {"schema_name": "shop", "table_name": "items"}


@pytest.mark.parametrize(
    "descriptor",
    [
        PATH,
        descriptor_of("lake", "shop", "items"),
        descriptor_of("SHOP", "Items"),
        FlightDescriptor(command=json.dumps(COMMAND).encode()),
        FlightDescriptor(command=json.dumps({**COMMAND, "catalog_name": "lake"}).encode()),
    ],
    ids=str,
)
def test_a_table_is_named_in_every_way_there_is(
    served: Served, items: Subject, descriptor: FlightDescriptor
) -> None:
    for headers in (ATTACHED, ()):
        key = 3 + len(headers)
        sent = batch_of(SENT, (key, "fig", 2.0))
        assert Writer(served.raw, headers).run("insert", descriptor, [sent]).changed == 1
    assert len(items.rows()) == 4


def test_the_path_in_the_header_is_the_last_resort(served: Served, items: Subject) -> None:
    del items
    writer = served.writer.having(("airport-flight-path", "shop/items"))
    assert writer.run("insert", FlightDescriptor(), [FIG]).changed == 1
    refused = writer.refused("insert", descriptor_of("shop", "nothing"), [FIG])
    assert refused.code is grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        ("scalar_function", grpc.StatusCode.INVALID_ARGUMENT),
        ("table_function", grpc.StatusCode.INVALID_ARGUMENT),
        ("table_function_in_out", grpc.StatusCode.INVALID_ARGUMENT),
        ("upsert", grpc.StatusCode.INVALID_ARGUMENT),
        ("INSERT", grpc.StatusCode.INVALID_ARGUMENT),
        ("", grpc.StatusCode.INVALID_ARGUMENT),
    ],
)
def test_other_operations_are_refused(
    served: Served, items: Subject, operation: str, code: grpc.StatusCode
) -> None:
    del items
    assert served.writer.refused(operation, PATH, [FIG]).code is code


def test_an_exchange_that_does_not_say_what_it_is_for_is_refused(served: Served) -> None:
    refused = served.raw.failure("DoExchange", iter([b""]), ATTACHED)
    assert refused.code is grpc.StatusCode.INVALID_ARGUMENT
    assert "airport-operation" in refused.text


@pytest.mark.parametrize(
    ("descriptor", "code"),
    [
        (FlightDescriptor(), grpc.StatusCode.INVALID_ARGUMENT),
        (descriptor_of("items"), grpc.StatusCode.INVALID_ARGUMENT),
        (descriptor_of("shop", "items", "@what"), grpc.StatusCode.INVALID_ARGUMENT),
        (descriptor_of("other", "shop", "items"), grpc.StatusCode.INVALID_ARGUMENT),
        (descriptor_of("shop", "nothing"), grpc.StatusCode.NOT_FOUND),
        (descriptor_of("nowhere", "items"), grpc.StatusCode.NOT_FOUND),
        (FlightDescriptor(command=b"{}"), grpc.StatusCode.INVALID_ARGUMENT),
        (
            FlightDescriptor(command=json.dumps({**COMMAND, "ts": 5}).encode()),
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
    ],
    ids=str,
)
def test_what_names_no_table_is_refused(
    served: Served, items: Subject, descriptor: FlightDescriptor, code: grpc.StatusCode
) -> None:
    del items
    for returning in (False, True):
        refused = served.writer.refused("insert", descriptor, [FIG], returning=returning)
        assert refused.code is code


def test_return_chunks_is_0_or_1(served: Served, items: Subject) -> None:
    del items
    headers = (*ATTACHED, ("airport-operation", "insert"), ("return-chunks", "yes"))
    refused = served.raw.failure("DoExchange", iter([b""]), headers)
    assert refused.code is grpc.StatusCode.INVALID_ARGUMENT


def test_duckdb_reads_a_refusal_after_it_has_said_everything(
    served: Served, items: Subject
) -> None:
    """As it writes without reading, an error in between would be lost."""
    del items
    talk = served.writer.open("insert")
    talk.name(PATH)
    talk.declare(SENT)
    assert talk.hear() == Kind.SCHEMA
    for _ in range(100):
        talk.send(batch_of(SENT, (3, "fig", -1.0)))
    assert talk.call.is_active()  # nothing is told before the end
    talk.half_close()
    with pytest.raises(grpc.RpcError) as raised:
        talk.hear()
    told = typed(failure_of(raised.value))
    assert told is not None
    assert told[0] == "ConstraintException"


def test_with_returning_it_reads_the_refusal_where_it_happens(
    served: Served, items: Subject
) -> None:
    del items
    talk = served.writer.open("insert", returning=True)
    talk.name(PATH)
    talk.declare(SENT)
    assert talk.hear() == Kind.SCHEMA
    talk.send(FIG)
    talk.hear_batch()
    talk.send(batch_of(SENT, (4, "kiwi", -1.0)))
    with pytest.raises(grpc.RpcError) as raised:
        talk.hear()
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_a_standard_client_is_told_at_once(served: Served, items: Subject) -> None:
    """It may wait for an answer before it says more."""
    del items
    talk = Writer(served.raw, ()).open("insert")
    talk.name(descriptor_of("shop", "items"))
    talk.declare(SENT)
    assert talk.hear() == Kind.SCHEMA
    talk.send(batch_of(SENT, (3, "fig", -1.0)))
    with pytest.raises(grpc.RpcError) as raised:
        talk.hear()
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT

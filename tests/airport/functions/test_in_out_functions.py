"""Functions that take rows, over the wire as DuckDB calls them (chapter 6.4)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.access import StatementLimits
from lakeport.catalog.parameters import parameter, table_parameter
from lakeport.flight.ipc import Kind
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.protobuf import put_bytes
from tests.airport.airport_server import fl, serving
from tests.airport.functions.guest import (
    Guest,
    bind_body,
    opening_of,
    row,
    visiting,
)
from tests.airport.functions.made import INT, PAIRS, RECORDED, SERIES, Call, InOut, hosting, numbers

VECTOR = 2048


@pytest.fixture(scope="module")
def guest() -> Iterator[Guest]:
    with visiting(hosting(*RECORDED)) as made:
        yield made


def values(batches: list[pa.RecordBatch]) -> list[Any]:
    return [value for batch in batches for value in batch.column(0).to_pylist()]


@pytest.mark.parametrize("count", [0, 1, 2047, 2048, 2049, 4096, 100_000])
def test_rows_of_any_number_come_back_and_every_batch_is_closed_by_an_empty_one(
    guest: Guest, count: int
) -> None:
    sent = [numbers(*range(first, min(first + VECTOR, count))) for first in range(0, count, VECTOR)]
    groups = guest.passed("fn.echo", row(), sent, SERIES)
    assert len(groups) == len(sent)
    assert [value for group in groups for value in values(group)] == list(range(count))


def test_a_batch_of_any_length_may_come_and_go(guest: Guest) -> None:
    (group,) = guest.passed("fn.echo", row(), [numbers(*range(100_000))])
    assert values(group) == list(range(100_000))
    assert max(batch.num_rows for batch in group) <= 65_536


def test_contracts_word_for_it_is_understood(guest: Guest) -> None:
    (group,) = guest.passed("fn.echo", row(), [numbers(1)], operation="table_function")
    assert values(group) == [1]


def test_arguments_come_before_the_rows(guest: Guest) -> None:
    (group,) = guest.passed("fn.scaled", row(factor=3), [numbers(0, 1, 2)])
    assert values(group) == [0, 3, 6]


def test_rows_that_trail_come_after_the_last(guest: Guest) -> None:
    first, second, last = guest.passed("fn.row_total", row(), [numbers(1, 2), numbers(3)])
    assert (first, second, values(last)) == ([], [], [3])
    assert [values(each) for each in guest.passed("fn.row_total", row(), [], SERIES)] == [[0]]


def test_a_batch_is_answered_before_the_next_is_asked_for() -> None:
    """DuckDB sends nothing more until it was told that a batch is done."""

    def work(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        for _ in range(3):
            yield batch
        yield batch.slice(0, 0)

    tripled = InOut("tripled", lambda _, rows: Call(rows, work))
    with visiting(hosting(tripled)) as guest:
        groups = guest.passed("fn.tripled", row(), [numbers(1), numbers(2)])
        assert [values(group) for group in groups] == [[1, 1, 1], [2, 2, 2]]


def test_large_rows_go_in_messages_that_every_client_takes() -> None:
    def work(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"t": ["x" * 100_000] * (100 * batch.num_rows)})

    wide = InOut("wide", lambda *_: Call(pa.schema([("t", pa.string())]), work))
    with visiting(hosting(wide)) as guest:
        (group,) = guest.passed("fn.wide", row(), [numbers(1)])
        assert sum(batch.num_rows for batch in group) == 100
        assert max(batch.nbytes for batch in group) < 3_500_000


def test_the_rows_that_come_decide_about_the_columns(guest: Guest) -> None:
    descriptor = guest.entry("fn.echo").descriptor
    for schema in (SERIES, PAIRS):
        info = guest.bind(descriptor, row(), schema)
        assert pa.ipc.read_schema(pa.py_buffer(info.schema)).equals(schema)
    failure = guest.refused_action("table_function_flight_info", bind_body(descriptor, row()))
    assert failure.code is grpc.StatusCode.INVALID_ARGUMENT


def test_a_call_is_closed_however_it_ends() -> None:
    calls: list[Call] = []
    entered, leave = threading.Event(), threading.Event()

    class Waking(Call):
        def close(self) -> None:
            super().close()
            leave.set()

    def begin(given: dict[str, Any], rows: pa.Schema) -> Call:
        def work(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
            if given["how"] == "fail":
                raise ValueError("not this one")
            if given["how"] == "wait":
                entered.set()
                assert leave.wait(30)
            return iter([batch])

        calls.append(Waking(rows, work))
        return calls[-1]

    how = (parameter("how", pa.string()), table_parameter("rows"))
    with visiting(hosting(InOut("f", begin, how))) as guest:
        guest.passed("fn.f", row(how="well"), [numbers(1)])
        descriptor = guest.entry("fn.f").descriptor
        failure = guest.refused(
            "table_function_in_out", descriptor, numbers(1), opening=opening_of(row(how="fail"))
        )
        assert failure.text == "function `fn.f` raised ValueError: not this one"
        leave.clear()
        talk = guest.open("table_function_in_out")
        talk.name(descriptor)
        talk.say(put_bytes(3, opening_of(row(how="wait"))))
        talk.declare(SERIES)
        assert talk.hear() == Kind.SCHEMA
        talk.send(numbers(1))
        assert entered.wait(30)
        talk.call.cancel()  # which closes the call, and that wakes it
        assert leave.wait(30)
    # Bound once and called once for the first; the others were called alone.
    assert [bool(call.closed) for call in calls] == [True] * 4


def test_rows_are_limited_as_those_of_statements() -> None:
    echo = InOut("echo", lambda _, rows: Call(rows, lambda batch: iter([batch])))
    with visiting(hosting(echo), limits=StatementLimits(rows=2)) as guest:
        failure = guest.refused(
            "table_function_in_out",
            guest.entry("fn.echo").descriptor,
            numbers(1, 2),
            numbers(3),
            opening=opening_of(row()),
        )
        assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_an_opening_that_makes_no_sense_is_an_invalid_argument(guest: Guest) -> None:
    descriptor = guest.entry("fn.scaled").descriptor
    for opening in (
        b"\xc1",
        msgpack.packb({"parameters": b"nothing"}),
        msgpack.packb({"parameters": 3}),
        opening_of(row(factor="x")),
        opening_of(row()),
        opening_of(row(factor=1), at_unit="YEAR", at_value="1"),
    ):
        failure = guest.refused("table_function_in_out", descriptor, numbers(1), opening=opening)
        assert failure.code is grpc.StatusCode.INVALID_ARGUMENT, failure


def test_a_standard_client_names_arguments_with_the_function(guest: Guest) -> None:
    call = {"function_name": "scaled", "parameters": {"factor": 5}}
    descriptor = FlightDescriptor(command=json.dumps(call).encode())
    standard = Guest(guest.raw, ())
    talk = standard.open("table_function_in_out")
    talk.name(descriptor)
    talk.declare(SERIES)
    assert talk.hear() == Kind.SCHEMA
    talk.send(numbers(2))
    assert talk.hear() == Kind.BATCH
    talk.half_close()
    without = standard.refused(
        "table_function_in_out", FlightDescriptor(path=("fn", "scaled")), numbers(1)
    )
    assert "takes (factor int64, rows TABLE)" in without.text


def test_pyarrows_own_client_passes_rows() -> None:
    with serving([hosting(*RECORDED)]) as client:
        options = fl.FlightCallOptions(headers=[(b"airport-operation", b"table_function_in_out")])
        descriptor = fl.FlightDescriptor.for_path("fn", "echo")
        writer, reader = client.flight.do_exchange(descriptor, options)
        with writer:
            writer.begin(SERIES)
            writer.write_batch(numbers(*range(3)))
            writer.done_writing()
            got = list(reader)
    assert [(chunk.data.num_rows, bytes(chunk.app_metadata)) for chunk in got] == [
        (3, b"chunk_continues"),
        (0, b"chunk_finished"),
    ]
    assert got[0].data.schema.field(0).type == INT


@pytest.mark.parametrize(
    ("name", "operation"), [("add_one", "scalar_function"), ("echo", "table_function_in_out")]
)
def test_contract_001_describes_functions_that_take_rows_so_that_they_can_be_called(
    name: str, operation: str
) -> None:
    with serving([hosting(*RECORDED)]) as client:
        body = json.dumps({"function_name": name, "parameters": {}}).encode()
        answer = client.action("GetTableFunctionFlightInfo", body)
        descriptor = fl.FlightInfo.deserialize(answer).descriptor
        options = fl.FlightCallOptions(headers=[(b"airport-operation", operation.encode())])
        writer, reader = client.flight.do_exchange(descriptor, options)
        given = numbers(1, 2, 3)
        with writer:
            writer.begin(given.schema)
            writer.write_batch(given)
            writer.done_writing()
            assert reader.read_all().num_rows == 3

"""Table functions over the wire, as DuckDB reads them (chapter 6.3)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest
from msgspec.structs import replace

from lakeport.airport.functions.tickets import decode_ticket
from lakeport.airport.wire.sealed import seal
from lakeport.catalog.parameters import any_parameter, parameter
from lakeport.catalog.ports import ScanRequest
from lakeport.core.timepoint import AtVersion
from lakeport.flight.messages import FlightDescriptor, FlightInfo, Ticket
from tests.airport.functions.guest import (
    Guest,
    bind_body,
    endpoints_body,
    row,
    unwrap,
    visiting,
)
from tests.airport.functions.made import (
    INT,
    PAIRS,
    RECORDED,
    SERIES,
    TEXT,
    Measured,
    Rows,
    Table,
    hosting,
    numbers,
)

A_ABOVE_1 = json.dumps(
    {
        "filters": [
            {
                "expression_class": "BOUND_COMPARISON",
                "type": "COMPARE_GREATERTHAN",
                "left": {
                    "expression_class": "BOUND_COLUMN_REF",
                    "type": "BOUND_COLUMN_REF",
                    "return_type": {"id": "BIGINT", "type_info": None},
                    "binding": {"table_index": 0, "column_index": 1},
                },
                "right": {
                    "expression_class": "BOUND_CONSTANT",
                    "type": "VALUE_CONSTANT",
                    "value": {
                        "type": {"id": "BIGINT", "type_info": None},
                        "is_null": False,
                        "value": 1,
                    },
                },
            }
        ],
        "column_binding_names_by_index": ["b", "a"],
    }
)


@pytest.fixture(scope="module")
def guest() -> Iterator[Guest]:
    with visiting(hosting(*RECORDED)) as made:
        yield made


def test_a_named_parameter_that_is_left_out_is_null(guest: Guest) -> None:
    given = pa.record_batch({"count": [3], "step": pa.array([None], INT)})
    assert guest.rows("fn.gen", given) == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert guest.rows("fn.gen", row(count=3)) == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert guest.rows("fn.gen", row(count=3, step=5)) == [{"n": 0}, {"n": 5}, {"n": 10}]


def test_no_parameters_are_no_columns_and_one_row(guest: Guest) -> None:
    assert guest.rows("fn.no_args", row()) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]


def test_the_columns_follow_from_the_arguments(guest: Guest) -> None:
    assert len(guest.entry("fn.wide").output) == 0  # what is listed without any
    assert guest.rows("fn.wide", row(columns=2))[2] == {"c0": 2, "c1": 2}
    assert guest.rows("fn.wide", row(columns=1)) == [{"c0": 0}, {"c0": 1}, {"c0": 2}]


def test_the_number_of_rows_is_told(guest: Guest) -> None:
    assert guest.bind(guest.entry("fn.gen").descriptor, row(count=7)).total_records == 7
    assert guest.bind(guest.entry("fn.wide").descriptor, row(columns=2)).total_records == -1


def test_columns_that_nobody_asked_for_are_null_and_the_stream_stays_as_wide(guest: Guest) -> None:
    assert guest.rows("fn.no_args", row(), [1]) == [{"a": None, "b": "x"}, {"a": None, "b": "y"}]
    assert guest.rows("fn.no_args", row(), [0]) == [{"a": 1, "b": None}, {"a": 2, "b": None}]


def test_a_filter_is_handed_to_the_function_which_may_ignore_it(guest: Guest) -> None:
    assert guest.rows("fn.no_args", row(), [1, 0], A_ABOVE_1) == [{"a": 2, "b": "y"}]
    asked: list[ScanRequest] = []

    def both() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([pa.array([1, 2]), pa.array(["x", "y"])], schema=PAIRS)

    def make(_: dict[str, Any]) -> Rows:
        return Rows(PAIRS, both, asked=asked, narrow=False)

    with visiting(hosting(Table("all", make))) as other:
        # It gives all columns and all rows; those that were not asked for are taken out.
        assert other.rows("fn.all", row(), [0], A_ABOVE_1.replace('["b", "a"]', '["a", "a"]')) == [
            {"a": 1, "b": None},
            {"a": 2, "b": None},
        ]
    (request,) = asked
    assert request.columns == ("a",)
    assert request.predicate is not None


def test_any_type_is_told_by_the_arguments() -> None:
    def make(given: dict[str, Any]) -> Rows:
        batch = pa.record_batch({"v": [given["v"]]})
        return Rows(batch.schema, lambda: iter([batch]))

    with visiting(hosting(Table("same", make, (any_parameter("v"),)))) as guest:
        assert guest.rows("fn.same", row(v="text")) == [{"v": "text"}]
        assert guest.rows("fn.same", row(v=[1, 2])) == [{"v": [1, 2]}]


def test_a_point_in_time_goes_to_the_function() -> None:
    asked: list[ScanRequest] = []

    def make(_: dict[str, Any]) -> Rows:
        return Rows(SERIES, lambda: iter([numbers(1)]), asked=asked, narrow=False)

    with visiting(hosting(Table("f", make))) as guest:
        descriptor = guest.entry("fn.f").descriptor
        body = endpoints_body(descriptor, row(), at=("VERSION", "3"))
        (endpoint,) = msgpack.unpackb(guest.action("endpoints", body))
        assert endpoint
        failure = guest.refused_action(
            "endpoints", endpoints_body(descriptor, row(), at=("YEAR", "3"))
        )
        assert failure.code is grpc.StatusCode.INVALID_ARGUMENT
        (plain,) = guest.endpoints(descriptor, row())
        guest.read(replace(decode_ticket(plain), at_unit="VERSION", at_value="3").encode())
    assert asked[-1].at == AtVersion(3)


def test_bounds_are_announced_and_answered() -> None:
    def make(_: dict[str, Any]) -> Rows:
        return Rows(SERIES, lambda: iter([numbers(*range(10))]))

    with visiting(hosting(Measured("f", make, returns=SERIES))) as guest:
        entry = guest.entry("fn.f")
        info = guest.bind(entry.descriptor, row())
        told = pa.ipc.read_schema(pa.py_buffer(info.schema)).metadata
        assert told == entry.output.metadata == {b"can_produce_statistics": b"1"}
        body = {
            "flight_descriptor": entry.descriptor.encode(),
            "column_name": "n",
            "type": "BIGINT",
        }
        with pa.ipc.open_stream(guest.action("column_statistics", msgpack.packb(body))) as stream:
            (known,) = stream.read_all().to_pylist()
        assert (known["min"], known["max"], known["has_null"]) == (0, 9, False)


def test_overloads_are_told_apart_by_their_descriptors() -> None:
    def series(name: str) -> Any:
        return lambda given: Rows(SERIES, lambda: iter([numbers(given[name])]))

    one = Table("f", series("a"), (parameter("a", INT),), SERIES)
    two = Table("f", series("b"), (parameter("a", INT), parameter("b", INT)), SERIES)
    with visiting(hosting(one, two)) as guest:
        first, second = guest.entries()["fn.f"]
        assert first.descriptor != second.descriptor
        (ticket,) = guest.endpoints(second.descriptor, row(a=1, b=2))
        (chunk,) = guest.read(ticket)[1]
        assert chunk[0].to_pylist() == [{"n": 2}]
        # Without the overload, the arguments tell.
        plain = FlightDescriptor(path=("fn", "f"))
        assert guest.bind(plain, row(a=1)).total_records == -1
        assert guest.bind(plain, row(a=1, b=2)).total_records == -1
        wrong = guest.refused_action("table_function_flight_info", bind_body(plain, row(c="x")))
        assert wrong.code is grpc.StatusCode.INVALID_ARGUMENT
        assert "takes (a int64) or (a int64, b int64)" in wrong.text


def test_the_words_of_a_function_reach_the_user_at_once(guest: Guest) -> None:
    descriptor = guest.entry("fn.gen").descriptor
    failure = guest.refused_action(
        "table_function_flight_info", bind_body(descriptor, row(count=-1))
    )
    assert failure.code is grpc.StatusCode.INVALID_ARGUMENT
    assert failure.text == "function `fn.gen` raised ValueError: count must not be negative"


@pytest.mark.parametrize(
    "arguments",
    [
        pa.record_batch({"count": [1, 2]}),
        pa.record_batch({"count": ["three"]}),
        pa.record_batch({"step": [1]}),
        pa.record_batch({"count": [1], "step": [1], "more": [1]}),
    ],
)
def test_arguments_that_do_not_fit_are_an_invalid_argument(
    guest: Guest, arguments: pa.RecordBatch
) -> None:
    descriptor = guest.entry("fn.gen").descriptor
    body = bind_body(descriptor, arguments)
    failure = guest.refused_action("table_function_flight_info", body)
    assert failure.code is grpc.StatusCode.INVALID_ARGUMENT


# -- tickets -------------------------------------------------------------------------------------


def test_a_ticket_that_was_damaged_or_forged_opens_nothing(guest: Guest) -> None:
    (ticket,) = guest.endpoints(guest.entry("fn.gen").descriptor, row(count=3))
    found = decode_ticket(ticket)

    assert found.encode() == ticket
    for forged in (
        ticket[:-1],
        ticket[:20] + b"x" + ticket[21:],
        replace(found, columns=(7,)).encode(),
        replace(found, arguments=b"nothing").encode(),
        seal(b"LKF1", b"\x96" + b"\xa1\xff" * 6, "text that is none"),
        replace(found, arguments=found.arguments[:-20]).encode(),
    ):
        code = guest.raw.failure("DoGet", Ticket(forged).encode(), guest.headers).code
        assert code is grpc.StatusCode.INVALID_ARGUMENT
    stale = guest.raw.failure(
        "DoGet", Ticket(replace(found, overload="table.00000000").encode()).encode(), guest.headers
    )
    assert stale.code is grpc.StatusCode.FAILED_PRECONDITION
    other = guest.raw.failure(
        "DoGet", Ticket(replace(found, layout="0" * 16).encode()).encode(), guest.headers
    )
    assert other.code is grpc.StatusCode.ABORTED


def test_arguments_beyond_what_a_ticket_holds_are_refused() -> None:
    texts = Table("f", lambda _: Rows(SERIES, lambda: iter([])), (parameter("t", TEXT),), SERIES)
    with visiting(hosting(texts)) as guest:
        body = bind_body(guest.entry("fn.f").descriptor, row(t="x" * 3_500_000))
        failure = guest.refused_action("table_function_flight_info", body)
        assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_columns_that_changed_since_the_query_began_are_never_sent() -> None:
    columns = ["n"]

    def make(_: dict[str, Any]) -> Rows:
        batch = pa.record_batch({name: [1] for name in columns})
        return Rows(batch.schema, lambda: iter([batch]))

    with visiting(hosting(Table("f", make))) as guest:
        descriptor = guest.entry("fn.f").descriptor
        (ticket,) = guest.endpoints(descriptor, row(), [0])
        columns[:] = ["m", "n"]
        failure = guest.raw.failure("DoGet", Ticket(ticket).encode(), guest.headers)
        assert failure.code is grpc.StatusCode.ABORTED
        assert "run the query again" in failure.text
        named = json.dumps({"filters": [], "column_binding_names_by_index": ["n"]})
        body = endpoints_body(descriptor, row(), [0], named)
        assert guest.refused_action("endpoints", body).code is grpc.StatusCode.ABORTED


# -- standard clients ----------------------------------------------------------------------------


def test_plain_values_become_what_the_parameters_are() -> None:
    seen: list[dict[str, Any]] = []

    def make(given: dict[str, Any]) -> Rows:
        seen.append(given)
        return Rows(SERIES, lambda: iter([numbers(1)]))

    parameters = (
        parameter("day", pa.date32()),
        parameter("price", pa.decimal128(9, 2)),
        parameter("raw", pa.binary()),
        parameter("ratio", pa.float64(), named=True),
        any_parameter("more", named=True),
    )
    with visiting(hosting(Table("f", make, parameters, SERIES))) as other:
        standard = Guest(other.raw, ())
        given = {"day": "2024-05-01", "price": 1.25, "raw": "AAE=", "ratio": 2, "more": ["x"]}
        for call in (
            json.dumps({"function_name": "f", "parameters": given}).encode(),
            json.dumps({"function_name": "F", "parameters": list(given.values())}).encode(),
            msgpack.packb({"function_name": "f", "parameters": {**given, "raw": b"\0\1"}}),
        ):
            assert standard.read(call)[1][0][0].to_pylist() == [{"n": 1}]
    assert len(seen) == 3
    for each in seen:
        assert (str(each["day"]), str(each["price"]), each["raw"], each["ratio"], each["more"]) == (
            "2024-05-01",
            "1.25",
            b"\0\1",
            2.0,
            ["x"],
        )


def test_values_nested_too_deep_fit_no_parameter(guest: Guest) -> None:
    deep = b"[" * 600 + b"]" * 600
    call = b'{"function_name": "gen", "parameters": [' + deep + b"]}"
    failure = guest.raw.failure("DoGet", Ticket(call).encode())
    assert failure.code is grpc.StatusCode.INVALID_ARGUMENT


def test_contract_001_finds_overloads_and_leaves_named_parameters_out(guest: Guest) -> None:
    standard = Guest(guest.raw, ())
    for given, rows in (
        ({"count": 2}, [0, 1]),
        ({"count": 2, "step": 3}, [0, 3]),
        ([2, 4], [0, 4]),
    ):
        body = json.dumps({"function_name": "gen", "parameters": given}).encode()
        info = FlightInfo.decode(standard.action("GetTableFunctionFlightInfo", body))
        assert info.total_records == 2
        (endpoint,) = info.endpoints
        assert standard.read(endpoint.ticket)[1][0][0].column(0).to_pylist() == rows
        # The descriptor of the answer means the same.
        assert info.descriptor is not None
        again = standard.raw.ask("GetFlightInfo", info.descriptor.encode())
        assert FlightInfo.decode(again[0]).schema == info.schema


def test_contract_002_lists_functions_of_every_kind(guest: Guest) -> None:
    (answer,) = guest.raw.ask("GetFlightInfo", FlightDescriptor().encode())
    packed = FlightInfo.decode(answer).app_metadata
    contents = msgpack.unpackb(pa.CompressedInputStream(pa.BufferReader(packed), "zstd").read())
    (schema,) = contents["schemas"]
    assert [each["name"] for each in schema["scalar_functions"]].count("twice") == 2
    assert {each["name"] for each in schema["table_functions"]} == {
        "gen",
        "no_args",
        "wide",
        "show_any",
    }
    assert {each["name"] for each in schema["table_functions_in_out"]} == {
        "echo",
        "scaled",
        "row_total",
    }
    (gen,) = (each for each in schema["table_functions"] if each["name"] == "gen")
    named = [pa.ipc.read_schema(pa.py_buffer(each)) for each in gen["signature"]["parameters"]]
    assert [each.names[0] for each in named] == ["count", "step"]
    assert named[1].field(0).metadata == {b"is_named_parameter": b"true"}
    assert pa.ipc.read_schema(pa.py_buffer(gen["signature"]["return"])) == SERIES
    assert unwrap(guest.action("list_schemas", b""))["schemas"]

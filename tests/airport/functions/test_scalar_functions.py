"""Scalar functions over the wire, as DuckDB calls them (chapter 6.2)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import grpc
import pyarrow as pa
import pytest

from lakeport.access import StatementLimits
from lakeport.catalog.arrow import Array
from lakeport.catalog.functions import Stability
from lakeport.catalog.parameters import parameter
from lakeport.flight.ipc import Kind
from lakeport.flight.messages import FlightDescriptor
from tests.airport.functions.guest import Guest, visiting
from tests.airport.functions.made import ADD_ONE, INT, RECORDED, TEXT, Scalar, X, compute, hosting

XS = pa.schema([("x", INT)])


def xs(*values: int | None) -> pa.RecordBatch:
    return pa.record_batch([pa.array(values, INT)], schema=XS)


def empty_rows(count: int) -> pa.RecordBatch:
    none = pa.StructArray.from_buffers(pa.struct([]), count, [None])
    return pa.RecordBatch.from_struct_array(none)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def guest() -> Iterator[Guest]:
    with visiting(hosting(*RECORDED)) as made:
        yield made


def test_a_constant_is_one_row(guest: Guest) -> None:
    assert guest.values("fn.add_one", xs(41)) == [42]


def test_every_batch_is_answered_by_one_of_as_many_rows(guest: Guest) -> None:
    batches = [xs(*range(first, first + 2048)) for first in (0, 2048)] + [xs(7), xs()]
    assert guest.values("fn.add_one", *batches) == [*range(1, 4097), 8]


def test_without_arguments_the_number_of_rows_counts(guest: Guest) -> None:
    assert guest.values("fn.row_number0", empty_rows(1), empty_rows(3)) == [0, 0, 1, 2]


def test_any_type_arrives_as_it_is_and_the_result_stays_what_it_was(guest: Guest) -> None:
    given: list[Array] = [
        pa.array([Decimal("1.5")], pa.decimal128(2, 1)),
        pa.array([{"a": 1, "b": None}], pa.struct([("a", pa.int32()), ("b", pa.date32())])),
        pa.array([[1, 2]], pa.list_(pa.int8())),
    ]
    for values in given:
        assert guest.values("fn.type_name", pa.record_batch({"v": values})) == [str(values.type)]


def test_overloads_have_descriptors_of_their_own(guest: Guest) -> None:
    numbers, texts = guest.entries()["fn.twice"]
    assert numbers.descriptor != texts.descriptor
    (doubled,) = guest.call(numbers.descriptor, numbers.output, [xs(21)])
    (joined,) = guest.call(texts.descriptor, texts.output, [pa.record_batch({"x": ["ab"]})])
    assert doubled.column(0).to_pylist() == [42]
    assert joined.column(0).to_pylist() == ["abab"]


def test_a_path_without_an_overload_is_told_by_the_types(guest: Guest) -> None:
    path = FlightDescriptor(path=("fn", "TWICE"))
    result = pa.schema([("result", TEXT)])
    (joined,) = guest.call(path, result, [pa.record_batch({"x": ["ab"]})])
    assert joined.column(0).to_pylist() == ["abab"]


def test_types_that_mean_the_same_are_brought_to_the_declared_one() -> None:
    when = (parameter("at", pa.timestamp("us", "UTC")),)
    seen: list[pa.DataType] = []

    def work(batch: pa.RecordBatch) -> Array:
        seen.append(batch.schema.field(0).type)
        return pa.array([1] * batch.num_rows, INT)

    with visiting(hosting(Scalar("f", work, when))) as guest:
        sent = pa.array([0], pa.timestamp("us", "Etc/UTC"))
        assert guest.values("fn.f", pa.record_batch({"at": sent})) == [1]
    assert seen == [pa.timestamp("us", "UTC")]


# -- NULL ----------------------------------------------------------------------------------------


def test_rows_with_a_null_argument_are_null_and_never_seen_by_the_function() -> None:
    seen: list[list[int | None]] = []

    def work(batch: pa.RecordBatch) -> Array:
        seen.append(batch.column(0).to_pylist())
        return compute.add(batch.column(0), batch.column(1))  # type: ignore[no-any-return]

    pair = (parameter("a", INT), parameter("b", INT))
    with visiting(hosting(Scalar("f", work, pair))) as guest:
        rows = pa.record_batch({"a": [1, None, 3, 4], "b": [10, 20, None, 40]})
        nothing = pa.record_batch({"a": pa.array([None, None], INT), "b": pa.array([1, None], INT)})
        assert guest.values("fn.f", rows, nothing) == [11, None, None, 44, None, None]
    assert seen == [[1, 4]]


def test_a_function_that_takes_nulls_decides_itself() -> None:
    def work(batch: pa.RecordBatch) -> Array:
        return compute.is_null(batch.column(0))  # type: ignore[no-any-return]

    returns = pa.field("is_null", pa.bool_(), nullable=False)
    with visiting(hosting(Scalar("f", work, X, returns, takes_nulls=True))) as guest:
        assert guest.values("fn.f", xs(1, None)) == [False, True]
        assert not guest.entry("fn.f").output.field(0).nullable


# -- declarations --------------------------------------------------------------------------------


def test_stability_and_description_are_told(guest: Guest) -> None:
    metadata = guest.entry("fn.plus").metadata
    assert metadata["description"] == "The sum of two numbers."
    assert b"consistent" in metadata["extra_data"]
    assert b"volatile" in guest.entry("fn.add_one").metadata["extra_data"]
    within = Scalar("f", lambda _: None, stability=Stability.CONSISTENT_WITHIN_QUERY)
    with visiting(hosting(within)) as other:
        assert b"consistent_within_query" in other.entry("fn.f").metadata["extra_data"]


def test_a_type_that_duckdb_cannot_take_is_told_and_sent_as_one_that_it_can() -> None:
    half = Scalar("f", lambda batch: batch.column(0).cast(pa.float16()), X, pa.float16())
    with visiting(hosting(half)) as guest:
        assert guest.entry("fn.f").output.field(0).type == pa.float32()
        assert guest.values("fn.f", xs(1, None)) == [1.0, None]


def test_a_name_beyond_ascii_is_found_by_the_path_that_was_listed() -> None:
    with visiting(hosting(Scalar("größe", ADD_ONE.work, X), namespace="mäßig")) as guest:
        assert guest.values("mäßig.größe", xs(1)) == [2]


def test_a_namespace_called_main_is_not_shown_to_duckdb() -> None:
    with visiting(hosting(ADD_ONE, namespace="main")) as guest:
        assert guest.entries() == {}


# -- refusals ------------------------------------------------------------------------------------


def test_the_arguments_are_held_against_the_signature(guest: Guest) -> None:
    wrong = {
        "function `fn.plus` takes (a int64, b int64), got x": [xs(1)],
        "parameter `b` of function `fn.plus` is int64, got string": [
            pa.record_batch({"a": [1], "b": ["x"]})
        ],
        "function `fn.plus` takes (a int64, b int64), got a, b, c": [
            pa.record_batch({"a": [1], "b": [1], "c": [1]})
        ],
    }
    descriptor = guest.entry("fn.plus").descriptor
    for text, batches in wrong.items():
        failure = guest.refused("scalar_function", descriptor, *batches)
        assert failure.code is grpc.StatusCode.INVALID_ARGUMENT
        assert failure.text == text
    none_fits = guest.refused(
        "scalar_function", FlightDescriptor(path=("fn", "twice")), pa.record_batch({"x": [True]})
    )
    assert none_fits.code is grpc.StatusCode.INVALID_ARGUMENT
    assert "takes (x int64) or (x string), got x bool" in none_fits.text


def test_what_is_no_scalar_function_is_not_found(guest: Guest) -> None:
    for path in (("fn", "absent"), ("fn", "gen"), ("nowhere", "add_one")):
        failure = guest.refused("scalar_function", FlightDescriptor(path=path), xs(1))
        assert failure.code is grpc.StatusCode.NOT_FOUND, path


def test_an_overload_that_is_gone_is_told_with_advice(guest: Guest) -> None:
    stale = FlightDescriptor(path=("fn", "add_one", "@scalar.00000000"))
    failure = guest.refused("scalar_function", stale, xs(1))
    assert failure.code is grpc.StatusCode.FAILED_PRECONDITION
    assert "ATTACH" in failure.text


def test_a_function_always_answers(guest: Guest) -> None:
    talk = guest.having(("airport-operation", "scalar_function"), ("return-chunks", "0"))
    assert talk.raw.failure("DoExchange", [b""], talk.headers).code is (
        grpc.StatusCode.INVALID_ARGUMENT
    )


def test_rows_are_limited_as_those_of_statements() -> None:
    limits = StatementLimits(rows=5)
    with visiting(hosting(ADD_ONE), limits=limits) as guest:
        descriptor = guest.entry("fn.add_one").descriptor
        assert guest.values("fn.add_one", xs(1, 2, 3), xs(4, 5)) == [2, 3, 4, 5, 6]
        failure = guest.refused("scalar_function", descriptor, xs(1, 2, 3), xs(4, 5, 6))
        assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_an_exchange_that_is_given_up_ends(guest: Guest) -> None:
    entry = guest.entry("fn.add_one")
    talk = guest.open("scalar_function")
    talk.name(entry.descriptor)
    talk.declare(XS)
    assert talk.hear() == Kind.SCHEMA
    talk.call.cancel()
    assert guest.values("fn.add_one", xs(1)) == [2]

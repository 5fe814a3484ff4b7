"""Functions that do what they should not: the caller is told which one and why, and the server goes on."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pyarrow as pa
import pytest

from lakeport.catalog.parameters import parameter
from lakeport.flight.messages import Ticket
from tests.airport.functions.guest import Guest, bind_body, opening_of, row, visiting
from tests.airport.functions.made import (
    ADD_ONE,
    INT,
    PAIRS,
    SERIES,
    TEXT,
    Call,
    InOut,
    Rows,
    Scalar,
    Table,
    X,
    hosting,
    numbers,
)

INVALID = grpc.StatusCode.INVALID_ARGUMENT
INTERNAL = grpc.StatusCode.INTERNAL
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED


def deeper(depth: int = 0) -> int:
    return deeper(depth + 1) + 1


def exits() -> None:
    sys.exit(7)


def raising(error: BaseException) -> Callable[..., Any]:
    def work(*_: object) -> Any:
        raise error

    return work


# What it does, the code, and what the caller is told after "function `fn.f` ".
ACTS: dict[str, tuple[Callable[..., Any], grpc.StatusCode, str]] = {
    "value": (raising(ValueError("x must be positive")), INVALID, "raised ValueError: x must be"),
    "type": (raising(TypeError("a text")), INVALID, "raised TypeError: a text"),
    "key": (raising(KeyError("k")), INTERNAL, "raised KeyError: 'k'"),
    "exit": (lambda *_: exits(), INTERNAL, "raised SystemExit: 7"),
    "deep": (lambda *_: deeper(), INTERNAL, "raised RecursionError: maximum recursion"),
    "memory": (raising(MemoryError("no more")), EXHAUSTED, "raised MemoryError: no more"),
    "file": (
        raising(FileNotFoundError(2, "No such file", "/srv/secret")),
        INTERNAL,
        "raised FileNotFoundError: No such file",
    ),
}
RESULTS: dict[str, tuple[Callable[[pa.RecordBatch], Any], str]] = {
    "nothing": (lambda _: None, "gave NoneType where int64 is declared"),
    "list": (lambda _: [1], "gave list where int64 is declared"),
    "narrow": (lambda _: pa.array([1], pa.int32()), "gave int32 where int64 is declared"),
    "text": (lambda _: pa.array(["x"]), "gave string where int64 is declared"),
    "short": (lambda _: pa.array([], INT), "gave 0 values for 1 rows"),
    "long": (lambda _: pa.array([1, 2], INT), "gave 2 values for 1 rows"),
    "null": (lambda _: pa.array([None], INT), "gave NULL in `result`, which is declared NOT NULL"),
}
BATCHES: dict[str, tuple[Any, str]] = {
    "table": (pa.table({"a": [1], "b": ["x"]}), "gave Table instead of a batch"),
    "names": (
        pa.record_batch({"b": ["x"], "a": [1]}),
        "gave the columns b, a where a, b are declared",
    ),
    "types": (
        pa.record_batch({"a": pa.array([1], pa.int32()), "b": ["x"]}),
        "gave int32 in `a`, which is declared int64",
    ),
    "fewer": (pa.record_batch({"a": [1]}), "gave the columns a where a, b are declared"),
    "none": (None, "gave NoneType instead of a batch"),
}


def damaged_text() -> pa.RecordBatch:
    """Text that is no UTF-8."""
    offsets = pa.py_buffer((0).to_bytes(4, "little") + (1).to_bytes(4, "little"))
    text: Any = pa.Array.from_buffers(TEXT, 1, [None, offsets, pa.py_buffer(b"\xff")])
    return pa.RecordBatch.from_arrays([pa.array([1]), text], schema=PAIRS)


def still_serves(guest: Guest) -> None:
    assert guest.values("fn.add_one", pa.record_batch({"x": [1]})) == [2]


@pytest.mark.parametrize("act", ACTS)
def test_whatever_a_function_raises_is_told_and_ends_nothing_else(
    act: str, caplog: pytest.LogCaptureFixture
) -> None:
    work, code, told = ACTS[act]

    def later(_: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        yield numbers(1)
        work()

    def batches() -> Iterator[pa.RecordBatch]:
        yield numbers(1)
        work()

    functions = (
        ADD_ONE,
        Scalar("scalar", work, X),
        Table("bind", work, returns=SERIES),
        Table("open", lambda _: Rows(SERIES, work), returns=SERIES),
        Table("stream", lambda _: Rows(SERIES, batches), returns=SERIES),
        InOut("start", work),
        InOut("process", lambda _, rows: Call(rows, work)),
        InOut("midway", lambda _, rows: Call(rows, later)),
        InOut("finish", lambda _, rows: Call(rows, lambda batch: iter([batch]), work)),
    )
    with visiting(hosting(*functions)) as guest, caplog.at_level(logging.WARNING):
        entries = {name: entry.descriptor for name, (entry,) in guest.entries().items()}
        failures = {
            "scalar": guest.refused("scalar_function", entries["fn.scalar"], xs(1)),
            "bind": guest.refused_action(
                "table_function_flight_info", bind_body(entries["fn.bind"], row())
            ),
        }
        for name in ("open", "stream"):
            (ticket,) = guest.endpoints(entries[f"fn.{name}"], row())
            failures[name] = guest.raw.failure("DoGet", Ticket(ticket).encode(), guest.headers)
        for name in ("start", "process", "midway", "finish"):
            failures[name] = guest.refused(
                "table_function_in_out",
                entries[f"fn.{name}"],
                numbers(1),
                opening=opening_of(row()),
            )
        for name, failure in failures.items():
            assert failure.code is code, name
            assert failure.text.startswith(f"function `fn.{name}` {told}"), name
            assert "Traceback" not in failure.text
            assert "/srv" not in failure.text
            assert failure.trailers["x-arrow-status"] != "5"  # which DuckDB repeats for 3 seconds
        still_serves(guest)
    raised = [record for record in caplog.records if record.message == "foreign.raised"]
    assert len(raised) == len(failures)
    assert all(record.exc_info for record in raised)


def test_an_iteration_that_somebody_stopped_is_no_end_of_rows() -> None:
    """Inside a generator Python itself makes another error of it."""
    functions = (
        Scalar("f", raising(StopIteration("no")), X),
        InOut("g", lambda _, rows: Call(rows, raising(StopIteration("no")))),
    )
    with visiting(hosting(*functions)) as guest:
        scalar = guest.refused("scalar_function", guest.entry("fn.f").descriptor, xs(1))
        descriptor = guest.entry("fn.g").descriptor
        opening = opening_of(row())
        passed = guest.refused("table_function_in_out", descriptor, numbers(1), opening=opening)
    assert (scalar.code, passed.code) == (INTERNAL, INTERNAL)
    assert "raised StopIteration: no" in scalar.text
    assert "raised StopIteration: no" in passed.text


def xs(*values: int) -> pa.RecordBatch:
    return pa.record_batch({"x": pa.array(values, INT)})


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_that_was_not_declared_never_reaches_the_wire(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    work, told = RESULTS[name]
    strict = pa.field("result", INT, nullable=False)
    with (
        visiting(hosting(ADD_ONE, Scalar("f", work, X, strict, takes_nulls=True))) as guest,
        caplog.at_level(logging.WARNING),
    ):
        failure = guest.refused("scalar_function", guest.entry("fn.f").descriptor, xs(1))
        assert failure.code is INTERNAL
        assert failure.text.startswith(f"function `fn.f` {told}")
        still_serves(guest)
    assert "function.undeclared" in caplog.text


@pytest.mark.parametrize("name", [*BATCHES, "damaged"])
def test_rows_that_were_not_declared_never_reach_the_wire(name: str) -> None:
    given, told = BATCHES.get(name) or (damaged_text(), "gave a damaged column `b`")
    functions = (
        ADD_ONE,
        Table("f", lambda _: Rows(PAIRS, lambda: iter([given]), narrow=False), returns=PAIRS),
        InOut("g", lambda *_: Call(PAIRS, lambda _: iter([given]))),
    )
    with visiting(hosting(*functions)) as guest:
        (ticket,) = guest.endpoints(guest.entry("fn.f").descriptor, row())
        read = guest.raw.failure("DoGet", Ticket(ticket).encode(), guest.headers)
        passed = guest.refused(
            "table_function_in_out",
            guest.entry("fn.g").descriptor,
            numbers(1),
            opening=opening_of(row()),
        )
        for failure, function in ((read, "f"), (passed, "g")):
            assert failure.code is INTERNAL
            assert failure.text.startswith(f"function `fn.{function}` {told}")
        still_serves(guest)


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (pa.schema([]), "it has no columns"),
        (pa.schema([("a", INT), ("A", INT)]), "it has two columns `a`"),
        (pa.schema([("", INT)]), "a column has no name"),
        ("nothing", "its columns are no Arrow schema"),
        (SERIES, "which are not those that it declares"),
    ],
)
def test_columns_that_nobody_could_read_are_refused_before_a_client_hears_of_them(
    schema: Any, told: str
) -> None:
    returns = PAIRS if schema is SERIES else None
    table = Table("f", lambda _: Rows(schema, lambda: iter([])), returns=returns)
    with visiting(hosting(ADD_ONE, table)) as guest:
        body = bind_body(guest.entry("fn.f").descriptor, row())
        failure = guest.refused_action("table_function_flight_info", body)
        assert failure.code is INTERNAL
        assert told in failure.text
        still_serves(guest)


def test_a_huge_result_is_refused_with_the_limit_that_it_broke() -> None:
    text = Scalar("f", lambda _: pa.array(["x" * 70_000_000]), X, TEXT)
    with visiting(hosting(ADD_ONE, text)) as guest:
        failure = guest.refused("scalar_function", guest.entry("fn.f").descriptor, xs(1))
        assert failure.code is EXHAUSTED
        still_serves(guest)


# -- malformed declarations ----------------------------------------------------------------------


class Unnamed:
    @property
    def signature(self) -> Any:
        raise RuntimeError("no name today")


MALFORMED: dict[str, Any] = {
    "nothing at all": object(),
    "raises": Unnamed(),
    "a property that raises": type(
        "Bad", (Scalar,), {"takes_nulls": property(raising(KeyError()))}
    ),
    "no name": Scalar("", ADD_ONE.work, X),
    "a named scalar parameter": Scalar("f", ADD_ONE.work, (parameter("x", INT, named=True),)),
    "two of a name": Scalar("f", ADD_ONE.work, (parameter("x", INT), parameter("X", INT))),
    "no type": Scalar("f", ADD_ONE.work, X, returns="int"),  # type: ignore[arg-type]
    "no stability": Scalar("f", ADD_ONE.work, X, stability="sometimes"),  # type: ignore[arg-type]
    "no rows taken": InOut("f", raising(ValueError()), X),
    "named and rows": InOut(
        "f",
        raising(ValueError()),
        (*InOut("g", raising(KeyError())).parameters, parameter("x", INT, named=True)),
    ),
    "rows not taken": Table("f", raising(ValueError()), InOut("g", raising(KeyError())).parameters),
    "no columns": Table("f", raising(ValueError()), returns=pa.schema([])),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_function_is_left_out_and_its_namespace_stays(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    function = MALFORMED[name]
    with visiting(hosting(function, ADD_ONE)) as guest, caplog.at_level(logging.WARNING):
        assert set(guest.entries()) == {"fn.add_one"}
        still_serves(guest)
    assert "function" in caplog.text


def test_of_two_that_nobody_could_tell_apart_the_first_is_served() -> None:
    other = Scalar("ADD_ONE", lambda batch: batch.column(0), X)
    with visiting(hosting(ADD_ONE, other)) as guest:
        assert set(guest.entries()) == {"fn.add_one"}
        still_serves(guest)


def test_a_namespace_that_cannot_tell_its_functions_keeps_its_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lake = hosting(ADD_ONE)
    monkeypatch.setattr(type(lake.namespace("fn")), "functions", raising(RuntimeError("no")))
    with visiting(lake) as guest:
        assert guest.entries() == {}

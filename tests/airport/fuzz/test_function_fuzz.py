"""Damaged calls of functions: no crash, no hang, no internal error of ours, and memory stays flat."""

from __future__ import annotations

import base64
import logging
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import grpc
import pyarrow as pa
import pytest

from lakeport.airport.service import AirportService
from lakeport.flight.framing import FrameEncoder
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.protobuf import put_bytes, put_message
from lakeport.flight.server import FlightServer
from tests.airport.airport_server import People
from tests.airport.functions.guest import ATTACHED, Guest, opening_of, row
from tests.airport.functions.made import (
    COUNT,
    RECORDED,
    SERIES,
    Rows,
    Table,
    hosting,
    numbers,
)
from tests.airport.fuzz.mutations import damage, damaged
from tests.airport.traces.recorded import Request
from tests.airport.traces.test_recorded_calling import STATEMENTS
from tests.flight.raw import RawClient, failure_of

OK, INVALID = grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT
EXPECTED = {
    OK,
    INVALID,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.FAILED_PRECONDITION,  # another overload
    grpc.StatusCode.ABORTED,  # a ticket of other columns
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}


def _gen(given: dict[str, Any]) -> Rows:
    """However many are asked for: a damaged number must not fill the machine."""
    return Rows(SERIES, lambda: iter([numbers(*range(min(100, abs(given["count"]))))]))


FUNCTIONS = (
    *(each for each in RECORDED if each.signature.name not in {"gen", "wide"}),
    Table("gen", _gen, COUNT, SERIES),
)
REQUESTS = tuple(
    Request(
        statement.id,
        call["action"],
        tuple((name, value) for name, value in ATTACHED if name != "airport-catalog"),
        base64.b64decode(call["body"]),
    )
    for statement in STATEMENTS.values()
    for call in statement.calls
    if "body" in call and call["path"][-1] != "wide"
)


@pytest.fixture(scope="module")
def guest() -> Iterator[Guest]:
    with (
        FlightServer(AirportService([hosting(*FUNCTIONS)], People())) as server,
        RawClient(server.address.removeprefix("grpc://")) as raw,
    ):
        yield Guest(raw)


def exchanges(count: int, seed: int) -> Iterator[tuple[str, list[bytes]]]:
    """Streams of messages, one of which is damaged, left out, or sent twice."""
    dice = random.Random(seed)  # noqa: S311 # no secret: the same every time
    whole = {
        "scalar_function": _stream(("fn", "add_one"), pa.record_batch({"x": [1, None, 3]})),
        "table_function_in_out": _stream(
            ("fn", "scaled"), numbers(1, 2), opening_of(row(factor=3))
        ),
        "table_function": _stream(("fn", "echo"), pa.record_batch({"t": ["a", None]}), b"\x80"),
    }
    for _ in range(count):
        operation = dice.choice(list(whole))
        messages = list(whole[operation])
        place = dice.randrange(len(messages))
        match dice.randrange(4):
            case 0:
                del messages[place]
            case 1:
                messages.insert(place, messages[place])
            case _:
                messages[place] = damage(dice, messages[place])
        yield operation, messages


def _stream(path: tuple[str, ...], batch: pa.RecordBatch, opening: bytes = b"") -> list[bytes]:
    encoder = FrameEncoder(batch.schema, most_bytes=1 << 20, cut=False)
    first = put_message(1, FlightDescriptor(path=path).encode())
    before = [put_bytes(3, opening)] if opening else []
    return [first, *before, encoder.schema(), *encoder.batch(batch), *encoder.batch(batch)]


def exchange(guest: Guest, operation: str, messages: Sequence[bytes]) -> tuple[Any, str]:
    headers = (*guest.headers, ("airport-operation", operation), ("return-chunks", "1"))
    try:
        for _ in guest.raw.start("DoExchange", messages, headers):
            pass
    except grpc.RpcError as error:
        failure = failure_of(error)
        return failure.code, failure.text
    return OK, ""


def attack(guest: Guest, count: int, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    seen: Counter[grpc.StatusCode] = Counter()
    (ticket,) = guest.endpoints(guest.entry("fn.no_args").descriptor, row())
    tickets = (ticket, b'{"function_name": "gen", "parameters": {"count": 3, "step": 1}}')
    for each in damaged(REQUESTS, tickets, count, seed):
        try:
            guest.raw.ask(each.method, each.message, each.headers)
            code, text = OK, ""
        except grpc.RpcError as error:
            code, text = failure_of(error).code, failure_of(error).text
        assert code in EXPECTED or text.startswith("function `"), (each, text)
        seen[code] += 1
    for operation, messages in exchanges(count, seed):
        code, text = exchange(guest, operation, messages)
        assert code in EXPECTED or text.startswith("function `"), (operation, messages, text)
        seen[code] += 1
    assert not [each for each in caplog.records if each.getMessage() == "call.failed"]
    assert seen[INVALID] > count // 5
    assert seen[OK] > count // 10
    assert guest.values("fn.add_one", pa.record_batch({"x": [1]})) == [2]


def test_damaged_calls_of_functions_do_no_harm(
    guest: Guest, caplog: pytest.LogCaptureFixture
) -> None:
    before = pa.total_allocated_bytes()
    attack(guest, 300, 0, caplog)
    assert pa.total_allocated_bytes() - before < 1_000_000


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 102))
def test_many_damaged_calls_of_functions_do_no_harm(
    guest: Guest, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    before = pa.total_allocated_bytes()
    attack(guest, 2_000, seed, caplog)
    assert pa.total_allocated_bytes() - before < 1_000_000

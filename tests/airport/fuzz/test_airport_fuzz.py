"""Damaged requests: no crash, no hang, no internal error, and memory stays flat."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

from lakeport.flight.messages import FlightDescriptor, FlightEndpoint
from tests.airport.access.access_server import Caller
from tests.airport.airport_server import Client, serving
from tests.airport.fuzz.mutations import Damaged, damaged
from tests.airport.traces.recorded import Request, iceberg, memory, recorded_runs

# What a damaged request may be answered with. Any other would be a hole, INTERNAL one of ours.
EXPECTED = {
    grpc.StatusCode.OK,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.ABORTED,  # a ticket of another table of that name
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}


@dataclass(frozen=True)
class Target:
    client: Client
    caller: Caller
    requests: tuple[Request, ...]
    tickets: tuple[bytes, ...]

    def send(self, each: Damaged) -> grpc.StatusCode:
        return self.caller.having(*each.headers).call(each.method, each.message).code

    def is_well(self) -> bool:
        return self.client.rows(self.client.info("s1", "t")).num_rows == 3


@pytest.fixture(params=[memory, iceberg])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Target]:
    run = recorded_runs()["scan"]
    with ExitStack() as stack:
        lakes = run.build(lambda name: stack.enter_context(request.param(name, tmp_path)))
        client = stack.enter_context(serving(lakes))
        body = {"descriptor": FlightDescriptor(path=("s1", "t")).encode(), "parameters": {}}
        endpoints = msgpack.unpackb(client.action("endpoints", msgpack.packb(body)))
        tickets = [FlightEndpoint.decode(each).ticket for each in endpoints]
        tickets += [b'{"schema_name": "s1", "table_name": "t", "limit": 2, "ts": 5}']
        yield Target(client, Caller(client.channel), run.requests, tuple(tickets))


def attack(target: Target, count: int, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    seen: Counter[grpc.StatusCode] = Counter()
    for each in damaged(target.requests, target.tickets, count, seed):
        code = target.send(each)
        assert code in EXPECTED, each
        seen[code] += 1
    assert not [each for each in caplog.records if each.getMessage() == "call.failed"]
    assert seen[grpc.StatusCode.INVALID_ARGUMENT] > count // 10
    assert seen[grpc.StatusCode.OK] > count // 100
    assert target.is_well()


@pytest.mark.parametrize("seed", range(2))
def test_damaged_requests_do_no_harm(
    target: Target, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    before = pa.total_allocated_bytes()
    attack(target, 500, seed, caplog)
    assert pa.total_allocated_bytes() - before < 1_000_000


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 105))
def test_many_damaged_requests_do_no_harm(
    target: Target, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    before = pa.total_allocated_bytes()
    attack(target, 2_000, seed, caplog)
    assert pa.total_allocated_bytes() - before < 1_000_000

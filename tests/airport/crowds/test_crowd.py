"""As many UPDATEs and DELETEs at once as a server takes, each with its own scan inside, and one more.

The exchange is open while the scan runs (chapter 5.1): if one waited for another's place, all would wait.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import grpc
import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.airport.service import AirportService
from lakeport.flight.framing import FrameEncoder
from lakeport.flight.ipc import Kind
from lakeport.flight.limits import Limits
from lakeport.flight.options import Options
from lakeport.flight.protobuf import put_message
from lakeport.flight.server import FlightServer
from tests.airport.exchange.talk import ATTACHED, Talk, Writer, batch_of, descriptor_of
from tests.airport.programs.wire_lake import SERVED
from tests.airport.programs.wire_table import PATIENCE
from tests.airport.scans.duck import Door, Duck
from tests.behaviours.implementations import Clock
from tests.behaviours.lake import Lake, Subject, schema_of
from tests.flight.raw import RawClient

LIMITS = Limits()
PATH = descriptor_of("shop", "log")
ROWS = schema_of(k=pa.int64(), text=pa.string())
SENT = {
    "update": schema_of(text=pa.string(), rowid=pa.int64()),
    "delete": schema_of(rowid=pa.int64()),
}


@pytest.fixture(params=sorted(SERVED))
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Lake, Subject]]:
    implementation, clock = SERVED[str(request.param)], Clock()
    lake = Lake(implementation, implementation.make(clock, tmp_path), clock)
    table = lake.create(ROWS, name="log")
    table.insert([{"k": k, "text": "old"} for k in range(LIMITS.most_exchanges)])
    yield lake, table
    implementation.close(lake.catalog)


def opened(raw: RawClient, operation: str) -> Talk:
    talk = Writer(raw).open(operation, returning=True, timeout=PATIENCE)
    talk.name(PATH)
    talk.declare(SENT[operation])
    assert talk.hear() == Kind.SCHEMA
    return talk


def operation_of(number: int) -> str:
    return "delete" if number % 2 else "update"


def feed(address: str, number: int, talk: Talk) -> int:
    """What DuckDB does next: scan, send the rows that match, half-close."""
    with fl.connect(address) as flight:
        found = Duck(flight).begin().scan(PATH).to_pylist()
    (mine,) = (row["rowid"] for row in found if row["k"] == number)
    operation = operation_of(number)
    values = (mine,) if operation == "delete" else (f"by {number}", mine)
    talk.send(batch_of(SENT[operation], values))
    talk.hear_batch()
    talk.half_close()
    assert talk.hear() is None
    talk.hear_end()  # its place is free once it has ended, not before
    return talk.answer().changed


def refusals(raw: RawClient) -> Iterator[grpc.StatusCode]:
    for operation, schema in {**SENT, "insert": ROWS}.items():
        yield Writer(raw).refused(operation, PATH, [], schema=schema).code
    schema_message = FrameEncoder(ROWS, most_bytes=1 << 20, cut=False).schema()
    put = [put_message(1, PATH.encode()) + schema_message]
    yield raw.failure("DoPut", put, ATTACHED).code


def test_all_places_are_taken_and_nobody_waits_for_another(log: tuple[Lake, Subject]) -> None:
    lake, table = log
    most = LIMITS.most_exchanges
    changed: dict[int, int] = {}
    with (
        FlightServer(AirportService([lake.catalog], Door()), Options(limits=LIMITS)) as server,
        RawClient(server.address.removeprefix("grpc://")) as raw,
    ):
        talks = [opened(raw, operation_of(number)) for number in range(most)]
        assert set(refusals(raw)) == {grpc.StatusCode.RESOURCE_EXHAUSTED}

        def work(number: int) -> None:
            changed[number] = feed(server.address, number, talks[number])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(most)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert changed == dict.fromkeys(range(most), 1)
        updated = range(0, most, 2)
        assert table.rows() == sorted(((k, f"by {k}") for k in updated), key=repr)
        opened(raw, "update").half_close()  # there is room again

"""`--server` as a process of its own: rows at once, Ctrl-C, a reader that left, a quiet stderr."""

# ruff: noqa: ARG002  a service gets more than it needs

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.flight.call import Call
from lakeport.flight.server import FlightServer
from lakeport.flight.service import Chunk, FlightService, Outgoing
from tests.cli.served import PROGRAM, environment

BATCH = pa.record_batch({"id": pa.array(range(50_000), pa.int64())})


class Slow(FlightService):
    """Gives a batch, and the others when it may."""

    def __init__(self) -> None:
        self.more = threading.Event()
        self.closed = threading.Event()

    def do_get(self, call: Call, ticket: bytes) -> Outgoing:
        return Outgoing(BATCH.schema, self._batches(), self.closed.set)

    def _batches(self) -> Iterator[Chunk]:
        yield Chunk(BATCH.slice(0, 1))
        self.more.wait(60)
        while not self.closed.is_set():
            yield Chunk(BATCH)


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def reading(slow: Slow, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    with FlightServer(slow) as server:
        process = subprocess.Popen(
            [PROGRAM, "read", "a.b", "--format", "csv", "--server", server.address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=environment(tmp_path),
        )
        with process:
            try:
                assert process.stdout is not None
                # The server has not even made the second batch when these are here.
                assert [process.stdout.readline() for _ in "12"] == [b"id\n", b"0\n"]
                yield process
            finally:
                slow.more.set()
                process.kill()


def test_an_interrupted_read_ends_on_both_sides(
    slow: Slow, reading: subprocess.Popen[bytes]
) -> None:
    reading.send_signal(signal.SIGINT)
    assert reading.wait(60) == 130
    assert slow.closed.wait(60)
    assert reading.stderr is not None
    assert reading.stderr.read() == b""


def test_a_reader_that_left_ends_the_stream(slow: Slow, reading: subprocess.Popen[bytes]) -> None:
    assert reading.stdout is not None
    reading.stdout.close()
    slow.more.set()
    assert reading.wait(60) == 0
    assert slow.closed.wait(60)


def test_libraries_say_nothing_of_their_own(slow: Slow, tmp_path: Path) -> None:
    with FlightServer(slow) as server:
        done = subprocess.run(
            [PROGRAM, "tables", "--server", server.address.replace("grpc:", "grpc+tls:")],
            capture_output=True,
            check=False,
            cwd=tmp_path,
            env=environment(tmp_path),
        )
    assert (done.returncode, done.stdout) == (3, b"")
    assert [line.split(b":")[0] for line in done.stderr.splitlines()] == [b"error", b"hint"]

# ruff: noqa: ARG002  a service gets more than it needs

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.core.errors import LakeportError
from lakeport.core.status import GrpcCode
from lakeport.flight.call import Call, Method
from lakeport.flight.messages import Action, encode_result
from lakeport.flight.server import FlightServer
from lakeport.flight.service import Chunk, FlightService, Incoming, Outgoing
from tests.flight.conftest import Serve
from tests.flight.raw import RawClient, failure_of
from tests.flight.services import SCHEMA, Complete, Endless, Gauge, Held, Log

Raw = Callable[[FlightServer], RawClient]
Flight = Callable[[FlightServer], Any]  # pyarrow's stubs know another version

HOLD = Action("hold").encode()
WIDE = pa.record_batch({"id": range(100_000)})  # 0.8 MB
KILLED = """
import sys, os, signal
import pyarrow as pa, pyarrow.flight as fl
client = fl.connect(sys.argv[1])
if sys.argv[2] == "read":
    client.do_get(fl.Ticket(b"")).read_chunk()
else:
    writer, reader = client.do_exchange(fl.FlightDescriptor.for_path("t"))
    batch = pa.record_batch({"id": [1]})
    writer.begin(batch.schema)
    writer.write_batch(batch)
    reader.read_chunk()
os.kill(os.getpid(), signal.SIGKILL)
"""


class Writing(FlightService):
    """Commits what it was sent, once the stream ended well."""

    def __init__(self) -> None:
        self.committed: list[int] = []
        self.failed: list[BaseException] = []
        self.over = threading.Event()

    def do_exchange(self, call: Call, incoming: Incoming) -> Outgoing:
        call.on_end(self.over.set)
        return Outgoing(incoming.schema, self._rows(incoming))

    def _rows(self, incoming: Incoming) -> Iterator[Chunk]:
        staged = []
        try:
            for chunk in incoming:
                if chunk.batch is not None:
                    staged.append(chunk.batch.num_rows)
                    yield chunk
        except LakeportError as error:
            self.failed.append(error)
            raise
        self.committed += staged


def test_a_cancelled_scan_is_closed(serve: Serve, raw: Raw) -> None:
    gauge, log = Gauge(WIDE), Log()
    call = raw(serve(Endless(gauge), watchers=[log])).start("DoGet")
    next(call)
    assert gauge.started.wait(60)
    call.cancel()
    assert gauge.closed.wait(60)
    assert gauge.finished.wait(60)
    assert log.ends.acquire(timeout=60)
    assert log.calls[0].code is GrpcCode.CANCELLED


def test_the_scan_of_a_killed_client_is_closed(serve: Serve) -> None:
    gauge = Gauge(WIDE)
    server = serve(Endless(gauge))
    subprocess.run([sys.executable, "-c", KILLED, server.address, "read"], check=False)
    assert gauge.closed.wait(60)
    assert gauge.finished.wait(60)


def test_a_killed_client_commits_nothing(serve: Serve) -> None:
    service = Writing()
    server = serve(service)
    subprocess.run([sys.executable, "-c", KILLED, server.address, "write"], check=False)
    assert service.over.wait(60)
    server.stop(5)
    assert service.committed == []


def test_a_client_that_cancels_commits_nothing(serve: Serve, flight: Flight) -> None:
    service = Writing()
    writer, reader = flight(serve(service)).do_exchange(fl.FlightDescriptor.for_path("t"))
    batch = pa.record_batch({"id": [1]})
    writer.begin(batch.schema)
    writer.write_batch(batch)
    assert reader.read_chunk().data == batch
    reader.cancel()
    assert service.over.wait(60)
    assert service.committed == []


def test_a_client_that_does_not_read_stops_the_source(serve: Serve, raw: Raw) -> None:
    """Back-pressure: what was made ahead fits into the network's windows and a few messages."""
    gauge = Gauge(WIDE)
    call = raw(serve(Endless(gauge))).start("DoGet")
    next(call)
    seen = -1
    while gauge.given != seen:  # until the source has come to rest
        seen = gauge.given
        threading.Event().wait(0.3)
    assert seen < 100
    call.cancel()
    assert gauge.finished.wait(60)


def test_a_source_that_blocks_is_woken_by_its_close(serve: Serve, raw: Raw) -> None:
    blocks, wake, left = threading.Event(), threading.Event(), threading.Event()

    class Blocking(FlightService):
        def do_get(self, call: Call, ticket: bytes) -> Outgoing:
            return Outgoing(SCHEMA, self.rows(), wake.set)

        def rows(self) -> Iterator[Chunk]:
            try:
                blocks.set()
                wake.wait(60)
                yield from ()
            finally:
                left.set()

    call = raw(serve(Blocking())).start("DoGet")
    next(call)  # the schema is sent before the first row is asked for
    assert blocks.wait(60)
    call.cancel()
    assert left.wait(60)


def test_a_stopping_server_lets_running_calls_finish_and_refuses_new_ones(
    serve: Serve, raw: Raw
) -> None:
    service = Held()
    server = serve(service)
    client = raw(server)
    call = client.start("DoAction", Action("hold", b"done").encode())
    assert service.inside.acquire(timeout=60)
    stopping = threading.Thread(target=server.stop, args=(30,))
    stopping.start()

    def is_refused() -> bool:
        try:
            client.ask("DoAction", Action("quick").encode())
        except grpc.RpcError as error:
            return failure_of(error).code is grpc.StatusCode.UNAVAILABLE
        return False

    while not is_refused():  # before it has begun to stop it answers
        pass
    service.release.set()
    assert list(call) == [encode_result(b"done")]
    stopping.join(60)
    assert not stopping.is_alive()


def test_a_stalled_stream_does_not_hold_up_the_end(serve: Serve, raw: Raw) -> None:
    gauge = Gauge(WIDE)
    server = serve(Endless(gauge))
    call = raw(server).start("DoGet")
    next(call)
    begin = time.monotonic()
    server.stop(0.5)
    assert time.monotonic() - begin < 10
    assert gauge.closed.wait(60)


def test_a_process_ends_although_a_call_is_stuck() -> None:
    program = """
import threading
from lakeport.flight.server import FlightServer
from tests.flight.raw import RawClient
from tests.flight.services import Held
from lakeport.flight.messages import Action
service = Held()
server = FlightServer(service).start()
client = RawClient(f"127.0.0.1:{server.port}")
call = client.start("DoAction", Action("hold").encode())
service.inside.acquire()
server.stop(0.2)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, timeout=100)
    assert done.returncode == 0


def test_no_thread_works_for_a_client_once_the_server_has_stopped(serve: Serve, raw: Raw) -> None:
    """Python that ends around such a thread may abort."""
    before = set(threading.enumerate())
    server = serve(Endless(Gauge(WIDE)))
    calls = [raw(server).start("DoGet") for _ in range(4)]
    for call in calls:
        next(call)
    assert any(thread.name.startswith("flight-") for thread in set(threading.enumerate()) - before)
    server.stop(0)
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert not [name for name in left if name.startswith("flight-")]


def test_a_call_that_is_stuck_is_left_behind_and_logged(
    serve: Serve, raw: Raw, caplog: pytest.LogCaptureFixture
) -> None:
    service = Held()
    server = serve(service)
    call = raw(server).start("DoAction", HOLD)
    assert service.inside.acquire(timeout=60)
    server.stop(0)
    assert [record.message for record in caplog.records] == ["server.calls_left_behind"]
    service.release.set()
    assert call.code() is grpc.StatusCode.UNAVAILABLE


def test_stopping_twice_is_harmless(serve: Serve) -> None:
    server = serve(Complete())
    server.stop(0)
    server.stop(0)


def test_many_clients_read_at_once(serve: Serve) -> None:
    server = serve(Complete())
    tables: list[pa.Table] = []

    def read() -> None:
        with fl.connect(server.address) as client:
            tables.append(client.do_get(fl.Ticket(b"")).read_all())

    threads = [threading.Thread(target=read) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [table.num_rows for table in tables] == [3] * 16


def test_a_scan_never_sends_a_message_without_rows(serve: Serve, raw: Raw) -> None:
    class Wrong(FlightService):
        def do_get(self, call: Call, ticket: bytes) -> Outgoing:
            return Outgoing(SCHEMA, [Chunk(None, b"the client would stop reading here")])

    failure = raw(serve(Wrong())).failure(Method.DO_GET)
    assert failure.code is grpc.StatusCode.INTERNAL

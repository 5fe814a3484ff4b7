from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pyarrow as pa
import pyarrow.flight as fl

from lakeport.core.errors import UnauthenticatedError
from lakeport.flight.call import Call, Method
from lakeport.flight.framing import FrameEncoder
from lakeport.flight.limits import MEBI, Limits
from lakeport.flight.messages import Action
from lakeport.flight.options import Options
from lakeport.flight.protobuf import put_message
from lakeport.flight.server import FlightServer
from tests.flight.conftest import Serve
from tests.flight.raw import Failure, RawClient, failure_of
from tests.flight.services import SCHEMA, Complete, Endless, Gauge, Held

Raw = Callable[[FlightServer], RawClient]
Flight = Callable[[FlightServer], Any]  # pyarrow's stubs know another version

HOLD = Action("hold").encode()
OPENING = put_message(1, b"") + FrameEncoder(SCHEMA, most_bytes=MEBI, cut=False).schema()


def within(**limits: float | None) -> Options:
    return Options(limits=Limits(**limits))  # type: ignore[arg-type]


def open_exchange(client: RawClient) -> Iterator[bytes]:
    """The answers of an exchange that stays open: its second message never comes."""
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    messages.put(OPENING)
    call: Iterator[bytes] = client.start("DoExchange", iter(messages.get, None))
    return call


def ended(call: Iterator[bytes]) -> Failure:
    try:
        for _ in call:
            pass
    except grpc.RpcError as error:
        return failure_of(error)
    raise AssertionError("the call did not fail")


def test_one_call_more_than_allowed_is_refused_at_once(serve: Serve, raw: Raw) -> None:
    service = Held()
    client = raw(serve(service, within(calls=3)))
    held = [client.start("DoAction", HOLD) for _ in range(3)]
    for _ in held:
        assert service.inside.acquire(timeout=60)
    refused = client.failure("DoAction", Action("quick").encode())
    assert refused.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "busy with 3 calls" in refused.text
    service.release.set()
    for call in held:
        list(call)
    assert client.ask("DoAction", Action("quick").encode()) == [b""]


def test_who_may_not_call_is_not_told_how_busy_the_server_is(serve: Serve, raw: Raw) -> None:
    class Guarded(Held):
        def authenticate(self, call: Call) -> None:
            if call.header("authorization") is None:
                raise UnauthenticatedError("a token is needed")

    service = Guarded()
    server = serve(service, within(calls=1))
    client = raw(server)
    held = client.start("DoAction", HOLD, [("authorization", "Bearer x")])
    assert service.inside.acquire(timeout=60)
    assert client.failure("DoAction", HOLD).code is grpc.StatusCode.UNAUTHENTICATED
    refused = client.failure("DoAction", HOLD, [("authorization", "Bearer x")])
    assert refused.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    service.release.set()
    list(held)


def test_exchanges_leave_room_for_the_scans_that_feed_them(serve: Serve, raw: Raw) -> None:
    service = Held()
    client = raw(serve(service, within(calls=4)))
    running = [open_exchange(client) for _ in range(2)]
    for call in running:
        next(call)  # the schema: the exchange is open
    refused = client.failure("DoExchange", OPENING)
    assert refused.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "busy with 2 exchanges" in refused.text
    assert client.ask("DoAction", Action("scan").encode()) == [b""]
    for call in running:
        call.cancel()  # type: ignore[attr-defined]


def test_the_number_of_exchanges_can_be_set_but_never_fills_the_house() -> None:
    assert Limits(calls=64).most_exchanges == 32
    assert Limits(calls=64, exchanges=5).most_exchanges == 5
    assert Limits(calls=4, exchanges=100).most_exchanges == 3


def test_messages_of_sixteen_megabytes_pass_both_ways(serve: Serve, flight: Flight) -> None:
    batch = pa.record_batch({"blob": [b"x" * (16 * MEBI)]})
    writer, reader = flight(serve(Complete())).do_exchange(fl.FlightDescriptor.for_path("a"))
    with writer:
        writer.begin(batch.schema)
        writer.write_batch(batch)
        assert reader.read_chunk().data == batch
        writer.done_writing()


def test_a_message_larger_than_allowed_is_refused(serve: Serve, raw: Raw) -> None:
    client = raw(serve(Complete(), within(message_bytes=MEBI)))
    failure = client.failure("DoPut", [OPENING, bytes(MEBI + 1)])
    assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "1,048,577 bytes, more than the 1,048,576 allowed" in failure.text
    assert "`server.limits.message_bytes`" in failure.text


def test_a_message_beyond_all_measure_is_not_even_taken_in(serve: Serve, raw: Raw) -> None:
    client = raw(serve(Complete(), within(message_bytes=MEBI)))
    failure = client.failure("DoPut", [OPENING, bytes(3 * MEBI)])
    assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_a_row_larger_than_a_message_is_refused(serve: Serve, raw: Raw) -> None:
    gauge = Gauge(pa.record_batch({"blob": [b"x" * (2 * MEBI)]}))
    failure = raw(serve(Endless(gauge), within(message_bytes=MEBI))).failure("DoGet")
    assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert gauge.closed.wait(60)


def test_a_request_larger_than_allowed_is_refused(serve: Serve, raw: Raw) -> None:
    client = raw(serve(Complete(), within(action_bytes=1_000)))
    large = bytes(1_001)
    for method in (Method.DO_ACTION, Method.DO_GET, Method.GET_FLIGHT_INFO, Method.LIST_FLIGHTS):
        failure = client.failure(method, large)
        assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "1,001 bytes, more than the 1,000 allowed" in failure.text


def test_a_call_that_takes_too_long_is_ended(serve: Serve, raw: Raw) -> None:
    service = Held()
    failure = raw(serve(service, within(call_seconds=0.1))).failure("DoAction", HOLD)
    assert failure.code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert failure.text.startswith("the call took longer than it may")
    service.release.set()


def test_a_client_that_sends_nothing_is_ended(serve: Serve, raw: Raw) -> None:
    client = raw(serve(Held(), within(idle_seconds=0.1)))
    failure = ended(open_exchange(client))
    assert failure.code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert "neither read nor sent" in failure.text


def test_a_client_that_reads_nothing_is_ended_and_its_stream_freed(serve: Serve, raw: Raw) -> None:
    gauge = Gauge(pa.record_batch({"id": range(100_000)}))
    call = raw(serve(Endless(gauge), within(idle_seconds=0.1))).start("DoGet", timeout=None)
    assert gauge.closed.wait(60)
    assert gauge.finished.wait(60)
    assert ended(call).code is grpc.StatusCode.DEADLINE_EXCEEDED


def test_work_of_the_server_is_not_idleness(serve: Serve, raw: Raw) -> None:
    service = Held()
    client = raw(serve(service, within(idle_seconds=0.5)))  # enough for a busy machine to answer
    call = client.start("DoAction", HOLD)
    assert service.inside.acquire(timeout=60)
    assert not service.release.wait(1.0)
    service.release.set()
    assert list(call) == [b""]


def test_the_clients_own_deadline_holds(serve: Serve, raw: Raw) -> None:
    service = Held()
    call = raw(serve(service)).start("DoAction", HOLD, timeout=0.2)
    assert ended(call).code is grpc.StatusCode.DEADLINE_EXCEEDED
    service.release.set()

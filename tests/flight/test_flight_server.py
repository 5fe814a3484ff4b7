from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import Any

import grpc
import pyarrow as pa
import pyarrow.flight as fl
import pytest
from grpc_health.v1 import health_pb2

from lakeport.core.errors import PreconditionError, UnavailableError
from lakeport.core.status import GrpcCode
from lakeport.flight.call import Call, Method
from lakeport.flight.messages import Action, FlightInfo, Handshake, Ticket
from lakeport.flight.options import Options
from lakeport.flight.server import FlightServer
from lakeport.flight.service import FlightService
from tests.flight.conftest import Serve
from tests.flight.raw import AIRPORT, RawClient
from tests.flight.services import BATCH, SCHEMA, Complete, Held, Log

Flight = Callable[[FlightServer], Any]  # pyarrow's stubs know another version
Raw = Callable[[FlightServer], RawClient]
PATH = fl.FlightDescriptor.for_path("shop", "orders")


def test_a_standard_client_uses_all_it_knows(serve: Serve, flight: Flight) -> None:
    client = flight(serve(Complete()))
    (listed,) = client.list_flights(b"shop")
    assert listed.descriptor.path == [b"shop", b"t"]
    info = client.get_flight_info(PATH)
    assert (info.schema, info.descriptor, info.total_records) == (SCHEMA, PATH, 3)
    assert client.get_schema(PATH).schema == SCHEMA
    assert client.do_get(info.endpoints[0].ticket).read_all() == pa.Table.from_batches([BATCH])
    results = client.do_action(fl.Action("echo", b"hello"))
    assert [result.body.to_pybytes() for result in results] == [b"echo", b"hello"]
    assert [tuple(action) for action in client.list_actions()] == [
        ("echo", "Says what it was told")
    ]


def test_rows_carry_their_metadata(serve: Serve, flight: Flight) -> None:
    chunk = flight(serve(Complete())).do_get(fl.Ticket(b"progress")).read_chunk()
    assert chunk.app_metadata.to_pybytes() == b"progress"


def test_an_exchange_answers_batch_by_batch_and_ends_with_metadata(
    serve: Serve, flight: Flight
) -> None:
    writer, reader = flight(serve(Complete())).do_exchange(PATH)
    with writer:
        writer.begin(SCHEMA)
        assert reader.schema == SCHEMA  # before any row was sent
        for _ in range(3):
            writer.write_batch(BATCH)
            assert reader.read_chunk().data == BATCH
        writer.done_writing()
        last = reader.read_chunk()
    assert last.data is None
    assert last.app_metadata.to_pybytes() == b"9 rows"


def test_a_put_is_acknowledged(serve: Serve, flight: Flight) -> None:
    writer, reader = flight(serve(Complete())).do_put(PATH, SCHEMA)
    with writer:
        writer.write_batch(BATCH)
        acknowledged = reader.read()
        writer.done_writing()
    assert acknowledged is not None
    assert acknowledged.to_pybytes() == b"3"


def test_a_handshake_answers_with_a_header(serve: Serve, flight: Flight, raw: Raw) -> None:
    server = serve(Complete())
    (answer,) = raw(server).ask("Handshake", Handshake(b"abc", 1).encode())
    assert Handshake.decode(answer) == Handshake(b"cba", 1)
    token = flight(server).authenticate_basic_token("me", "secret")
    assert token == (b"authorization", b"Bearer of-the-day")


def test_a_finished_query_is_polled_once(serve: Serve, raw: Raw) -> None:
    (answer,) = raw(serve(Complete())).ask("PollFlightInfo", PATH.serialize())
    size = answer[1] & 0x7F | answer[2] << 7
    assert answer[:1] == b"\x0a"
    assert FlightInfo.decode(answer[3 : 3 + size]).total_records == 3


def test_methods_that_a_service_lacks_are_unimplemented(serve: Serve, raw: Raw) -> None:
    client = raw(serve(FlightService()))
    for method in Method:
        failure = client.failure(method)
        assert failure.code is grpc.StatusCode.UNIMPLEMENTED
        assert failure.text == f"{method} is not supported by this server"


def test_an_unknown_method_is_unimplemented(serve: Serve, raw: Raw) -> None:
    assert raw(serve(Complete())).failure("DoNothing").code is grpc.StatusCode.UNIMPLEMENTED


def test_a_message_that_is_none_is_an_invalid_argument(serve: Serve, raw: Raw) -> None:
    client = raw(serve(Complete()))
    for method in Method:
        if method is not Method.LIST_ACTIONS:  # its request is empty whatever it holds
            assert client.failure(method, b"\xff\xff").code is grpc.StatusCode.INVALID_ARGUMENT


def test_the_first_of_two_values_of_a_header_counts() -> None:
    call = Call(Method.DO_ACTION, [("airport-action-name", "a"), ("airport-action-name", "b")])
    assert call.header("airport-action-name") == "a"
    assert call.header("authorization") is None
    assert not call.is_airport
    assert Call(Method.DO_GET, AIRPORT).is_airport


def test_a_call_knows_the_address_its_client_dialled(serve: Serve, raw: Raw) -> None:
    log = Log()
    server = serve(Complete(), watchers=[log])
    raw(server).ask("DoGet")
    with RawClient(f"localhost:{server.port}") as other:
        other.ask("DoGet")
    dialled = [call.header(":authority") for call in log.calls]
    assert dialled == [f"127.0.0.1:{server.port}", f"localhost:{server.port}"]


def test_a_call_that_is_printed_shows_no_token() -> None:
    assert "lp_secret" not in repr(Call(Method.DO_GET, [("authorization", "Bearer lp_secret")]))


def test_watchers_see_every_call_and_how_it_ended(serve: Serve, raw: Raw) -> None:
    log = Log()
    client = raw(serve(Complete(), watchers=[log]))
    client.ask("DoGet", headers=AIRPORT)
    client.failure("DoGet", b"\xff")
    for _ in range(2):
        assert log.ends.acquire(timeout=60)
    good, bad = log.calls
    assert (good.method, good.code, good.is_airport) == (Method.DO_GET, None, True)
    assert good.traffic.rows_out == BATCH.num_rows
    assert good.traffic.bytes_out > 0
    assert good.seconds is not None
    assert bad.code is GrpcCode.INVALID_ARGUMENT


def test_every_call_is_one_line_in_the_log(
    serve: Serve, raw: Raw, caplog: pytest.LogCaptureFixture
) -> None:
    client = raw(serve(Complete()))
    with caplog.at_level("INFO", "lakeport.flight"):
        client.ask("DoGet", Ticket(b"secret filter").encode(), [("airport-trace-id", "t-1")])
        client.failure("GetSchema", b"\xff")
    shown = [vars(record) for record in caplog.records if record.message == "call.done"]
    assert [(line["method"], line["outcome"]) for line in shown] == [
        ("DoGet", "OK"),
        ("GetSchema", "INVALID_ARGUMENT"),
    ]
    assert (shown[0]["rows_out"], shown[0]["trace"]) == (BATCH.num_rows, "t-1")
    assert "secret" not in repr(shown)


def test_a_watcher_that_fails_does_not_fail_the_call(serve: Serve, raw: Raw) -> None:
    class Broken:
        def began(self, call: Call) -> None:
            raise ValueError(call.method)

        def ended(self, call: Call) -> None:
            raise ValueError(call.method)

    client = raw(serve(Complete(), watchers=[Broken()]))
    assert len(client.ask("DoAction", Action("echo").encode())) == 2


def test_the_end_of_a_call_is_told_once_and_to_late_comers() -> None:
    call = Call(Method.DO_GET)
    told: list[str] = []
    call.on_end(lambda: told.append("first"))
    call.on_end(lambda: told.append("second"))
    assert call.end(None)
    assert not call.end(GrpcCode.CANCELLED)
    call.on_end(lambda: told.append("late"))
    assert told == ["second", "first", "late"]


def test_a_port_in_use_is_a_clear_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UnavailableError, match=f"cannot listen on 127.0.0.1:{port}"):
            FlightServer(Complete(), Options(port=port)).start()


def test_two_servers_do_not_share_a_port_unless_told(serve: Serve) -> None:
    port = serve(Complete()).port
    with pytest.raises(UnavailableError):
        FlightServer(Complete(), Options(port=port)).start()
    shared = serve(Complete(), Options(reuse_port=True)).port
    assert serve(Complete(), Options(port=shared, reuse_port=True)).port == shared


def test_a_server_that_was_not_started_has_no_port() -> None:
    server = FlightServer(Complete())
    with pytest.raises(PreconditionError):
        _ = server.port
    server.stop(0)


def test_health_is_told_while_the_server_runs(serve: Serve) -> None:
    server = serve(Complete())
    with RawClient(f"127.0.0.1:{server.port}", service="grpc.health.v1.Health") as client:
        for name in ("", "arrow.flight.protocol.FlightService"):
            request = health_pb2.HealthCheckRequest(service=name).SerializeToString()
            answer = client.ask_once("Check", request)
            status = health_pb2.HealthCheckResponse.FromString(answer).status
            assert status == health_pb2.HealthCheckResponse.SERVING


def test_a_server_that_stops_says_so_before_it_refuses(serve: Serve) -> None:
    held = Held()
    server = serve(held)
    stopping = threading.Thread(target=server.stop, args=(30,))
    with (
        RawClient(f"127.0.0.1:{server.port}") as client,
        RawClient(f"127.0.0.1:{server.port}", service="grpc.health.v1.Health") as health,
    ):
        running = client.start("DoAction", Action("hold").encode())
        assert held.inside.acquire(timeout=60)
        watched = health.start("Watch")
        told = health_pb2.HealthCheckResponse
        assert told.FromString(next(watched)).status == told.SERVING
        stopping.start()
        try:
            assert told.FromString(next(watched)).status == told.NOT_SERVING
        finally:
            held.release.set()
        list(running)  # what was running is answered
    stopping.join(60)


def test_nobody_is_told_of_services_by_reflection(serve: Serve) -> None:
    server = serve(Complete())
    for service in (
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    ):
        with RawClient(f"127.0.0.1:{server.port}", service=service) as client:
            failure = client.failure("ServerReflectionInfo")
            assert failure.code is grpc.StatusCode.UNIMPLEMENTED


def test_rows_are_compressed_when_the_client_asks_for_it(serve: Serve, raw: Raw) -> None:
    client = raw(serve(Complete()))
    plain = client.ask("DoGet")
    packed = client.ask("DoGet", headers=[("lakeport-compression", "zstd")])
    assert b"\x28\xb5\x2f\xfd" in packed[1]  # a zstd frame
    assert b"\x28\xb5\x2f\xfd" not in plain[1]
    failure = client.failure("DoGet", headers=[("lakeport-compression", "rar")])
    assert failure.code is grpc.StatusCode.INVALID_ARGUMENT
    assert "zstd, lz4 or none" in failure.text


def test_compressed_rows_are_read_by_pyarrow(serve: Serve, flight: Flight) -> None:
    client = flight(serve(Complete()))
    for name in ("zstd", "lz4"):
        headers: Any = [(b"lakeport-compression", name.encode())]
        options = fl.FlightCallOptions(headers=headers)
        table = client.do_get(fl.Ticket(b""), options).read_all()
        assert table == pa.Table.from_batches([BATCH])

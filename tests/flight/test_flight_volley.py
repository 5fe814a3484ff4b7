"""Listings: many small messages, which gRPC's own thread sends."""

# ruff: noqa: ARG002  a service gets more than it needs

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import grpc
import pytest

from lakeport.core.errors import NotFoundError
from lakeport.flight import rpc
from lakeport.flight.call import Call
from lakeport.flight.inside import inside_of
from lakeport.flight.limits import Limits
from lakeport.flight.messages import Action, decode_result
from lakeport.flight.options import Options
from lakeport.flight.server import FlightServer
from lakeport.flight.service import FlightService
from lakeport.flight.volley import volleys
from tests.flight.conftest import Serve
from tests.flight.raw import RawClient
from tests.flight.services import Log

Raw = Callable[[FlightServer], RawClient]
ASK = Action("list").encode()


@dataclass
class Lists(FlightService):
    """Answers every action with these bodies."""

    bodies: Iterable[bytes]

    def do_action(self, call: Call, action: Action) -> Iterable[bytes]:
        call.answer_headers.append(("listed", "yes"))
        return self.bodies


@dataclass
class EndlessList(FlightService):
    over: threading.Event = field(default_factory=threading.Event)

    def do_action(self, call: Call, action: Action) -> Iterator[bytes]:
        call.on_end(self.over.set)
        return (bytes(1_000) for _ in count())


def _numbered(many: int, size: int) -> list[bytes]:
    return [str(number).encode().ljust(size) for number in range(many)]


@pytest.mark.parametrize(
    ("many", "size"), [(0, 0), (1, 9), (2, 9), (500, 0), (500, 1_000), (9, 80_000)]
)
def test_a_listing_arrives_whole_and_in_order(serve: Serve, raw: Raw, many: int, size: int) -> None:
    bodies = _numbered(many, size)
    answered = raw(serve(Lists(bodies))).ask("DoAction", ASK)
    assert [decode_result(each) for each in answered] == bodies


@pytest.mark.parametrize("many", [0, 1, 50])
def test_headers_of_a_listing_come_with_it(serve: Serve, raw: Raw, many: int) -> None:
    call = raw(serve(Lists(_numbered(many, 9)))).start("DoAction", ASK)
    assert len(list(call)) == many
    assert ("listed", "yes") in call.initial_metadata()


def test_what_a_listing_sent_is_counted(serve: Serve, raw: Raw) -> None:
    log = Log()
    bodies = _numbered(300, 500)
    client = raw(serve(Lists(bodies), watchers=(log,)))
    sent = client.ask("DoAction", ASK)
    assert log.ends.acquire(timeout=60)
    assert log.calls[0].traffic.bytes_out == sum(map(len, sent))


def test_a_listing_that_fails_is_refused_with_its_reason(serve: Serve, raw: Raw) -> None:
    def bodies() -> Iterator[bytes]:
        yield from _numbered(200, 1_000)
        raise NotFoundError("the rest is gone")

    call = raw(serve(Lists(bodies()))).start("DoAction", ASK)
    with pytest.raises(grpc.RpcError) as failed:
        list(call)
    assert failed.value.code() is grpc.StatusCode.NOT_FOUND


def test_a_caller_who_leaves_ends_the_listing(serve: Serve, raw: Raw) -> None:
    service = EndlessList()
    call = raw(serve(service)).start("DoAction", ASK, timeout=None)
    next(call)
    call.cancel()
    assert service.over.wait(60)


def test_a_caller_who_reads_no_further_ends_the_listing(serve: Serve, raw: Raw) -> None:
    """What gRPC holds for it is bounded: the listing waits, and is idle in the end."""
    service = EndlessList()
    limits = Limits(idle_seconds=1.0)  # enough for a busy machine to read the first
    call = raw(serve(service, Options(limits=limits))).start("DoAction", ASK, timeout=None)
    next(call)
    assert service.over.wait(60)
    with pytest.raises(grpc.RpcError) as failed:
        list(call)
    assert failed.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


def test_listings_under_way_do_not_keep_a_server(serve: Serve, raw: Raw) -> None:
    service = EndlessList()
    server = serve(service)
    next(raw(server).start("DoAction", ASK, timeout=None))
    server.stop(0.1)
    assert service.over.wait(60)


def test_one_connection_lists_for_many_at_once(serve: Serve, raw: Raw) -> None:
    bodies = _numbered(300, 300)
    client = raw(serve(Lists(bodies)))
    running = [client.start("DoAction", ASK) for _ in range(16)]
    assert all([decode_result(each) for each in call] == bodies for call in running)


def test_a_volley_has_as_much_as_may_wait_in_memory() -> None:
    sizes = [sum(map(len, together)) for together in volleys(_numbered(1_000, 1_000))]
    assert sum(sizes) == 1_000_000
    assert max(sizes) <= 65_000 + 1_000


def test_without_what_a_volley_needs_there_is_none() -> None:
    """Another version of grpcio: then messages are sent one by one."""
    unknown: Any = object()
    assert inside_of(unknown) is None


def test_without_it_listings_arrive_all_the_same(
    raw: Raw, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rpc, "inside_of", lambda _: None)
    bodies = _numbered(50, 9)
    assert [
        decode_result(each) for each in raw(serve(Lists(bodies))).ask("DoAction", ASK)
    ] == bodies


def test_the_grpcio_we_have_can_send_volleys() -> None:
    def answer(_: bytes, context: grpc.ServicerContext) -> bytes:
        return str(inside_of(context) is not None).encode()

    handler = grpc.unary_unary_rpc_method_handler(answer)
    server = grpc.server(
        ThreadPoolExecutor(1),
        handlers=[grpc.method_handlers_generic_handler("t", {"Ask": handler})],
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with RawClient(f"127.0.0.1:{port}", service="t") as client:
        assert client.ask_once("Ask", b"") == b"True"
    server.stop(None).wait()

"""Exchanges in turn: every batch is answered, and the answer goes with the wait for the next."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import grpc
import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.core.errors import InvalidRequestError, LakeportError
from lakeport.core.status import GrpcCode
from lakeport.flight import rpc
from lakeport.flight.call import Call
from lakeport.flight.framing import FrameEncoder, decode_frame
from lakeport.flight.limits import Limits
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.options import Options
from lakeport.flight.server import FlightServer
from lakeport.flight.service import Chunk, FlightService, Incoming, Outgoing
from tests.flight.conftest import Serve
from tests.flight.raw import RawClient, failure_of
from tests.flight.services import Log

Raw = Callable[[FlightServer], RawClient]
Flight = Callable[[FlightServer], Any]

WORDS = pa.dictionary(pa.int8(), pa.string())
KILLED = """
import os, signal, sys
import pyarrow as pa
import pyarrow.flight as fl
writer, reader = fl.connect(sys.argv[1]).do_exchange(fl.FlightDescriptor.for_path("a"))
batch = pa.record_batch({"id": [1]})
writer.begin(batch.schema)
writer.write_batch(batch)
reader.read_chunk()
os.kill(os.getpid(), signal.SIGKILL)
"""


@dataclass
class Turns(FlightService):
    """Says every batch again. Rows that begin with -1 are refused; the last word is their number."""

    is_in_turn: bool = True
    finished: list[int] = field(default_factory=list)
    failed: list[LakeportError] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def do_exchange(self, call: Call, incoming: Incoming) -> Outgoing:
        call.on_end(self.over.set)
        return Outgoing(incoming.schema, self._answers(incoming), in_turn=self.is_in_turn)

    def _answers(self, incoming: Incoming) -> Iterator[Chunk]:
        rows = 0
        try:
            for batch, _ in incoming:
                if batch is not None:
                    if batch.num_rows and batch.column(0)[0].as_py() == -1:
                        raise InvalidRequestError("no such row")
                    rows += batch.num_rows
                    yield Chunk(batch)
        except LakeportError as error:
            self.failed.append(error)
            raise
        self.finished.append(rows)
        yield Chunk(None, f"{rows} rows".encode())


def _batch(*values: int) -> pa.RecordBatch:
    return pa.record_batch({"id": pa.array(values, pa.int64())})


def _messages(*batches: pa.RecordBatch) -> list[bytes]:
    encoder = FrameEncoder(batches[0].schema, most_bytes=1 << 26, cut=False)
    rows = [message for batch in batches for message in encoder.batch(batch)]
    return [encoder.schema(FlightDescriptor(path=("a",))), *rows]


def _exchange(client: Any) -> Any:
    return client.do_exchange(fl.FlightDescriptor.for_path("a"))


def test_every_batch_is_answered_before_the_next_is_sent(serve: Serve, flight: Flight) -> None:
    service = Turns()
    writer, reader = _exchange(flight(serve(service)))
    with writer:
        writer.begin(_batch().schema)
        for size in (1, 0, 2_048, 70_000, 3):
            batch = _batch(*range(size))
            writer.write_batch(batch)
            assert reader.read_chunk().data.equals(batch)
        writer.done_writing()
        assert reader.read_chunk().app_metadata.to_pybytes() == b"72052 rows"
    assert service.finished == [72_052]


@pytest.mark.parametrize("known", [True, False])
def test_the_bytes_are_those_of_an_exchange_that_is_not_in_turn(
    serve: Serve, raw: Raw, monkeypatch: pytest.MonkeyPatch, *, known: bool
) -> None:
    """Also from a grpcio that lacks what a turn needs; dictionaries are messages of their own."""
    first = pa.record_batch({"word": pa.array(["a", "b", "a"], WORDS)})
    second = pa.record_batch({"word": pa.array(["c", "b"], WORDS)})
    sent = _messages(first, second, first)
    plain = raw(serve(Turns(is_in_turn=False))).ask("DoExchange", sent)
    if not known:
        monkeypatch.setattr(rpc, "inside_of", lambda _: None)
    assert raw(serve(Turns())).ask("DoExchange", sent) == plain
    assert decode_frame(plain[-1]).metadata == b"8 rows"


def test_answers_before_an_error_arrive(serve: Serve, raw: Raw) -> None:
    call = raw(serve(Turns())).start("DoExchange", _messages(_batch(1), _batch(2), _batch(-1)))
    heard = [next(call) for _ in range(3)]
    assert all(decode_frame(message).body for message in heard[1:])
    with pytest.raises(grpc.RpcError) as caught:
        next(call)
    assert failure_of(caught.value).code is grpc.StatusCode.INVALID_ARGUMENT


def test_what_went_both_ways_is_counted(serve: Serve, raw: Raw) -> None:
    log = Log()
    sent = _messages(_batch(1), _batch(2, 3))
    heard = raw(serve(Turns(), watchers=(log,))).ask("DoExchange", sent)
    assert log.ends.acquire(timeout=60)
    traffic = log.calls[0].traffic
    assert (traffic.bytes_in, traffic.bytes_out) == (sum(map(len, sent)), sum(map(len, heard)))
    assert (traffic.rows_in, traffic.rows_out) == (3, 3)


def test_a_client_that_cancels_in_its_turn_ends_the_call(serve: Serve, raw: Raw) -> None:
    service, log = Turns(), Log()
    client, go = raw(serve(service, watchers=(log,))), threading.Event()
    call = client.start("DoExchange", _waiting(_messages(_batch(1)), go))
    next(call), next(call)
    call.cancel()
    assert service.over.wait(60)
    assert log.ends.acquire(timeout=60)
    go.set()
    assert (service.finished, len(service.failed)) == ([], 1)
    assert log.calls[0].code is GrpcCode.CANCELLED


def test_a_client_that_is_killed_in_its_turn_has_not_finished(serve: Serve) -> None:
    service = Turns()
    server = serve(service)
    subprocess.run([sys.executable, "-c", KILLED, server.address], check=False, timeout=60)
    assert service.over.wait(60)
    assert service.finished == []


def test_a_client_that_does_not_take_its_turn_is_ended(serve: Serve, raw: Raw) -> None:
    options = Options(limits=Limits(idle_seconds=0.1))
    go = threading.Event()
    call = raw(serve(Turns(), options)).start("DoExchange", _waiting(_messages(_batch(1)), go))
    with pytest.raises(grpc.RpcError) as caught:
        list(call)
    go.set()
    assert failure_of(caught.value).code is grpc.StatusCode.DEADLINE_EXCEEDED


def test_many_exchanges_take_turns_at_once(serve: Serve, raw: Raw) -> None:
    client = raw(serve(Turns()))
    sent = [_messages(*(_batch(turn, number) for turn in range(20))) for number in range(12)]
    calls = [client.start("DoExchange", messages) for messages in sent]
    assert [decode_frame(list(call)[-1]).metadata for call in calls] == [b"40 rows"] * 12


def _waiting(messages: list[bytes], go: threading.Event) -> Iterator[bytes]:
    yield from messages
    go.wait(60)

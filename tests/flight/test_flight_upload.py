"""Rows pushed to a server by DoPut: in order, at its pace, and not at all once something is wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from lakeport.core.errors import (
    CancelledError,
    ConflictError,
    LakeportError,
    UnavailableError,
)
from lakeport.flight.call import Call
from lakeport.flight.client import FlightClient
from lakeport.flight.dial import Target
from lakeport.flight.messages import FlightDescriptor
from lakeport.flight.service import FlightService, Incoming
from lakeport.flight.upload import Outbox, Upload
from tests.flight.conftest import Serve

PATH = FlightDescriptor(path=("a", "b"))
ROWS = pa.record_batch({"id": pa.array(range(300_000), pa.int64())})


class Takes(FlightService):
    """Takes as many batches as it may, then ends as it was told to."""

    def __init__(self, most: int = 10**9, error: LakeportError | None = None) -> None:
        self.most = most
        self.error = error
        self.rows = 0
        self.about: tuple[object, ...] = ()
        self.began = threading.Event()
        self.ended = threading.Event()
        self.failure: BaseException | None = None

    def do_put(self, call: Call, incoming: Incoming) -> Iterable[bytes]:
        self.about = (incoming.descriptor.path, incoming.schema, call.header("lakeport-put"))
        self.began.set()
        try:
            for number, chunk in enumerate(incoming):
                if number >= self.most:
                    break
                assert chunk.batch is not None
                self.rows += chunk.batch.num_rows
        except BaseException as error:
            self.failure = error
            raise
        finally:
            self.ended.set()
        if self.error is not None:
            raise self.error
        return [b"done"]


@pytest.fixture
def service() -> Takes:
    return Takes()


@pytest.fixture
def client(serve: Serve, service: Takes) -> Iterable[FlightClient]:
    with FlightClient(Target.parse(serve(service).address)) as client:
        yield client


def test_rows_arrive_in_pieces_and_are_answered(client: FlightClient, service: Takes) -> None:
    with client.put(PATH, ROWS.schema, ("lakeport-put", "append")) as upload:
        for _ in range(5):
            upload.add(ROWS)
        assert upload.bytes_sent > ROWS.nbytes
        assert upload.finish() == b"done"
    assert service.rows == 5 * ROWS.num_rows
    assert service.about == (("a", "b"), ROWS.schema, "append")


def test_a_stream_without_rows_is_one(client: FlightClient, service: Takes) -> None:
    with client.put(PATH, ROWS.schema) as upload:
        assert upload.finish() == b"done"
    assert service.rows == 0


def test_no_more_waits_than_a_few_messages() -> None:
    outbox = Outbox()
    assert outbox.put(b"1")
    assert outbox.put(b"2")
    with ThreadPoolExecutor(1) as pool:
        third = pool.submit(outbox.put, b"3")
        assert not third.done()
        assert next(outbox) == b"1"
        assert third.result(60)
        fourth = pool.submit(outbox.put, b"4")
        outbox.abandon()
        assert not fourth.result(60)
    assert list(outbox) == []


def test_a_refusal_is_heard_while_rows_are_sent(client: FlightClient, service: Takes) -> None:
    service.most, service.error = 1, ConflictError("somebody was faster", hint="again")
    with client.put(PATH, ROWS.schema) as upload, pytest.raises(ConflictError) as refused:
        send_much(upload)
    assert (refused.value.message, refused.value.hint) == ("somebody was faster", "again")


def test_a_refusal_at_the_end_is_heard(client: FlightClient, service: Takes) -> None:
    service.error = ConflictError("too late")
    with client.put(PATH, ROWS.schema) as upload:
        upload.add(ROWS)
        with pytest.raises(ConflictError, match="too late"):
            upload.finish()


def test_leaving_half_way_cancels(client: FlightClient, service: Takes) -> None:
    with client.put(PATH, ROWS.schema) as upload:
        upload.add(ROWS)
        assert service.began.wait(60)  # a call that was cancelled earlier is never begun
    assert service.ended.wait(60)
    assert isinstance(service.failure, CancelledError)


def test_nobody_there_is_told(serve: Serve) -> None:
    server = serve(Takes())
    target = Target.parse(server.address)
    server.stop(0)
    with (
        FlightClient(target) as client,
        pytest.raises(UnavailableError, match="cannot be reached"),
        client.put(PATH, ROWS.schema) as upload,
    ):
        send_much(upload)


def send_much(upload: Upload) -> None:
    """More than any buffer on the way holds."""
    for _ in range(1_000):
        upload.add(ROWS)

"""Every limit from lakeport.toml to the refusal of a running server, which names the setting."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pyarrow as pa
import pytest
import requests

from lakeport.app.serve import running
from lakeport.app.serve.options import flight_options
from lakeport.app.settings import load
from lakeport.app.settings.sections import Limits
from lakeport.app.wiring import open_catalog
from lakeport.catalog.iceberg.parts import ReadOptions
from lakeport.flight.framing import FrameEncoder
from lakeport.flight.limits import MEBI
from lakeport.flight.messages import Action
from lakeport.flight.protobuf import put_message
from lakeport.flight.server import FlightServer
from lakeport.flight.service import Compression, FlightService
from lakeport.web.app import build
from tests.flight.raw import Failure, RawClient, failure_of
from tests.flight.services import BATCH, Complete, Endless, Gauge, Held

EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
OVERDUE = grpc.StatusCode.DEADLINE_EXCEEDED
HOLD = Action("hold").encode()


@contextmanager
def served(folder: Path, service: FlightService, **limits: float) -> Iterator[RawClient]:
    lines = [f"{name} = {value}" for name, value in limits.items()]
    (folder / "lakeport.toml").write_text("[server.limits]\n" + "\n".join(lines))
    flags = {"server.grpc": "127.0.0.1:0"}
    options = flight_options(load(project=folder, flags=flags, variables={}).server)
    with (
        FlightServer(service, options) as server,
        RawClient(f"127.0.0.1:{server.port}") as client,
    ):
        try:
            yield client
        finally:
            if isinstance(service, Held):
                service.release.set()


def messages(batch: pa.RecordBatch, compression: Compression | None = None) -> list[bytes]:
    """A client's stream: the descriptor with the schema, then the rows."""
    encoder = FrameEncoder(batch.schema, most_bytes=1 << 30, cut=False, compression=compression)
    return [put_message(1, b"") + encoder.schema(), *encoder.batch(batch, None)]


def ended(call: Any) -> Failure:
    try:
        list(call)
    except grpc.RpcError as error:
        return failure_of(error)
    raise AssertionError("the call did not fail")


def open_exchange(client: RawClient) -> Any:
    """Open because its second message never comes."""
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    waiting.put(messages(BATCH)[0])
    return client.start("DoExchange", iter(waiting.get, None))


def one_call_too_many(folder: Path) -> Failure:
    service = Held()
    with served(folder, service, calls=2) as client:
        held = [client.start("DoAction", HOLD) for _ in range(2)]
        for _ in held:
            assert service.inside.acquire(timeout=60)
        return client.failure("DoAction", HOLD)


def one_exchange_too_many(folder: Path) -> Failure:
    with served(folder, Held(), calls=8, exchanges=1) as client:
        first = open_exchange(client)
        next(first)  # its schema: it is open
        refused = ended(open_exchange(client))
        first.cancel()
        return refused


def a_row_too_large(folder: Path) -> Failure:
    rows = pa.record_batch({"blob": [bytes(2 * MEBI)]})
    with served(folder, Endless(Gauge(rows)), message_bytes=MEBI) as client:
        return client.failure("DoGet")


def a_body_too_large(folder: Path) -> Failure:
    with served(folder, Complete(), action_bytes=1_024) as client:
        return client.failure("DoAction", Action("echo", bytes(1_024)).encode())


def a_batch_that_unpacks_to_too_much(folder: Path) -> Failure:
    sent = messages(pa.record_batch({"zeros": pa.array([0] * 500_000)}), "zstd")
    with served(folder, Complete(), decompressed_bytes=MEBI) as client:
        return client.failure("DoPut", sent)


def too_many_rows_of_nothing(folder: Path) -> Failure:
    with served(folder, Complete(), batch_rows=1_024) as client:
        return client.failure("DoPut", messages(pa.record_batch({"n": pa.nulls(1_025)})))


def dictionaries_too_large(folder: Path) -> Failure:
    words = pa.array([f"word {number}" for number in range(1_000)]).dictionary_encode()
    with served(folder, Complete(), stream_bytes=1_024) as client:
        return client.failure("DoPut", messages(pa.record_batch({"w": words})))


def a_call_too_long(folder: Path) -> Failure:
    with served(folder, Held(), call_seconds=0.1) as client:
        return client.failure("DoAction", HOLD)


def a_client_too_silent(folder: Path) -> Failure:
    with served(folder, Held(), idle_seconds=0.1) as client:
        return ended(open_exchange(client))


REFUSALS: dict[str, tuple[Callable[[Path], Failure], grpc.StatusCode]] = {
    "calls": (one_call_too_many, EXHAUSTED),
    "exchanges": (one_exchange_too_many, EXHAUSTED),
    "message_bytes": (a_row_too_large, EXHAUSTED),
    "action_bytes": (a_body_too_large, EXHAUSTED),
    "decompressed_bytes": (a_batch_that_unpacks_to_too_much, EXHAUSTED),
    "batch_rows": (too_many_rows_of_nothing, EXHAUSTED),
    "stream_bytes": (dictionaries_too_large, EXHAUSTED),
    "call_seconds": (a_call_too_long, OVERDUE),
    "idle_seconds": (a_client_too_silent, OVERDUE),
}
OF_OTHER_TESTS = {
    "statement_rows",  # of writing
    "statement_bytes",
    "stop_seconds",  # tests/cli/test_serve_process.py
    "scan_bytes",  # of what is read, below: nothing is refused for it
    "request_bytes",  # of HTTP, below
}


@pytest.mark.parametrize("limit", REFUSALS)
def test_a_limit_is_refused_with_its_code_and_the_name_of_its_setting(
    tmp_path: Path, limit: str
) -> None:
    refuse, code = REFUSALS[limit]
    failure = refuse(tmp_path)
    assert failure.code is code
    assert f"`server.limits.{limit}`" in failure.text


def test_there_is_no_limit_without_a_refusal() -> None:
    assert {
        field.name for field in msgspec.structs.fields(Limits)
    } == REFUSALS.keys() | OF_OTHER_TESTS


def test_a_request_to_the_iceberg_door_may_be_too_long(tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").write_text("[server.limits]\nrequest_bytes = 1024")
    flags = {"server.grpc": "127.0.0.1:0", "server.http": "127.0.0.1:0"}
    with running(load(project=tmp_path, flags=flags, variables={}), build) as server:
        address = f"{server.greeting.iceberg}/v1/namespaces"
        answer = requests.post(address, data=b" " * 1_025, timeout=30)
    assert answer.status_code == 400
    assert "`server.limits.request_bytes`" in answer.json()["error"]["message"]


def test_a_scan_reads_no_further_ahead_than_it_may(tmp_path: Path) -> None:
    """How `ReadAhead` keeps to it is shown where it is."""
    (tmp_path / "lakeport.toml").write_text("[server.limits]\nscan_bytes = 2_000_000")
    with open_catalog(load(project=tmp_path, variables={})) as catalog:
        assert catalog.options.queue_bytes == 2_000_000
    (tmp_path / "lakeport.toml").write_text("")
    with open_catalog(load(project=tmp_path, variables={})) as catalog:
        assert catalog.options == ReadOptions()


def test_the_same_requests_pass_where_the_limits_are_wider(tmp_path: Path) -> None:
    words = pa.array([f"word {number}" for number in range(1_000)]).dictionary_encode()
    with served(tmp_path, Complete()) as client:
        assert client.ask("DoAction", Action("echo", bytes(1_024)).encode())
        assert client.ask("DoPut", messages(pa.record_batch({"n": pa.nulls(1_025)})))
        assert client.ask("DoPut", messages(pa.record_batch({"w": words})))
        zeros = pa.record_batch({"zeros": pa.array([0] * 500_000)})
        assert client.ask("DoPut", messages(zeros, "zstd"))

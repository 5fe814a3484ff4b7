"""Statements that do not come to their end: nothing is committed, and no file is left.

The table writes a file for every few rows, so that there are files to be left.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.airport.service import AirportService
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import NamespaceInfo
from lakeport.flight.ipc import Kind
from lakeport.flight.limits import Limits
from lakeport.flight.options import Options
from lakeport.flight.server import FlightServer
from tests.airport.exchange.talk import Talk, Writer, batch_of, descriptor_of
from tests.airport.scans.duck import Door, Duck
from tests.behaviours.lake import Subject, ids_batch, schema_of
from tests.flight.raw import RawClient, failure_of

PATH = descriptor_of("shop", "log")
ROWS = schema_of(k=pa.int64(), text=pa.string())
LIMITS = Limits(calls=8)


def rows(first: int, count: int = 20) -> pa.RecordBatch:
    return batch_of(ROWS, *((key, f"row {key}") for key in range(first, first + count)))


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[IcebergCatalog]:
    uri = f"sqlite:///{tmp_path / 'catalog.db'}"
    made = IcebergCatalog(Profile("lake", "embedded", uri, f"file://{tmp_path / 'warehouse'}"))
    yield made
    made.close()


@pytest.fixture
def log(catalog: IcebergCatalog) -> Subject:
    namespace = catalog.create_namespace(NamespaceInfo("shop"))
    properties = {"write.parquet.row-group-limit": "10", "write.target-file-size-bytes": "1"}
    table = Subject(namespace.create_table("log", Definition(ROWS, properties=properties)))
    table.insert(rows(0))
    return table


@pytest.fixture
def server(catalog: IcebergCatalog) -> Iterator[FlightServer]:
    with FlightServer(AirportService([catalog], Door()), Options(limits=LIMITS)) as made:
        yield made


@pytest.fixture
def raw(server: FlightServer) -> Iterator[RawClient]:
    with RawClient(server.address.removeprefix("grpc://")) as made:
        yield made


@pytest.fixture
def files(tmp_path: Path) -> Callable[[], set[str]]:
    """The data files that there are."""
    return lambda: {path.name for path in (tmp_path / "warehouse").rglob("*.parquet")}


def opened(raw: RawClient, operation: str, schema: pa.Schema, **more: float) -> Talk:
    talk = Writer(raw).open(operation, returning=True, timeout=more.get("timeout", 30))
    talk.name(PATH)
    talk.declare(schema)
    assert talk.hear() == Kind.SCHEMA
    return talk


def begun(raw: RawClient, files: Callable[[], set[str]]) -> Talk:
    """An INSERT of which some rows lie in files already."""
    before = files()
    talk = opened(raw, "insert", ROWS)
    talk.send(rows(100))
    talk.hear_batch()
    assert files() > before
    return talk


def test_a_cancelled_statement_leaves_nothing(
    server: FlightServer, raw: RawClient, log: Subject, files: Callable[[], set[str]]
) -> None:
    before, state = files(), log.state
    talk = begun(raw, files)
    talk.call.cancel()
    server.stop(10)
    assert (files(), log.state) == (before, state)


def test_a_client_that_loses_its_connection_leaves_nothing(
    server: FlightServer, log: Subject, files: Callable[[], set[str]]
) -> None:
    before, state = files(), log.state
    with RawClient(server.address.removeprefix("grpc://")) as own:
        begun(own, files)
    server.stop(10)
    assert (files(), log.state) == (before, state)


KILLED = """
import sys, pyarrow as pa, pyarrow.flight as fl
client = fl.connect(sys.argv[1])
headers = [(b"airport-operation", b"insert"), (b"return-chunks", b"1")]
path = fl.FlightDescriptor.for_path("shop", "log")
writer, reader = client.do_exchange(path, fl.FlightCallOptions(headers=headers))
batch = pa.record_batch({"k": list(range(100, 120)), "text": ["x"] * 20})
writer.begin(batch.schema)
writer.write_batch(batch)
reader.read_chunk()
print("written", flush=True)
sys.stdin.read()
"""


def test_a_killed_client_leaves_nothing(
    server: FlightServer, log: Subject, files: Callable[[], set[str]]
) -> None:
    before, state = files(), log.state
    command = [sys.executable, "-c", KILLED, server.address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == b"written\n"
        assert files() > before
        client.kill()
    server.stop(10)
    assert (files(), log.state) == (before, state)


def test_a_statement_that_takes_too_long_leaves_nothing(
    server: FlightServer, raw: RawClient, log: Subject, files: Callable[[], set[str]]
) -> None:
    before, state = files(), log.state

    def wait_for_more() -> None:
        talk = opened(raw, "insert", ROWS, timeout=1)
        talk.send(rows(100))
        talk.hear_batch()
        talk.hear()

    with pytest.raises(grpc.RpcError) as raised:  # on a busy machine as early as it is opened
        wait_for_more()
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    server.stop(10)
    assert (files(), log.state) == (before, state)


def test_a_server_that_stops_leaves_nothing_of_what_is_under_way(
    server: FlightServer, raw: RawClient, log: Subject, files: Callable[[], set[str]]
) -> None:
    before, state = files(), log.state
    talk = begun(raw, files)
    server.stop(0)
    with pytest.raises(grpc.RpcError):
        talk.hear()
    assert (files(), log.state) == (before, state)


def test_a_refused_statement_leaves_nothing(
    raw: RawClient, log: Subject, files: Callable[[], set[str]]
) -> None:
    before, state = files(), log.state
    talk = begun(raw, files)
    talk.say(b"no message at all")
    with pytest.raises(grpc.RpcError) as raised:
        talk.hear()
    assert failure_of(raised.value).code is grpc.StatusCode.INVALID_ARGUMENT
    assert (files(), log.state) == (before, state)


def test_a_statement_that_ended_in_the_client_is_what_was_sent(
    raw: RawClient, log: Subject, files: Callable[[], set[str]]
) -> None:
    """DuckDB half-closes where it fails itself: nothing tells that from an end (chapter 5.7)."""
    talk = begun(raw, files)
    talk.half_close()
    assert talk.hear() is None
    assert len(log.rows()) == 40


# -- as many at once as there may be -----------------------------------------------------------------


def test_as_many_updates_as_may_be_and_one_more(
    server: FlightServer, raw: RawClient, log: Subject
) -> None:
    """Each has its own scan inside, which needs a call as well: none waits for another for ever."""
    most = LIMITS.most_exchanges
    schema = schema_of(text=pa.string(), rowid=pa.int64())
    talks = [opened(raw, "update", schema) for _ in range(most)]
    refused = Writer(raw).refused("insert", PATH, [rows(100)])
    assert refused.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    changed: list[int] = []

    def feed(number: int, talk: Talk) -> None:
        with fl.connect(server.address) as flight:
            found = Duck(flight).begin().scan(PATH).to_pylist()
        (mine,) = (row["rowid"] for row in found if row["k"] == number)
        talk.send(batch_of(schema, (f"by {number}", mine)))
        talk.hear_batch()
        talk.half_close()
        assert talk.hear() is None
        talk.hear_end()  # its place is free once it has ended, not before
        changed.append(talk.answer().changed)

    threads = [threading.Thread(target=feed, args=each) for each in enumerate(talks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert changed == [1] * most
    assert log.rows("text")[:most] == [(f"by {number}",) for number in range(most)]
    assert Writer(raw).run("delete", PATH, [ids_batch(log.row_ids())]).changed == 20

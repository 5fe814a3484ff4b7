"""Trouble in the midst of a commit: what the client is told and what the table is agree afterwards."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.catalog.iceberg.rest_server import WithheldError, rest_server
from tests.rest.doors import Client, open_door, profile_in
from tests.rest.raw import VIEW, RawLake, RawTable, requirement, schema, update

LOST = (409, "CommitFailedException")

_HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
"""


class Lock:
    """The lock of a lake's database, held by another process until it is let go."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(folder / "catalog.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"held\n"

    def let_go(self) -> None:
        self._process.communicate(b"\n", timeout=60)


@contextmanager
def impatient_door(folder: Path) -> Iterator[Client]:
    profile = profile_in(folder, **{"lakeport.busy-seconds": "0.2"})
    with IcebergCatalog(profile) as lake, open_door(lake) as uri:
        client = Client(uri)
        yield client
        client.close()


def appending(table: RawTable) -> dict[str, Any]:
    """A commit as an engine sends it: one snapshot, if main is where it was."""
    metadata = table.loaded()
    snapshot = table.snapshot(metadata["last-sequence-number"] + 1)
    main = requirement(
        "assert-ref-snapshot-id", ref="main", snapshot_id=metadata.get("current-snapshot-id")
    )
    number = snapshot["snapshot-id"]
    return {
        "requirements": [requirement("assert-table-uuid", uuid=metadata["table-uuid"]), main],
        "updates": [
            update("add-snapshot", snapshot=snapshot),
            update("set-snapshot-ref", ref_name="main", type="branch", snapshot_id=number),
        ],
    }


def metadata_files(table: RawTable) -> set[Path]:
    return set(Path(urlparse(table.location()).path).parent.iterdir())


def snapshots(table: RawTable) -> list[int]:
    return [each["snapshot-id"] for each in table.loaded()["snapshots"]]


def test_a_commit_whose_answer_nobody_waited_for_is_there_once(raw: RawLake, uri: str) -> None:
    table = raw.table()
    before = table.location()
    body = appending(table)
    data = json.dumps(body).encode()
    address = urlparse(uri)
    head = f"POST {address.path}{table.path} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(data)}\r\n\r\n"
    with socket.create_connection((address.hostname, address.port)) as connection:
        connection.sendall(head.encode() + data)
        while table.location() == before:
            pass  # it is being applied
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    assert table.client.post(table.path, body).status == 200
    assert snapshots(table) == [body["updates"][1]["snapshot-id"]]


def test_a_client_that_leaves_at_once_leaves_all_or_nothing(raw: RawLake, uri: str) -> None:
    table = raw.table()
    address = urlparse(uri)
    sent = []
    for _ in range(10):
        body = appending(table)
        sent.append(body["updates"][1]["snapshot-id"])
        data = json.dumps(body).encode()
        head = f"POST {address.path}{table.path} HTTP/1.1\r\nhost: x\r\n"
        with socket.create_connection((address.hostname, address.port)) as connection:
            connection.sendall(f"{head}content-length: {len(data)}\r\n\r\n".encode() + data)
        # Whether it was applied, is being applied or never arrived: the same request is a success.
        assert table.client.post(table.path, body).status == 200
        assert snapshots(table) == sent


def test_half_a_request_changes_nothing(raw: RawLake, uri: str) -> None:
    table = raw.table()
    before = table.location()
    data = json.dumps(appending(table)).encode()
    address = urlparse(uri)
    head = f"POST {address.path}{table.path} HTTP/1.1\r\nhost: x\r\n"
    with socket.create_connection((address.hostname, address.port)) as connection:
        connection.sendall(f"{head}content-length: {len(data)}\r\n\r\n".encode() + data[:-1])
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1_000)
    assert table.location() == before
    assert table.append()


def test_a_locked_database_is_waited_for(raw: RawLake, folder: Path) -> None:
    table = raw.table()
    files = metadata_files(table)
    body = appending(table)
    lock = Lock(folder)
    with ThreadPoolExecutor(1) as pool:
        client = Client(raw.client.uri)
        waiting = pool.submit(client.post, table.path, body)
        while metadata_files(table) == files:
            pass  # the file is written before the lock is asked for
        assert not waiting.done()
        assert table.loaded()["snapshots"] == []
        lock.let_go()
        assert waiting.result(60).status == 200
        client.close()
    assert snapshots(table) == [body["updates"][1]["snapshot-id"]]


def test_a_database_that_stays_locked_is_too_busy(tmp_path: Path) -> None:
    with impatient_door(tmp_path) as client:
        raw = RawLake(client)
        table, empty = raw.table(), raw.namespace()
        client.post("/v1/lake/namespaces", {"namespace": ["implied", "below"]})
        views = f"/v1/lake/namespaces/{table.namespace}/views"
        assert client.post(views, VIEW).status == 200
        before, files = table.location(), metadata_files(table)
        body = appending(table)
        lock = Lock(tmp_path)
        try:
            reply = client.post(table.path, body)
            assert reply.error == (429, "SlowDownException")
            assert reply.headers["retry-after"]
            new = {"name": "new", "schema": schema()}
            namespace = f"/v1/lake/namespaces/{table.namespace}"
            assert client.post(f"{namespace}/tables", new).status == 429
            assert client.send("DELETE", table.path).status == 429
            assert client.post("/v1/lake/namespaces", {"namespace": ["n"]}).status == 429
            rename = {
                "source": {"namespace": [table.namespace], "name": table.name},
                "destination": {"namespace": [table.namespace], "name": "other"},
            }
            assert client.post("/v1/lake/tables/rename", rename).status == 429
            assert client.post("/v1/lake/namespaces/implied/tables", new).status == 429
            assert client.send("DELETE", f"/v1/lake/namespaces/{empty}").status == 429
            assert client.post(f"{namespace}/properties", {"updates": {"a": "b"}}).status == 429
            registered = {"name": "again", "metadata-location": before}
            assert client.post(f"{namespace}/register", registered).status == 429
            assert client.post(views, {**VIEW, "name": "other"}).status == 429
            changed = {"updates": [update("set-properties", updates={"a": "b"})]}
            assert client.post(f"{views}/v", changed).status == 429
            assert client.send("DELETE", f"{views}/v").status == 429
            several = {"identifier": {"namespace": [table.namespace], "name": table.name}, **body}
            changes = {"table-changes": [several]}
            assert client.post("/v1/lake/transactions/commit", changes).status == 429
            assert table.location() == before
            assert metadata_files(table) == files
        finally:
            lock.let_go()
        assert client.post(table.path, body).status == 200


def test_changes_that_wait_keep_nobody_from_reading(tmp_path: Path) -> None:
    with (
        IcebergCatalog(profile_in(tmp_path)) as lake,
        open_door(lake, changes=1) as uri,
        ThreadPoolExecutor(1) as pool,
    ):
        client, other = Client(uri), Client(uri)
        table = RawLake(client).table()
        files, body = metadata_files(table), appending(table)
        lock = Lock(tmp_path)
        waiting = pool.submit(other.post, table.path, body)
        while metadata_files(table) == files:
            pass  # it has begun, and waits for the lock
        assert client.post(table.path, body).error == (429, "SlowDownException")
        assert table.loaded()["snapshots"] == []
        lock.let_go()
        assert waiting.result(60).status == 200
        client.close()
        other.close()


def test_metadata_that_cannot_be_written_is_a_commit_that_failed(
    raw: RawLake, folder: Path
) -> None:
    table = raw.table()
    before = table.location()
    blocked = folder / "warehouse" / "blocked"
    blocked.write_text("a file where a folder should be")
    location = f"file://{blocked}/inside"
    reply = table.commit(update("set-location", location=location))
    assert reply.error == LOST
    assert str(folder) not in reply.message
    assert table.location() == before
    path = f"/v1/lake/namespaces/{table.namespace}/tables"
    made = raw.client.post(path, {"name": "new", "schema": schema(), "location": location})
    assert made.error == (503, "ServiceUnavailableException")
    assert raw.client.send("HEAD", f"{path}/new").status == 404
    assert table.append()


def test_damaged_metadata_is_told_as_such(tmp_path: Path) -> None:
    with impatient_door(tmp_path) as client:
        table = RawLake(client).table()
        namespace, name = table.namespace, table.name
        Path(urlparse(table.location()).path).write_text('{"format-version": 2, ')
    with impatient_door(tmp_path) as client:
        table = RawTable(client, namespace, name)
        assert client.get(table.path).error == (500, "InternalServerError")
        change = update("set-properties", updates={"a": "1"})
        assert table.commit(change).error == (422, "UnprocessableEntityException")
        assert client.send("HEAD", table.path).status == 204
        assert client.send("DELETE", table.path).status == 204


@pytest.fixture(params=["one door", "two doors"])
def doors(request: pytest.FixtureRequest, uri: str, folder: Path) -> Iterator[list[str]]:
    """Two of them know nothing of each other but the database."""
    if request.param == "one door":
        yield [uri, uri]
        return
    with IcebergCatalog(profile_in(folder)) as other, open_door(other) as another:
        yield [uri, another]


def test_many_writers_lose_nothing_and_apply_nothing_twice(raw: RawLake, doors: list[str]) -> None:
    table = raw.table()
    writers, rounds = 4, 6
    applied: list[int] = []
    lock = threading.Lock()

    def write(number: int) -> None:
        mine = RawTable(Client(doors[number % 2]), table.namespace, table.name)
        for _ in range(rounds):
            while True:
                body = appending(mine)
                reply = mine.client.post(mine.path, body)
                if reply.status == 200:
                    break
                assert reply.error == LOST
            with lock:
                applied.append(body["updates"][1]["snapshot-id"])
        mine.client.close()

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, range(writers)))
    after = table.loaded()
    found = [each["snapshot-id"] for each in after["snapshots"]]
    assert sorted(found) == sorted(applied)
    numbers = [each["sequence-number"] for each in after["snapshots"]]
    assert numbers == list(range(1, writers * rounds + 1))
    assert [entry["snapshot-id"] for entry in after["snapshot-log"]] == found


def test_changes_that_are_not_in_each_others_way_all_succeed(
    raw: RawLake, doors: list[str]
) -> None:
    table = raw.table()

    def write(number: int) -> int:
        client = Client(doors[number % 2])
        mine = RawTable(client, table.namespace, table.name)
        status = mine.commit(update("set-properties", updates={f"p{number}": "x"})).status
        client.close()
        return status

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(write, range(12))) == {200}
    assert {f"p{number}" for number in range(12)} <= table.loaded()["properties"].keys()


@pytest.mark.parametrize("status", [500, 504])
def test_a_service_that_does_not_say_what_it_did_leaves_it_open(
    tmp_path: Path, status: int
) -> None:
    def applied(apply: Callable[[], Any]) -> Any:
        server.around_commit = lambda commit: commit()
        apply()
        raise WithheldError(status)

    with (
        rest_server(tmp_path) as server,
        IcebergCatalog(server.profile(), max_staleness=0.0) as lake,
        open_door(lake) as uri,
    ):
        client = Client(uri)
        table = RawLake(client).table()
        body = appending(table)
        server.around_commit = applied
        reply = client.post(table.path, body)
        assert reply.error == (500, "CommitStateUnknownException")
        assert client.post(table.path, body).error == LOST
        assert snapshots(table) == [body["updates"][1]["snapshot-id"]]
        client.close()

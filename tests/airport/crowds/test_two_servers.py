"""Writers of one lake in two processes, each a `lakeport serve` that knows nothing of the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa
import pytest

import lakeport
from tests.airport.ddl.door import column
from tests.airport.exchange.talk import Writer, batch_of, descriptor_of
from tests.airport.scans.duck import Duck, ordered
from tests.behaviours.lake import schema_of
from tests.cli.served import serve
from tests.flight.raw import RawClient, failure_of

PATH = descriptor_of("shop", "counters")
ROWS = schema_of(k=pa.int64(), n=pa.int64())
SET = schema_of(n=pa.int64(), rowid=pa.int64())
TIMES = 8


@dataclass(frozen=True)
class Client:
    """Of one of the servers; every statement is a transaction of its own unless told."""

    flight: Any
    raw: RawClient

    def begin(self) -> Duck:
        return Duck(self.flight).begin()

    def writer(self, duck: Duck) -> Writer:
        return Writer(self.raw).having(("airport-transaction-id", duck.transaction or ""))

    def add_one(self, key: int) -> grpc.StatusCode:
        """UPDATE counters SET n = n + 1 WHERE k = key."""
        duck = self.begin()
        (row,) = (row for row in duck.scan(PATH).to_pylist() if row["k"] == key)
        rows = [batch_of(SET, (row["n"] + 1, row["rowid"]))]
        try:
            assert self.writer(duck).run("update", PATH, rows).changed == 1
        except grpc.RpcError as error:
            return failure_of(error).code
        return grpc.StatusCode.OK


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "lakeport.toml").write_text("")
    with lakeport.open(folder) as lake:
        lake.create_table("shop.counters", ROWS)
    return folder


@pytest.fixture(scope="module")
def servers(project: Path) -> Iterator[tuple[Client, Client]]:
    with ExitStack() as opened:
        made = []
        for _ in range(2):
            served = opened.enter_context(serve(project))
            flight = opened.enter_context(served.client())
            raw = opened.enter_context(RawClient(served.grpc.removeprefix("grpc://")))
            made.append(Client(flight, raw))
        yield made[0], made[1]


@pytest.fixture
def clients(project: Path, servers: tuple[Client, Client]) -> tuple[Client, Client]:
    """Of two servers that find a new table in place of the last test's."""
    with lakeport.open(project) as lake:
        lake.drop_table("shop.counters")
        table = lake.create_table("shop.counters", ROWS)
        table.append([{"k": 0, "n": 0}, {"k": 1, "n": 0}])
    return servers


def counters(client: Client) -> dict[int, int]:
    return {row["k"]: row["n"] for row in client.begin().scan(PATH).to_pylist()}


def test_the_second_of_two_writers_is_told_to_run_again(clients: tuple[Client, Client]) -> None:
    here, there = clients
    duck = here.begin()
    read = {row["k"]: row["rowid"] for row in duck.scan(PATH).to_pylist()}
    assert there.add_one(0) is grpc.StatusCode.OK
    refused = here.writer(duck).refused("update", PATH, [batch_of(SET, (7, read[0]))])
    assert refused.code is grpc.StatusCode.ABORTED
    assert "run the statement again" in refused.text
    assert counters(here) == counters(there) == {0: 1, 1: 0}
    # Another row of the same file is nobody's conflict.
    assert here.writer(duck).run("update", PATH, [batch_of(SET, (9, read[1]))]).changed == 1
    assert counters(here) == counters(there) == {0: 1, 1: 9}


def test_no_update_of_two_servers_is_lost(clients: tuple[Client, Client]) -> None:
    """Both count one row up at the same time, and again whenever they are told to."""
    told: list[grpc.StatusCode] = []

    def count(client: Client) -> None:
        done = 0
        while done < TIMES:
            code = client.add_one(0)
            told.append(code)
            done += code is grpc.StatusCode.OK

    threads = [threading.Thread(target=count, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(told) <= {grpc.StatusCode.OK, grpc.StatusCode.ABORTED}
    assert counters(clients[0]) == counters(clients[1]) == {0: 2 * TIMES, 1: 0}


def test_appends_of_two_servers_do_not_conflict(clients: tuple[Client, Client]) -> None:
    failures: list[BaseException] = []

    def append(client: Client, first: int) -> None:
        try:
            for key in range(first, first + TIMES):
                Writer(client.raw).run("insert", PATH, [batch_of(ROWS, (key, key))])
        except BaseException as failure:  # noqa: BLE001 # the test's to raise
            failures.append(failure)

    threads = [
        threading.Thread(target=append, args=(client, 100 * (place + 1)))
        for place, client in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    expected = [0, 1, *range(100, 100 + TIMES), *range(200, 200 + TIMES)]
    for client in clients:
        assert ordered(client.begin().scan(PATH), "k") == expected


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("add_column", {"column_schema": column("m", pa.int64())}),
        ("set_not_null", {"column_name": "k"}),
        ("set_default", {"column_name": "n", "expression": "5"}),
    ],
)
def test_ddl_over_the_wire_ends_the_repeating(
    clients: tuple[Client, Client], action: str, body: dict[str, object]
) -> None:
    """Until then a transaction reads what it read; what others commit elsewhere is not for it."""
    here, there = clients
    duck = here.begin()
    assert ordered(duck.scan(PATH), "k") == [0, 1]
    Writer(there.raw).run("insert", PATH, [batch_of(ROWS, (2, 2))])
    assert ordered(duck.scan(PATH), "k") == [0, 1]
    where = {"catalog": "lake", "schema": "shop", "name": "counters"}
    here.begin().action(action, {**where, **body})
    assert ordered(duck.scan(PATH), "k") == [0, 1, 2]
    status = msgpack.unpackb(
        duck.action("get_transaction_status", {"transaction_id": duck.transaction})
    )
    assert status == {"status": "active", "exists": True}

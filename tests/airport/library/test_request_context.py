"""What code behind the airport learns of the call it works for."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Generator, Iterable, Iterator
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest

from lakeport.access import EVERYONE, Identity
from lakeport.catalog.definition import Definition
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import NamespaceInfo, ScanPlan, ScanRequest, Split, TableState
from lakeport.catalog.streams import BatchStream
from lakeport.core.names import TableName
from lakeport.core.request import Request, current_request
from lakeport.flight.messages import Ticket
from tests.airport.airport_server import AIRPORT, Client, People, serving

SCHEMA = pa.schema([("i", pa.int64())])
NAME = TableName("s", "t")


class Telling:
    """A table that notes for whom each of its batches is made."""

    def __init__(self) -> None:
        self.batches: Iterable[int] = range(3)
        self.seen: list[Request | None] = []
        self.closed: list[Request | None] = []
        self.over = threading.Event()

    @property
    def name(self) -> TableName:
        return NAME

    def state(self) -> TableState:
        return TableState(str(UUID(int=7)), NAME, Definition(SCHEMA), 0, 1, 1)

    def plan(self, request: ScanRequest) -> ScanPlan:
        del request
        self.seen.append(current_request())
        return ScanPlan(self.state(), SCHEMA, (Split(1, (0,)),))

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        del request, split
        return BatchStream(SCHEMA, self._batches())

    def _batches(self) -> Generator[pa.RecordBatch, None, None]:
        try:
            for number in self.batches:
                self.seen.append(current_request())
                yield pa.record_batch({"i": [number]}, schema=SCHEMA)
        finally:
            self.closed.append(current_request())
            self.over.set()


class Porter(People):
    """Asked before a call has an identity: nothing of an earlier call may be left in its thread."""

    def __init__(self) -> None:
        super().__init__({"a": EVERYONE, "b": Identity("bea", EVERYONE.grants)})
        self.left: list[Request | None] = []

    def authenticate(self, authorization: str | None) -> Identity:
        found = super().authenticate(authorization)
        here = current_request()
        if here is None or here.identity != found.name:  # it is asked again while a stream runs
            self.left.append(here)
        return found


@pytest.fixture
def table() -> Telling:
    return Telling()


@pytest.fixture
def porter() -> Porter:
    return Porter()


@pytest.fixture
def client(table: Telling, porter: Porter) -> Iterator[Client]:
    lake = MemoryCatalog("lake")
    lake.create_namespace(NamespaceInfo("s")).add_table(table)
    with serving([lake], porter) as made:
        yield made


def test_a_table_sees_for_whom_every_batch_is_made(client: Client, table: Telling) -> None:
    caller = client.having(
        AIRPORT,
        ("authorization", "Bearer b"),
        ("airport-catalog", "lake"),
        ("airport-client-session-id", "session"),
        ("airport-trace-id", "trace"),
        ("airport-transaction-id", str(UUID(int=3))),
    )
    rows = caller.rows(caller.info("s", "t"))
    assert rows.num_rows == 3
    expected = Request("bea", "lake", "session", "trace", str(UUID(int=3)))
    assert set(table.seen) == {expected}
    assert len(table.seen) == 4
    assert table.closed == [expected]


def test_whoever_leaves_half_way_is_the_one_a_table_is_closed_for(
    client: Client, table: Telling
) -> None:
    table.batches = itertools.count()
    caller = client.having(("authorization", "Bearer b"))
    (endpoint,) = caller.info("s", "t").endpoints
    read: Any = client.channel.unary_stream("/arrow.flight.protocol.FlightService/DoGet")
    call = read(Ticket(endpoint.ticket.ticket).encode(), metadata=caller.headers)
    next(call)  # the schema, sent before the table is opened
    next(call)
    call.cancel()
    assert table.over.wait(30)
    assert table.closed == [Request("bea", "lake")]


def test_nothing_of_a_call_is_left_in_its_thread(
    client: Client, table: Telling, porter: Porter
) -> None:
    for token, identity in (("a", "everyone"), ("b", "bea")) * 5:
        caller = client.having(("authorization", f"Bearer {token}"))
        caller.rows(caller.info("s", "t"))
        assert table.seen[-1] == Request(identity, "lake")
    assert set(porter.left) == {None}
    assert current_request() is None

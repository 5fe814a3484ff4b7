"""Several at once: two servers over one lake, another process that alters, clients that stay, go or die."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import grpc
import pyarrow as pa
import pytest

from lakeport.airport.service import AirportService
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import Catalog, Insertable, NamespaceInfo, require
from lakeport.flight.call import Call, Method
from lakeport.flight.limits import Limits
from lakeport.flight.options import Options
from lakeport.flight.server import FlightServer
from tests.airport.airport_server import ORDERS, People, fill, fl

_ALTER = """
import sys
import pyarrow as pa
from lakeport.catalog.changes import AddColumn
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
with IcebergCatalog(Profile("lake", "embedded", sys.argv[1], sys.argv[2])) as catalog:
    table = catalog.namespace("shop").table("orders")
    table.alter([AddColumn(pa.field("more", pa.int32()))])
"""
_DIE = """
import os, sys
import pyarrow.flight as fl
client = fl.connect(sys.argv[1])
info = client.get_flight_info(fl.FlightDescriptor.for_path("shop", "big"))
reader = client.do_get(info.endpoints[0].ticket)
reader.read_chunk()
os._exit(9)
"""
BIG = pa.schema([("n", pa.int64())])
BIG_ROWS = 4_000_000


class Departures:
    """Tells when a read has ended, for whatever reason."""

    def __init__(self) -> None:
        self.ended_once = threading.Event()

    def began(self, call: Call) -> None:
        pass

    def ended(self, call: Call) -> None:
        if call.method is Method.DO_GET:
            self.ended_once.set()


def big() -> MemoryCatalog:
    """More than fits into the buffers between a server and a client that does not read."""
    catalog = MemoryCatalog("lake")
    table = catalog.create_namespace(NamespaceInfo("shop")).create_table("big", Definition(BIG))
    with require(table, Insertable, "big").insert() as write:
        write.add(pa.record_batch([pa.array(range(BIG_ROWS), pa.int64())], schema=BIG))
        write.commit()
    return catalog


@contextmanager
def served(catalog: Catalog, calls: int = 64, watcher: Departures | None = None) -> Iterator[str]:
    options = Options(limits=Limits(calls=calls))
    watchers = [] if watcher is None else [watcher]
    with FlightServer(AirportService([catalog], People()), options, watchers=watchers) as server:
        yield server.address


def info(client: Any, table: str) -> Any:
    return client.get_flight_info(fl.FlightDescriptor.for_path("shop", table))


def rows(client: Any, ticket: Any) -> int:
    return int(client.do_get(ticket).read_all().num_rows)


def test_two_servers_serve_one_lake_that_another_process_alters(tmp_path: Path) -> None:
    uri, warehouse = f"sqlite:///{tmp_path / 'catalog.db'}", f"file://{tmp_path / 'warehouse'}"
    with ExitStack() as stack:
        lakes = [
            stack.enter_context(IcebergCatalog(Profile("lake", "embedded", uri, warehouse)))
            for _ in range(2)
        ]
        namespace = lakes[0].create_namespace(NamespaceInfo("shop"))
        fill(namespace.create_table("orders", Definition(ORDERS)))
        one, two = (
            stack.enter_context(fl.connect(stack.enter_context(served(lake)))) for lake in lakes
        )
        ticket = info(one, "orders").endpoints[0].ticket
        assert rows(one, ticket) == rows(two, ticket) == 3
        subprocess.run([sys.executable, "-c", _ALTER, uri, warehouse], check=True, timeout=120)
        for client in (one, two):
            after = info(client, "orders")
            assert after.schema.names == ["id", "name", "v", "more", "rowid"]
            assert rows(client, after.endpoints[0].ticket) == 3
            # A ticket from before keeps its columns.
            read = client.do_get(ticket).read_all()
            assert read.column_names == ["id", "name", "v", "rowid"]


def test_one_scan_too_many_is_refused_and_the_others_finish() -> None:
    most = 4
    watcher = Departures()
    with served(big(), most, watcher) as address, fl.connect(address) as client:
        ticket = info(client, "big").endpoints[0].ticket
        readers = [client.do_get(ticket) for _ in range(most)]
        seen = [reader.read_chunk().data.num_rows for reader in readers]
        with grpc.insecure_channel(address.removeprefix("grpc://")) as channel:
            path = "/arrow.flight.protocol.FlightService/ListActions"
            with pytest.raises(grpc.RpcError) as refused:
                list(channel.unary_stream(path)(b"", timeout=60))
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        for place, reader in enumerate(readers):
            assert seen[place] + reader.read_all().num_rows == BIG_ROWS
        assert watcher.ended_once.wait(60)
        assert list(client.list_actions())


def test_a_client_that_dies_gives_its_place_back() -> None:
    watcher = Departures()
    with served(big(), 1, watcher) as address:
        died = subprocess.run([sys.executable, "-c", _DIE, address], check=False, timeout=120)
        assert died.returncode == 9
        assert watcher.ended_once.wait(60)
        with fl.connect(address) as client:
            assert rows(client, info(client, "big").endpoints[0].ticket) == BIG_ROWS


def test_a_server_stops_though_a_consumer_stalls() -> None:
    server = FlightServer(AirportService([big()], People())).start()
    with fl.connect(server.address) as client:
        reader = client.do_get(info(client, "big").endpoints[0].ticket)
        assert reader.read_chunk().data.num_rows > 0
        server.stop(grace_seconds=0)
        with pytest.raises((fl.FlightError, pa.ArrowException)):
            reader.read_all()


def test_a_lake_that_went_away_is_unavailable_and_its_address_is_nobodys_business(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "private" / "catalog.db"
    database.parent.mkdir()
    profile = Profile("lake", "sql", f"sqlite:///{database}", f"file://{tmp_path / 'warehouse'}")
    with IcebergCatalog(profile) as lake:
        fill(
            lake.create_namespace(NamespaceInfo("shop")).create_table("orders", Definition(ORDERS))
        )
        with served(lake) as address, fl.connect(address) as client:
            assert rows(client, info(client, "orders").endpoints[0].ticket) == 3
            with sqlite3.connect(database) as other:
                other.execute("DROP TABLE iceberg_tables")
            with pytest.raises(fl.FlightUnavailableError) as caught:
                info(client, "orders")
    assert "catalog `lake` cannot be reached" in str(caught.value)
    assert "private" not in str(caught.value)
    assert "iceberg_tables" not in str(caught.value)
    assert any("private" in str(vars(record).get("reason")) for record in caplog.records)

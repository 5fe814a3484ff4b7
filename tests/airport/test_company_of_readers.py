"""Readers of an Iceberg table that die or sleep: what they held is free again, and nobody waits for them."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from lakeport.airport.service import AirportService
from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.catalog.ports import Insertable, NamespaceInfo, require
from lakeport.flight.call import Call, Method
from lakeport.flight.server import FlightServer
from tests.airport.airport_server import People, fl

_FIELDS: list[Field] = [pa.field("n", pa.int64()), pa.field("x", pa.float64())]
BIG = pa.schema(_FIELDS)
FILES, ROWS = 8, 500_000
TICKET = b'{"schema_name": "shop", "table_name": "big"}'
_DIE = f"""
import os, sys
import pyarrow.flight as fl
reader = fl.connect(sys.argv[1]).do_get(fl.Ticket({TICKET!r}))
reader.read_chunk()
os._exit(9)
"""


@dataclass
class Departures:
    """Counts the reads that have ended, for whatever reason."""

    ended_reads: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def began(self, call: Call) -> None:
        pass

    def ended(self, call: Call) -> None:
        if call.method is Method.DO_GET:
            with self.changed:
                self.ended_reads += 1
                self.changed.notify_all()

    def wait_for(self, reads: int) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: self.ended_reads >= reads, 60)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IcebergCatalog]:
    folder: Path = tmp_path_factory.mktemp("readers")
    uri, warehouse = f"sqlite:///{folder / 'catalog.db'}", f"file://{folder / 'warehouse'}"
    rng = np.random.default_rng(7)
    with IcebergCatalog(Profile("lake", "embedded", uri, warehouse)) as catalog:
        namespace = catalog.create_namespace(NamespaceInfo("shop"))
        table = require(namespace.create_table("big", Definition(BIG)), Insertable, "big")
        for _ in range(FILES):
            rows = {"n": rng.integers(0, 2**62, ROWS), "x": rng.random(ROWS)}
            with table.insert() as write:
                write.add(pa.record_batch(rows, schema=BIG))
                write.commit()
        yield catalog


@contextmanager
def served(lake: IcebergCatalog, watcher: Departures) -> Iterator[FlightServer]:
    with FlightServer(AirportService([lake], People()), watchers=[watcher]) as server:
        yield server


def read(client: Any) -> int:
    return int(client.do_get(fl.Ticket(TICKET)).read_all().num_rows)


def readers() -> list[threading.Thread]:
    """Threads that read files: those of the server itself stay for the next call."""
    return [each for each in threading.enumerate() if not each.name.startswith("flight")]


def held() -> int:
    gc.collect()
    return pa.total_allocated_bytes()


def test_what_dead_readers_held_is_free_again(lake: IcebergCatalog) -> None:
    watcher = Departures()
    with served(lake, watcher) as server, fl.connect(server.address) as client:
        assert read(client) == FILES * ROWS
        before, memory = set(readers()), held()
        for _ in range(3):
            died = subprocess.run(
                [sys.executable, "-c", _DIE, server.address], check=False, timeout=600
            )
            assert died.returncode == 9
        assert watcher.wait_for(4)
        for thread in set(readers()) - before:
            thread.join(60)
        assert set(readers()) <= before
        assert held() <= memory + ROWS  # a read of one file alone takes 16 times as much
        assert read(client) == FILES * ROWS


def test_nobody_waits_for_a_reader_that_sleeps(lake: IcebergCatalog) -> None:
    watcher = Departures()
    with served(lake, watcher) as server, fl.connect(server.address) as client:
        assert read(client) == FILES * ROWS
        sleeper = client.do_get(fl.Ticket(TICKET))
        first = sleeper.read_chunk().data.num_rows
        assert read(client) == FILES * ROWS
        assert first + sleeper.read_all().num_rows == FILES * ROWS
        assert watcher.wait_for(3)

"""`load --server` as a process of its own, interrupted while its rows are on their way: nothing stays."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.airport.service import AirportService
from lakeport.app.lake.lake import Lake
from lakeport.catalog.memory import MemoryCatalog
from lakeport.flight.call import Call, Method
from lakeport.flight.server import FlightServer
from tests.airport.airport_server import People
from tests.cli.served import PROGRAM, environment


class Holds:
    """Keeps every DoPut from going on until it may."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.may_go_on = threading.Event()

    def began(self, call: Call) -> None:
        if call.method is Method.DO_PUT:
            self.begun.set()
            self.may_go_on.wait(60)

    def ended(self, call: Call) -> None:
        pass


@pytest.fixture
def holds() -> Holds:
    return Holds()


@pytest.fixture
def lake() -> Lake:
    lake = Lake(MemoryCatalog("lake"))
    lake.create_table("shop.there", {"k": pa.int64()}).append([{"k": 1}])
    return lake


@pytest.fixture
def server(lake: Lake, holds: Holds) -> Iterator[FlightServer]:
    with FlightServer(AirportService([lake.catalog], People()), watchers=[holds]) as server:
        yield server


@pytest.mark.parametrize("table", ["shop.there", "shop.fresh", "fresh.table"])
def test_an_interrupted_load_leaves_nothing(
    lake: Lake, holds: Holds, server: FlightServer, table: str, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("k\n" + "\n".join(map(str, range(300_000))))
    process = subprocess.Popen(
        [PROGRAM, "load", table, str(rows), "--server", server.address],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    with process:
        assert holds.begun.wait(60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    holds.may_go_on.set()
    server.stop(60)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert lake.tables() == ["shop.there"]
    assert [info.name for info in lake.namespaces()] == ["shop"]
    assert len(lake.table("shop.there").history()) == 1

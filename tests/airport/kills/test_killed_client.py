"""SIGKILL of a client in the middle of its statement: nothing of it is there, and no file is left."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.airport.service import AirportService
from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import NamespaceInfo
from lakeport.flight.server import FlightServer
from tests.airport.kills.dying_client import BATCHES
from tests.airport.scans.duck import Door
from tests.behaviours.lake import Subject, schema_of
from tests.catalog.iceberg.faults.leftovers import unnamed
from tests.catalog.iceberg.faults.victim import profile

ROOT = Path(__file__).parents[3]
ROWS = schema_of(k=pa.int64(), text=pa.string())
# A file for every few rows, so that there is something to be left.
SMALL = {"write.parquet.row-group-limit": "10", "write.target-file-size-bytes": "1"}

WAYS = [("insert", "1"), ("insert", "0"), ("update", "1"), ("delete", "1"), ("put", "0")]


def kill_after(address: str, way: tuple[str, str], row_ids: list[int], batches: int) -> None:
    listed = ",".join(map(str, row_ids))
    command = [sys.executable, "-m", "tests.airport.kills.dying_client", address, *way, listed]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as client:
        assert client.stdout is not None
        for line in itertools.islice(client.stdout, batches):
            assert line.startswith("sent")
        client.kill()
    assert client.returncode == -9


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with IcebergCatalog(profile(tmp_path)) as catalog:
        namespace = catalog.create_namespace(NamespaceInfo("shop"))
        log = Subject(namespace.create_table("log", Definition(ROWS, properties=SMALL)))
        log.insert([{"k": k, "text": f"row {k}"} for k in range(30)])
    return tmp_path


def kill_round(folder: Path, way: tuple[str, str], batches: int) -> None:
    """A server of its own for each: when it has stopped, it has tidied up."""
    with IcebergCatalog(profile(folder)) as catalog:
        log = Subject(catalog.namespace("shop").table("log"))
        state, rows = log.state, log.rows()
        with FlightServer(AirportService([catalog], Door())) as server:
            kill_after(server.address, way, log.row_ids(), batches)
            server.stop(30)
        assert (log.state, log.rows()) == (state, rows)
        assert unnamed(catalog.pyiceberg.load_table(("shop", "log"))) == set()


def test_a_killed_client_has_changed_nothing(folder: Path) -> None:
    for number, way in enumerate(WAYS):
        kill_round(folder, way, batches=1 + number)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 30, 5))
def test_thirty_killed_clients_have_changed_nothing(folder: Path, first: int) -> None:
    dice = random.Random(first)  # noqa: S311 # repeatable, not secret
    for way in WAYS:
        kill_round(folder, way, dice.randint(1, BATCHES))

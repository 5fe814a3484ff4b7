"""A server over each implementation, and a table `log` of six rows that everybody is busy with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.airport.service import AirportService
from lakeport.flight.server import FlightServer
from tests.airport.programs.wire_lake import SERVED
from tests.airport.scans.duck import Door
from tests.behaviours.implementations import Clock
from tests.behaviours.lake import Lake, Subject, schema_of
from tests.flight.raw import RawClient

ROWS = schema_of(k=pa.int64(), text=pa.string())
HELD = [{"k": k, "text": f"row {k}"} for k in range(6)]


@dataclass(frozen=True)
class Scene:
    lake: Lake
    raw: RawClient
    flight: fl.FlightClient

    @property
    def log(self) -> Subject:
        return self.lake.table("log")


@pytest.fixture(params=sorted(SERVED))
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    implementation, clock = SERVED[str(request.param)], Clock()
    lake = Lake(implementation, implementation.make(clock, tmp_path), clock)
    lake.create(ROWS, name="log").insert(HELD)
    with (
        FlightServer(AirportService([lake.catalog], Door())) as server,
        RawClient(server.address.removeprefix("grpc://")) as raw,
        fl.connect(server.address) as flight,
    ):
        yield Scene(lake, raw, flight)
    implementation.close(lake.catalog)

"""A real server over each implementation, its audit in a real store, and one small table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.flight as fl
import pytest

from lakeport.access import AuditLog, StatementLimits
from lakeport.airport.service import AirportService
from lakeport.app.serve.view import Audit, system_overlay
from lakeport.catalog.definition import Check, PrimaryKey, with_default
from lakeport.flight.server import FlightServer
from lakeport.state import AuditEntry, Store
from tests.airport.exchange.talk import Writer
from tests.airport.scans.duck import Door, Duck
from tests.behaviours.implementations import IMPLEMENTATIONS, Clock
from tests.behaviours.lake import Lake, Subject
from tests.flight.raw import RawClient

ITEMS = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        with_default(pa.field("name", pa.string()), "'unknown'"),
        pa.field("price", pa.float64()),
    ]
)


@dataclass(frozen=True)
class Served:
    """`duck` is DuckDB inside a transaction; `writer` sends what it sends."""

    server: FlightServer
    lake: Lake
    door: Door
    raw: RawClient
    flight: fl.FlightClient
    store: Store
    audit: AuditLog

    @property
    def writer(self) -> Writer:
        return Writer(self.raw)

    @property
    def duck(self) -> Duck:
        return Duck(self.flight).begin()

    def audited(self) -> list[AuditEntry]:
        """Oldest first."""
        assert self.audit.flush()
        return self.store.audit.newest(100)[::-1]


@pytest.fixture(params=sorted(IMPLEMENTATIONS))
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lake]:
    implementation, clock = IMPLEMENTATIONS[str(request.param)], Clock()
    catalog = implementation.make(clock, tmp_path)
    yield Lake(implementation, catalog, clock)
    implementation.close(catalog)


@pytest.fixture
def limits() -> StatementLimits:
    return StatementLimits()


def _service(
    lake: Lake, door: Door, store: Store, audit: AuditLog, limits: StatementLimits
) -> AirportService:
    overlay = system_overlay(Audit(store.audit, audit))
    return AirportService([lake.catalog], door, audit=audit, overlay=overlay, limits=limits)


@pytest.fixture
def served(lake: Lake, limits: StatementLimits, tmp_path: Path) -> Iterator[Served]:
    door = Door()
    store = Store.open(f"sqlite:///{tmp_path / 'state.db'}")
    with (
        AuditLog(store.audit) as audit,
        FlightServer(_service(lake, door, store, audit, limits)) as server,
        RawClient(server.address.removeprefix("grpc://")) as raw,
        fl.connect(server.address) as flight,
    ):
        yield Served(server, lake, door, raw, flight, store, audit)
    store.close()


@pytest.fixture
def items(lake: Lake) -> Subject:
    subject = lake.create(ITEMS, PrimaryKey(("id",)), Check("(price >= 0)", "priced"), name="items")
    subject.insert(
        [{"id": 1, "name": "apple", "price": 1.0}, {"id": 2, "name": "pear", "price": None}]
    )
    return subject

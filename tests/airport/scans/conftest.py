"""A real server over each implementation, with the tables of the behaviour suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.flight as fl
import pytest

from tests.airport.scans.duck import Door, Duck, serve
from tests.behaviours.implementations import IMPLEMENTATIONS, Clock
from tests.behaviours.lake import Lake, Subject, schema_of


@pytest.fixture(params=sorted(IMPLEMENTATIONS))
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lake]:
    implementation, clock = IMPLEMENTATIONS[str(request.param)], Clock()
    catalog = implementation.make(clock, tmp_path)
    yield Lake(implementation, catalog, clock)
    implementation.close(catalog)


@pytest.fixture
def items(lake: Lake) -> Subject:
    """Three rows in two commits, a minute apart: versions 1 and 2."""
    schema = schema_of(k=pa.int64(), name=pa.string(), price=pa.float64())
    subject = lake.create(schema, name="items")
    lake.clock.pass_seconds(60)
    subject.insert(pa.table({"k": [1, 2], "name": ["apple", "pear"], "price": [1.0, 2.0]}, schema))
    lake.clock.pass_seconds(60)
    subject.insert(pa.table({"k": [3], "name": [None], "price": [3.5]}, schema))
    lake.clock.pass_seconds(60)
    return subject


@pytest.fixture
def door() -> Door:
    return Door()


@pytest.fixture
def flight(lake: Lake, door: Door) -> Iterator[fl.FlightClient]:
    with serve(lake.catalog, door=door) as server, fl.connect(server.address) as client:
        yield client


@pytest.fixture
def plain(flight: fl.FlightClient) -> Duck:
    """A standard client."""
    return Duck(flight)


@pytest.fixture
def duck(flight: fl.FlightClient) -> Duck:
    """DuckDB with the catalog attached, inside one transaction."""
    return Duck(flight).begin()

"""Each implementation behind a server, and DuckDB in both of its settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.airport.attached import Attached, attached
from tests.airport.types.duckdb_values import Session
from tests.behaviours.implementations import IMPLEMENTATIONS, Clock
from tests.behaviours.lake import Lake


@pytest.fixture(params=sorted(IMPLEMENTATIONS))
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Attached]:
    implementation, clock = IMPLEMENTATIONS[str(request.param)], Clock()
    catalog = implementation.make(clock, tmp_path)
    Lake(implementation, catalog, clock).namespace("shop")
    with attached(catalog) as made:
        yield made
    implementation.close(catalog)


@pytest.fixture(params=[False, True], ids=["lossy", "lossless"])
def session(request: pytest.FixtureRequest) -> Session:
    return Session(lossless=bool(request.param))

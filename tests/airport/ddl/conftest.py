"""One server per test, over each implementation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.airport.ddl.door import Door, opened, stock
from tests.behaviours.implementations import IMPLEMENTATIONS, Clock, LiveCatalog


@pytest.fixture(params=sorted(IMPLEMENTATIONS))
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LiveCatalog]:
    implementation = IMPLEMENTATIONS[str(request.param)]
    made = implementation.make(Clock(), tmp_path)
    stock(made)
    yield made
    implementation.close(made)


@pytest.fixture
def door(catalog: LiveCatalog) -> Iterator[Door]:
    with opened(catalog) as made:
        yield made


@pytest.fixture(params=["msgpack", "json"])
def either(door: Door, request: pytest.FixtureRequest) -> Door:
    """Contract 000's actions, and contract 001's aliases of them."""
    return door.json if request.param == "json" else door

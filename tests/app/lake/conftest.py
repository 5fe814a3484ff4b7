"""Lakes for the use cases: in memory, and a real project on disk. Both must behave the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import lakeport
from lakeport.app.initialize import initialize
from lakeport.app.lake.lake import Lake
from lakeport.catalog.memory import MemoryCatalog


@pytest.fixture
def memory() -> Lake:
    return Lake(MemoryCatalog("lake"))


@pytest.fixture(params=["memory", "iceberg"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lake]:
    if request.param == "memory":
        yield Lake(MemoryCatalog("lake"))
        return
    initialize(tmp_path / "project")
    with lakeport.open(tmp_path / "project") as opened:
        yield opened

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.catalog.iceberg.change.workshop import Workshop
from tests.lakes.duckdb_reader import DuckDBReader


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    workshop = Workshop(tmp_path)
    yield workshop
    workshop.close()


@pytest.fixture(scope="session")
def duckdb_reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBReader]:
    reader = DuckDBReader(tmp_path_factory.mktemp("duckdb"))
    yield reader
    reader.close()

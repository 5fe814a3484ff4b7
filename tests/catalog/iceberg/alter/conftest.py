from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.catalog.iceberg.alter.ground import Ground
from tests.lakes.duckdb_reader import DuckDBReader


@pytest.fixture(scope="session")
def duckdb_reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBReader]:
    """Its process takes a second to start."""
    reader = DuckDBReader(tmp_path_factory.mktemp("duckdb"))
    yield reader
    reader.close()


@pytest.fixture
def ground(tmp_path: Path, duckdb_reader: DuckDBReader) -> Iterator[Ground]:
    made = Ground.at(tmp_path, duckdb_reader)
    yield made
    made.catalog.close()

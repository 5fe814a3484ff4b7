from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lakes.duckdb_reader import DuckDBReader
from tests.lakes.lake import Lake


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path)


@pytest.fixture(scope="session")
def duckdb_reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBReader]:
    reader = DuckDBReader(tmp_path_factory.mktemp("duckdb"))
    yield reader
    reader.close()

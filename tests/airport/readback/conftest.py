from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lakeport.catalog.definition import Definition
from tests.airport.readback.wire_story import WireStory, told_over_the_wire
from tests.lakes.duckdb_reader import DuckDBReader

Telling = Callable[[Definition], WireStory]


@pytest.fixture(scope="session")
def duckdb_reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBReader]:
    reader = DuckDBReader(tmp_path_factory.mktemp("duckdb"))
    yield reader
    reader.close()


@pytest.fixture
def tell(tmp_path: Path, duckdb_reader: DuckDBReader) -> Iterator[Telling]:
    """A story of a table so defined."""
    with ExitStack() as stack:
        yield lambda definition: stack.enter_context(
            told_over_the_wire(tmp_path, definition, duckdb_reader)
        )

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from tests.catalog.iceberg.readback.story import Story, told
from tests.lakes.duckdb_reader import DuckDBReader

Telling = Callable[[Definition | pa.Schema], Story]


@pytest.fixture(scope="session")
def duckdb_reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBReader]:
    reader = DuckDBReader(tmp_path_factory.mktemp("duckdb"))
    yield reader
    reader.close()


@pytest.fixture
def tell(tmp_path: Path, duckdb_reader: DuckDBReader) -> Iterator[Telling]:
    """A story of a table so defined."""
    with ExitStack() as stack:

        def begin(definition: Definition | pa.Schema) -> Story:
            whole = definition if isinstance(definition, Definition) else Definition(definition)
            return stack.enter_context(told(tmp_path, whole, duckdb_reader))

        yield begin

"""One lake and one door for all tests of a file; each test makes tables of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.rest.doors import Client, door_to_lake
from tests.rest.raw import RawLake


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[IcebergCatalog, str, Path]]:
    folder = tmp_path_factory.mktemp("lake")
    with door_to_lake(folder) as (lake, uri):
        yield lake, uri, folder


@pytest.fixture(scope="module")
def lake(served: tuple[IcebergCatalog, str, Path]) -> IcebergCatalog:
    return served[0]


@pytest.fixture(scope="module")
def uri(served: tuple[IcebergCatalog, str, Path]) -> str:
    return served[1]


@pytest.fixture(scope="module")
def folder(served: tuple[IcebergCatalog, str, Path]) -> Path:
    return served[2]


@pytest.fixture
def client(uri: str) -> Iterator[Client]:
    client = Client(uri)
    yield client
    client.close()


@pytest.fixture
def raw(client: Client) -> RawLake:
    return RawLake(client)

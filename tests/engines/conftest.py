"""One JVM and one DuckDB process for all tests here; a lake, its door and fresh sessions for each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyiceberg.catalog.rest import RestCatalog

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from tests.engines.apart import Apart, RefusedError
from tests.engines.duck import Duck, open_database
from tests.engines.duckdb_process import duckdb_databases
from tests.engines.spark import Spark, open_session
from tests.engines.spark_process import spark as spark_sessions
from tests.engines.witnesses import Witnesses
from tests.rest.doors import open_door, profile_in, pyiceberg_client


@pytest.hookimpl(trylast=True)  # so that whoever says so himself is known, and comes first
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The first test of a worker starts its JVM in its own time, and the last one ends it.

    A JVM that leaves an archive of its classes needs 20 seconds for it, and on a busy machine it took two minutes.
    """
    for item in items:
        is_here = Path(__file__).parent in item.path.parents
        if is_here and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(500))


@pytest.fixture(scope="session")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    try:
        engine = Apart(spark_sessions, str(tmp_path_factory.mktemp("spark")))
    except RefusedError as refused:
        if "NoSparkError" not in str(refused) or "spark" in os.environ.get("LAKEPORT_REQUIRE", ""):
            raise
        pytest.skip(str(refused))
    with engine:
        yield engine


@pytest.fixture(scope="session")
def duckdb_process() -> Iterator[Apart]:
    with Apart(duckdb_databases) as engine:
        yield engine


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[IcebergCatalog]:
    with IcebergCatalog(profile_in(tmp_path)) as opened:
        yield opened


@pytest.fixture
def door(catalog: IcebergCatalog) -> Iterator[str]:
    with open_door(catalog) as url:
        yield url


@pytest.fixture
def client(door: str) -> Iterator[RestCatalog]:
    opened = pyiceberg_client(door)
    yield opened
    opened.close()


@pytest.fixture
def spark(jvm: Apart, door: str) -> Spark:
    return open_session(jvm, door)


@pytest.fixture
def duck(duckdb_process: Apart) -> Duck:
    return open_database(duckdb_process)


@pytest.fixture
def witnesses(spark: Spark, catalog: IcebergCatalog, client: RestCatalog, duck: Duck) -> Witnesses:
    return Witnesses(spark, catalog, client, duck)

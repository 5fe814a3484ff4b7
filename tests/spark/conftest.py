"""One JVM for all tests of a process; a lake of its own for each, with five readers of its tables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.pipeline.session import Spark, start_spark
from tests.engines.apart import Apart
from tests.engines.duck import Duck, open_database
from tests.engines.duckdb_process import duckdb_databases
from tests.engines.spark_process import NoSparkError, options_in, require_machine
from tests.rest.doors import profile_in
from tests.spark.ground import Ground, open_ground


@pytest.hookimpl(trylast=True)  # so that whoever says so himself is known, and comes first
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """PySpark leaves the socket of every answer to the garbage collector, which is its own affair.

    The first test of a worker starts its JVM or server in its own time: on a machine that does much else
    that alone took a minute and a half.
    """
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"))
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(300))


@pytest.fixture(scope="session")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spark]:
    options = options_in(tmp_path_factory.mktemp("spark"))
    try:
        require_machine(options)
    except NoSparkError as missing:
        if "spark" in os.environ.get("LAKEPORT_REQUIRE", ""):
            raise
        pytest.skip(str(missing))
    with start_spark(options) as started:
        yield started


@pytest.fixture(scope="session")
def duckdb_process() -> Iterator[Apart]:
    with Apart(duckdb_databases) as engine:
        yield engine


@pytest.fixture
def duck(duckdb_process: Apart) -> Duck:
    return open_database(duckdb_process)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[IcebergCatalog]:
    with IcebergCatalog(profile_in(tmp_path)) as opened:
        yield opened


@pytest.fixture
def ground(catalog: IcebergCatalog, jvm: Spark, duck: Duck) -> Iterator[Ground]:
    with open_ground(catalog, jvm, duck) as opened:
        yield opened

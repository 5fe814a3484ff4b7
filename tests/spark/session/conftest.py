"""A Spark Connect server for all tests here; what needs a JVM of its own has it in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import lakeport
from lakeport.app.lake.lake import Lake
from lakeport.app.lake.rest import LocalDoor
from lakeport.pipeline.session import SparkOptions
from lakeport.pipeline.session.jars import cached_jars
from tests.engines.spark_process import NoSparkError, options_in, require_machine
from tests.spark.session.programs import connect_server


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> SparkOptions:
    options = options_in(tmp_path_factory.mktemp("session"))
    try:
        require_machine(options)
    except NoSparkError as missing:
        if "spark" in os.environ.get("LAKEPORT_REQUIRE", ""):
            raise
        pytest.skip(str(missing))
    return options


@pytest.fixture(scope="session")
def jar(machine: SparkOptions) -> Path:
    (found,) = cached_jars(machine.cache, s3=False)
    return found


@pytest.fixture
def options(machine: SparkOptions, tmp_path: Path) -> SparkOptions:
    return replace(machine, log=tmp_path / "spark.log")


@pytest.fixture(scope="session")
def server(machine: SparkOptions, jar: Path) -> Iterator[str]:
    with connect_server(machine, jar) as (_, url):
        yield url


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    (tmp_path / "lakeport.toml").touch()
    with lakeport.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def door(lake: Lake) -> Iterator[LocalDoor]:
    """As a run has it: tables grow, and nothing is taken away."""
    with lake.rest(growth=True) as opened:
        yield opened

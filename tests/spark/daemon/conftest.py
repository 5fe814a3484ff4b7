"""Projects whose daemons are real, and end with their test whatever happens in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from lakeport.app.project.daemon import start_daemon, stop_daemon
from lakeport.app.settings import Settings, load
from tests.engines.spark_process import NoSparkError, options_in, require_machine

Project: TypeAlias = Callable[..., Settings]

SMALL = """
[pipeline]
archive = false
spark.master = "local[2]"
spark.conf = { "spark.driver.memory" = "1g", "spark.sql.shuffle.partitions" = "1" }
"""


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> None:
    try:
        require_machine(options_in(tmp_path_factory.mktemp("machine")))
    except NoSparkError as missing:
        if "spark" in os.environ.get("LAKEPORT_REQUIRE", ""):
            raise
        pytest.skip(str(missing))


@pytest.fixture
def project(machine: None, tmp_path: Path) -> Iterator[Project]:  # noqa: ARG001  it may skip
    """The settings of one project; flags are those of a command, and change what is wanted."""
    (tmp_path / "lakeport.toml").write_text(SMALL)

    def settings(**flags: object) -> Settings:
        named = {name.replace("__", "."): value for name, value in flags.items()}
        return load(project=tmp_path, flags=named)

    try:
        yield settings
    finally:
        stop_daemon(settings())


@pytest.fixture(scope="session")
def warm(machine: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:  # noqa: ARG001
    """A project with a daemon that several tests use."""
    folder = tmp_path_factory.mktemp("warm")
    (folder / "lakeport.toml").write_text(SMALL)
    settings = load(project=folder)
    try:
        start_daemon(settings)
        yield settings
    finally:
        stop_daemon(settings)

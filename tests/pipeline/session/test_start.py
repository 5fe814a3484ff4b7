from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from lakeport.core.errors import ConfigurationError, PreconditionError, UnavailableError
from lakeport.pipeline.session import SparkOptions, start_spark
from tests.pipeline.session.programs import make_java


@pytest.fixture
def options(tmp_path: Path) -> SparkOptions:
    return SparkOptions(tmp_path / "cache", tmp_path / "spark.log")


def test_quick_is_refused_for_a_cluster(options: SparkOptions) -> None:
    with pytest.raises(ConfigurationError, match=r"its master is yarn.*auto or throughput"):
        start_spark(replace(options, master="yarn"))


def test_a_wrong_java_is_told_before_anything_is_fetched(
    options: SparkOptions, tmp_path: Path
) -> None:
    home = make_java(tmp_path / "jdk", version="11.0.2")
    with pytest.raises(PreconditionError, match=r"needs Java 17 or 21.*\(lakeport\.toml:3\)"):
        start_spark(replace(options, java_home=home, java_source="lakeport.toml:3"))
    assert not options.cache.exists()


def test_a_server_that_is_not_there_is_told_at_once_and_without_its_token(
    options: SparkOptions,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
    with pytest.raises(UnavailableError) as refused:
        start_spark(replace(options, connect=f"sc://127.0.0.1:{port}/;token=hush"))
    assert refused.value.message == f"no Spark Connect server answers at sc://127.0.0.1:{port}"


def test_a_folder_that_cannot_be_written_is_named(options: SparkOptions, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    home = make_java(tmp_path / "jdk")
    with pytest.raises(UnavailableError, match=r"Spark cannot start, .*file.*: not a directory"):
        start_spark(replace(options, cache=tmp_path / "file" / "cache", java_home=home))

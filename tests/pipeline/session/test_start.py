from __future__ import annotations

import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lakeport.core.errors import ConfigurationError, PreconditionError, UnavailableError
from lakeport.pipeline.session import SparkOptions, start_spark
from lakeport.pipeline.session.contradictions import require_own, yielding
from tests.pipeline.session.programs import make_java


@pytest.fixture
def options(tmp_path: Path) -> SparkOptions:
    return SparkOptions(tmp_path / "cache", tmp_path / "spark.log")


def test_quick_is_refused_for_a_cluster(options: SparkOptions) -> None:
    with pytest.raises(ConfigurationError, match=r"its master is yarn.*auto or throughput"):
        start_spark(replace(options, master="yarn"))


def test_without_pyspark_it_is_said_how_to_get_it(
    options: SparkOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(PreconditionError) as refused:
        start_spark(options)
    assert str(refused.value) == (
        'pyspark is not installed (pip install "lakeport[spark]" (pyspark 4.1.x))'
    )


def test_a_pyspark_of_another_version_is_refused_in_a_sentence(
    options: SparkOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "pyspark-4.2.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: pyspark\nVersion: 4.2.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PreconditionError) as refused:
        start_spark(options)
    assert refused.value.message == "pyspark here is 4.2.0, but only 4.1.x is supported"
    assert 'pip install "lakeport[spark]"' in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("conf", "sentence"),
    [
        (
            {"spark.master": "yarn"},
            "sets spark.master to yarn, but `pipeline.spark.master` is local[*]",
        ),
        ({"spark.remote": "sc://x"}, "asks for Spark Connect"),
        ({"spark.api.mode": "connect"}, "asks for Spark Connect"),
        (
            {"spark.submit.deployMode": "cluster"},
            "sets spark.submit.deployMode to cluster, but Spark's driver runs on this machine only",
        ),
    ],
)
def test_settings_that_contradict_ours_are_refused(
    options: SparkOptions, conf: dict[str, str], sentence: str
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        start_spark(replace(options, conf=conf))
    assert refused.value.message == f"`pipeline.spark.conf` {sentence}"
    assert refused.value.hint


def test_settings_of_a_catalog_may_be_added_to_and_not_changed() -> None:
    catalog = {"spark.sql.extensions": "a", "spark.sql.catalog.lake.uri": "http://x"}
    require_own({"spark.sql.extensions": "b", "spark.sql.catalog.lake.header.a": "b"}, catalog)
    require_own({"spark.sql.catalog.lake.uri": "http://x"}, catalog)
    with pytest.raises(ConfigurationError) as refused:
        require_own({"spark.sql.catalog.lake.uri": "http://y"}, catalog)
    assert refused.value.message == (
        "`pipeline.spark.conf` sets spark.sql.catalog.lake.uri, which Lakeport sets itself"
    )


def test_what_the_user_says_of_files_wins() -> None:
    catalog = {
        "spark.sql.catalog.lake.uri": "http://x",
        "spark.sql.catalog.lake.s3.endpoint": "http://near",
        "spark.sql.catalog.lake.client.region": "a",
    }
    conf = {"spark.sql.catalog.lake.s3.endpoint": "http://far", "spark.sql.catalog.lake.uri": "y"}
    left = yielding(conf, catalog)
    assert left == {
        "spark.sql.catalog.lake.uri": "http://x",
        "spark.sql.catalog.lake.client.region": "a",
    }


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
    with socket.socket() as nobody:  # bound, so that nobody else answers there, but nobody listens
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        with pytest.raises(UnavailableError) as refused:
            start_spark(replace(options, connect=f"sc://127.0.0.1:{port}/;token=hush"))
    assert refused.value.message == f"no Spark Connect server answers at sc://127.0.0.1:{port}"


def test_a_folder_that_cannot_be_written_is_named(options: SparkOptions, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    home = make_java(tmp_path / "jdk")
    with pytest.raises(UnavailableError, match=r"Spark cannot start, .*file.*: not a directory"):
        start_spark(replace(options, cache=tmp_path / "file" / "cache", java_home=home))

"""Iceberg's jar through Spark's real Ivy, from a repository on this disk; the network is a closed door."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from lakeport.core.errors import CorruptDataError, UnavailableError
from lakeport.pipeline.session import SparkOptions
from lakeport.pipeline.session.fetch import fetch
from lakeport.pipeline.session.jars import GROUP, VERSIONS, cached_jars, wanted
from lakeport.pipeline.session.java import find_java
from tests.catalog.iceberg.faults.boxes import cannot_mount, run_on_small_disk
from tests.pipeline.session.programs import make_java

_JAR = f"iceberg-spark-runtime-4.1_2.13-{VERSIONS[0]}.jar"
_NO_NETWORK = " ".join(
    f"-D{scheme}.proxyHost=127.0.0.1 -D{scheme}.proxyPort=9" for scheme in ("http", "https")
)


@pytest.fixture
def repository(tmp_path: Path, jar: Path) -> Path:
    """Of Maven's kind, with Iceberg's runtime in it."""
    (artifact,) = wanted(VERSIONS[0], s3=False)
    folder = tmp_path / "repository" / GROUP.replace(".", "/") / artifact.name / artifact.version
    folder.mkdir(parents=True)
    (folder / artifact.file).symlink_to(jar)
    (folder / artifact.file).with_suffix(".pom").write_text(
        "<project><modelVersion>4.0.0</modelVersion>"
        f"<groupId>{GROUP}</groupId><artifactId>{artifact.name}</artifactId>"
        f"<version>{artifact.version}</version></project>"
    )
    return tmp_path / "repository"


@pytest.fixture
def offline(options: SparkOptions, tmp_path: Path) -> SparkOptions:
    conf = {"spark.driver.extraJavaOptions": _NO_NETWORK}
    return replace(options, cache=tmp_path / "cache", conf=conf)


def offering(options: SparkOptions, repository: Path) -> SparkOptions:
    conf = {**options.conf, "spark.jars.repositories": repository.as_uri()}
    return replace(options, conf=conf)


def fetched(options: SparkOptions) -> tuple[Path, ...]:
    return fetch(options, find_java(options.java_home, options.java_source))


def test_a_jar_comes_from_the_user_s_repository_into_the_cache_and_is_used_from_there(
    offline: SparkOptions, repository: Path, jar: Path
) -> None:
    (came,) = fetched(offering(offline, repository))
    assert cached_jars(offline.cache, s3=False) == (came,)
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (came, jar)]
    assert digests[0] == digests[1]
    assert [path.name for path in offline.cache.iterdir()] == ["jars"]


def test_of_two_who_want_it_at_once_one_fetches_it(
    offline: SparkOptions, repository: Path, tmp_path: Path
) -> None:
    both = [
        replace(offering(offline, repository), log=tmp_path / f"{name}.log")
        for name in ("one", "other")
    ]
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(fetched, both)
    assert first == second
    assert sum(options.log.exists() for options in both) == 1  # of the only JVM


def test_what_is_there_is_not_fetched_again(tmp_path: Path, jar: Path) -> None:
    there = tmp_path / "cache" / "jars" / jar.name
    there.parent.mkdir(parents=True)
    there.symlink_to(jar)
    home = make_java(tmp_path / "jdk", then="print('[unresolved dependency: x]'); sys.exit(1)")
    options = SparkOptions(tmp_path / "cache", tmp_path / "log", java_home=home, s3=True)
    with pytest.raises(UnavailableError, match=r"^iceberg-aws-bundle-\S+ could not be fetched"):
        fetched(options)
    assert there.is_symlink()


def test_a_repository_with_another_jar_of_that_name_is_told(
    offline: SparkOptions, repository: Path
) -> None:
    (published,) = repository.rglob("*.jar")
    published.unlink()
    published.write_bytes(b"PK\x05\x06" + bytes(18))  # an empty archive
    with pytest.raises(CorruptDataError, match="is not what its makers published"):
        fetched(offering(offline, repository))
    assert cached_jars(offline.cache, s3=False) == ()


@pytest.mark.parametrize("damaged", [False, True])
def test_without_a_network_it_is_said_what_to_do(offline: SparkOptions, *, damaged: bool) -> None:
    if damaged:
        (offline.cache / "jars").mkdir(parents=True)
        (offline.cache / "jars" / _JAR).write_text("half of it")
        assert cached_jars(offline.cache, s3=False) == ()
    with pytest.raises(UnavailableError) as refused:
        fetched(offline)
    how = "is damaged, and could not be fetched again" if damaged else "could not be fetched"
    assert refused.value.message == f"{_JAR} {how}: is there a network?"
    assert refused.value.hint == (
        f"put it into {offline.cache}/jars or name it in `pipeline.jars`;"
        f" what Spark said is in {offline.log}"
    )
    assert "Server access error" in offline.log.read_text()


@pytest.mark.skipif(cannot_mount() is not None, reason=str(cannot_mount()))
def test_a_cache_without_room_is_told_and_left_as_it_was(
    offline: SparkOptions, repository: Path
) -> None:
    offline.cache.mkdir()
    java = find_java(offline.java_home, offline.java_source).program.parent.parent
    told = run_on_small_disk(
        *(offline.cache, "20m", "tests.spark.session.small_disk"),
        *(str(offline.cache), str(offline.log), repository.as_uri(), _NO_NETWORK, str(java)),
    )
    assert told == (
        f"there is no room for {_JAR} in {offline.cache}"
        " (make room there, or set `pipeline.cache` to a folder that has some)\n"
        "['jars']\n"
    )

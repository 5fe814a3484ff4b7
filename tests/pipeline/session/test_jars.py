from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lakeport.core.errors import CorruptDataError, PreconditionError
from lakeport.pipeline.session.jars import VERSIONS, cached_jars, named_jars, wanted
from lakeport.pipeline.session.versions import is_runtime, require_spark

Make = Callable[[str], Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(name: str) -> Path:
        with zipfile.ZipFile(tmp_path / name, "w"):
            return tmp_path / name

    return made


def test_named_jars_are_used_as_they_are(make: Make) -> None:
    jars = (make("iceberg-spark-runtime-4.1_2.13-1.12.0.jar"), make("more.jar"))
    assert named_jars(jars) == jars


def test_a_named_jar_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(PreconditionError, match=r"x\.jar is not there"):
        named_jars([tmp_path / "x.jar"])


def test_a_named_jar_that_is_cut_off_is_told(make: Make) -> None:
    jar = make("iceberg-spark-runtime-4.1_2.13-1.12.0.jar")
    jar.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(CorruptDataError, match="not all of it is there"):
        named_jars([jar])


def test_named_jars_without_the_runtime_are_refused(make: Make) -> None:
    with pytest.raises(PreconditionError, match="names no Iceberg runtime"):
        named_jars([make("more.jar")])


def test_a_runtime_for_another_spark_is_refused_in_a_sentence(make: Make) -> None:
    jar = make("iceberg-spark-runtime-3.5_2.12-1.9.2.jar")
    with pytest.raises(PreconditionError) as refused:
        named_jars([jar])
    assert refused.value.message == (
        "iceberg-spark-runtime-3.5_2.12-1.9.2.jar is made for Spark 3.5, but only 4.1 is supported"
    )
    assert "iceberg-spark-runtime-4.1_2.13" in (refused.value.hint or "")


@pytest.mark.parametrize("version", ["4.0.1", "4.2.0", "3.5.6", "4.10.0"])
def test_another_minor_version_of_spark_is_refused(version: str) -> None:
    with pytest.raises(PreconditionError, match=r"but only 4\.1\.x is supported"):
        require_spark(version, f"pyspark here is {version}", "install another")


def test_every_minor_version_of_the_right_spark_will_do() -> None:
    require_spark("4.1.4", "", "")
    require_spark("4.1.0.dev1", "", "")


def test_tables_in_s3_need_a_jar_more_of_the_same_version() -> None:
    assert [jar.file for jar in wanted(VERSIONS[0], s3=True)] == [
        f"iceberg-spark-runtime-4.1_2.13-{VERSIONS[0]}.jar",
        f"iceberg-aws-bundle-{VERSIONS[0]}.jar",
    ]


@pytest.mark.parametrize("s3", [False, True])
def test_a_cached_jar_that_is_not_what_was_published_counts_as_missing(
    tmp_path: Path, *, s3: bool
) -> None:
    (tmp_path / "jars").mkdir()
    for version in VERSIONS:
        for artifact in wanted(version, s3=s3):
            with zipfile.ZipFile(tmp_path / "jars" / artifact.file, "w"):
                pass
    assert cached_jars(tmp_path, s3=s3) == ()


def test_an_empty_cache_has_no_jars(tmp_path: Path) -> None:
    assert cached_jars(tmp_path, s3=False) == ()


def test_a_runtime_is_known_by_its_name() -> None:
    assert is_runtime("iceberg-spark-runtime-own.jar")
    assert not is_runtime("iceberg-aws-bundle-1.12.0.jar")

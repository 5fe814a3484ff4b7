"""The jar by which a JVM of ours writes files without starting processes; tests/spark/test_append.py looks at the files."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from lakeport.pipeline.session.command import Place, settings
from lakeport.pipeline.session.java import find_java
from lakeport.pipeline.session.launch import spark_home
from lakeport.pipeline.session.local_files import IMPLEMENTATION, local_files_jar
from lakeport.pipeline.session.options import SparkOptions

OPTIONS = SparkOptions(Path("/cache"), Path("/log"))


@pytest.fixture(scope="module")
def java() -> Path:
    return find_java(None, "pipeline.java_home").program


def told(options: SparkOptions, *jars: Path) -> str | None:
    place = Place(Path("/jdk/java"), Path("/spark"), Path("/scratch"), jars)
    return settings(options, place).get(IMPLEMENTATION)


def test_the_jar_is_made_once_and_again_where_it_is_cut_off(java: Path, tmp_path: Path) -> None:
    (jar,) = local_files_jar(tmp_path, java, spark_home())
    classes = ["lakeport/LocalFiles$Bare.class", "lakeport/LocalFiles.class"]
    assert sorted(zipfile.ZipFile(jar).namelist()) == classes
    made = jar.stat().st_mtime_ns
    assert local_files_jar(tmp_path, java, spark_home()) == (jar,)
    assert jar.stat().st_mtime_ns == made  # or an archive of classes would not fit any more
    jar.write_bytes(jar.read_bytes()[:100])
    local_files_jar(tmp_path, java, spark_home())
    assert sorted(zipfile.ZipFile(jar).namelist()) == classes
    assert list(jar.parent.iterdir()) == [jar]


def test_where_the_jar_cannot_be_made_hadoop_goes_its_own_way(java: Path, tmp_path: Path) -> None:
    assert local_files_jar(tmp_path, java, tmp_path / "no spark") == ()
    assert local_files_jar(tmp_path, tmp_path / "no java", spark_home()) == ()
    assert list((tmp_path / "jars").iterdir()) == []
    assert told(OPTIONS) is None


def test_spark_is_told_of_the_class_where_it_has_the_jar_and_the_user_says_nothing() -> None:
    jar = Path("/cache/jars/lakeport-local-files-0123456789ab.jar")
    assert told(OPTIONS, jar) == "lakeport.LocalFiles"
    assert told(replace(OPTIONS, master="spark://far:7077"), jar) is None
    assert told(replace(OPTIONS, conf={IMPLEMENTATION: "my.Files"}), jar) == "my.Files"

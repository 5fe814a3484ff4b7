from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from lakeport.pipeline.session.archive import Archive
from lakeport.pipeline.session.command import Place
from lakeport.pipeline.session.java import Java, find_java
from lakeport.pipeline.session.jvm import Jvm
from lakeport.pipeline.session.options import SparkOptions
from tests.pipeline.session.programs import LIVE, UP, make_java

_WRITE = """
flag = next(part for part in sys.argv if part.startswith('-XX:ArchiveClassesAtExit='))
with open(flag.partition('=')[2], 'w') as out:
    out.write('classes')
"""
_DUMP = """
if '-Xshare:dump' in sys.argv:
    with open(sys.argv[-1].partition('=')[2], 'w') as out:
        out.write('java')
    sys.exit()
"""


@pytest.fixture
def options(tmp_path: Path) -> SparkOptions:
    return SparkOptions(tmp_path / "cache", tmp_path / "spark.log", master="local[2]")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    jar = tmp_path / "iceberg.jar"
    jar.touch()
    return Place(tmp_path / "jdk" / "bin" / "java", tmp_path / "spark", tmp_path, (jar,))


def java_that(place: Place, then: str) -> Java:
    return find_java(make_java(place.java.parent.parent, then=then))


def run(archive: Archive, java: Java, folder: Path, *, worked: bool = True) -> None:
    line = [str(java.program), *archive.flags]
    jvm = Jvm(line, os.environ, folder, folder / "spark.log")
    jvm.gateway()
    archive.after(jvm, worked=worked)


def test_the_first_session_writes_and_the_next_reads(
    options: SparkOptions, place: Place, tmp_path: Path
) -> None:
    java = java_that(place, UP + LIVE + _WRITE)
    first = Archive.of(options, java, place)
    assert (first.reads, first.writes is None) == (None, False)
    run(first, java, tmp_path)
    (kept,) = (options.cache / "classes").iterdir()
    second = Archive.of(options, java, place)
    assert second == Archive(reads=kept)
    assert f"-XX:SharedArchiveFile={kept}" in second.flags


def test_one_that_is_cut_off_is_thrown_away_and_written_anew(
    options: SparkOptions, place: Place, tmp_path: Path
) -> None:
    java = java_that(place, UP + LIVE + _WRITE)
    first = Archive.of(options, java, place)
    run(first, java, tmp_path)
    (kept,) = (options.cache / "classes").iterdir()
    os.truncate(kept, 3)
    assert Archive.of(options, java, place) == first
    assert not kept.exists()


def test_a_java_without_an_archive_of_its_own_gets_one(
    options: SparkOptions, place: Place, tmp_path: Path
) -> None:
    java = find_java(
        make_java(place.java.parent.parent, then=_DUMP + UP + LIVE + _WRITE, shares=False)
    )
    first = Archive.of(options, java, place)
    assert first.base is not None
    assert f"-XX:SharedArchiveFile={first.base}" in first.flags
    run(first, java, tmp_path)
    second = Archive.of(options, java, place)
    assert second.reads is not None
    assert f"-XX:SharedArchiveFile={first.base}{os.pathsep}{second.reads}" in second.flags


def test_a_java_that_cannot_make_one_of_its_own_starts_without(
    options: SparkOptions, place: Place
) -> None:
    java = find_java(make_java(place.java.parent.parent, then="sys.exit(1)", shares=False))
    assert Archive.of(options, java, place) == Archive()


def test_a_cache_that_cannot_be_made_is_no_reason_not_to_start(
    options: SparkOptions, place: Place
) -> None:
    options.cache.touch()
    assert Archive.of(options, java_that(place, ""), place) == Archive()


@pytest.mark.parametrize("then", [LIVE + _WRITE + "sys.exit(1)", LIVE, f"{LIVE}\nsys.exit(1)"])
def test_a_jvm_that_fails_leaves_no_archive(
    options: SparkOptions, place: Place, tmp_path: Path, then: str
) -> None:
    java = java_that(place, f"{UP}\n{then}")
    archive = Archive.of(options, java, place)
    run(archive, java, tmp_path)
    assert Archive.of(options, java, place) == archive
    assert list((options.cache / "classes").iterdir()) == []


def test_a_jvm_that_did_nothing_leaves_no_archive(
    options: SparkOptions, place: Place, tmp_path: Path
) -> None:
    java = java_that(place, UP + LIVE + _WRITE)
    archive = Archive.of(options, java, place)
    run(archive, java, tmp_path, worked=False)
    assert Archive.of(options, java, place) == archive


def test_only_quick_sessions_on_this_machine_have_one(options: SparkOptions, place: Place) -> None:
    java = java_that(place, "")
    for other in (
        replace(options, profile="throughput"),
        replace(options, master="yarn"),
        replace(options, archive=False),
    ):
        assert Archive.of(other, java, place).flags == ()


def test_an_archive_is_good_for_the_same_java_flags_and_jars_only(
    options: SparkOptions, place: Place
) -> None:
    java = java_that(place, "")
    file = Archive.of(options, java, place).writes
    assert (
        Archive.of(replace(options, conf={"spark.driver.memory": "2g"}), java, place).writes == file
    )
    assert Archive.of(options, replace(java, version="21"), place).writes != file
    flag = {"spark.driver.extraJavaOptions": "-Xss4m"}
    assert Archive.of(replace(options, conf=flag), java, place).writes != file
    place.jars[0].write_text("another")
    assert Archive.of(options, java, place).writes != file


def test_of_two_that_write_it_at_once_one_is_kept(
    options: SparkOptions, place: Place, tmp_path: Path
) -> None:
    """Their lengths differ a little, as those of two runs do."""
    java = java_that(place, UP + LIVE + _WRITE)
    both = [Archive.of(options, java, place) for _ in range(2)]
    run(both[0], java, tmp_path)
    (kept,) = (options.cache / "classes").iterdir()
    program = java.program.read_text()
    java.program.write_text(program.replace("'classes'", "'more classes'"))
    run(both[1], java, tmp_path)
    assert list((options.cache / "classes").iterdir()) == [kept]

"""Class archives are large: those that were used last stay, whoever else is at work in the folder."""

from __future__ import annotations

import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from lakeport.core.errors import PreconditionError
from lakeport.pipeline.session.archive import Archive
from lakeport.pipeline.session.command import Place
from lakeport.pipeline.session.java import Java, find_java
from lakeport.pipeline.session.jvm import Jvm
from lakeport.pipeline.session.options import SparkOptions
from tests.pipeline.session.programs import LIVE, UP, make_java

KEPT = 5
WRITE = """
flag = next(part for part in sys.argv if part.startswith('-XX:ArchiveClassesAtExit='))
with open(flag.partition('=')[2], 'w') as out:
    out.write('classes')
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    return Place(tmp_path / "jdk" / "bin" / "java", tmp_path / "spark", tmp_path, ())


@pytest.fixture
def java(place: Place) -> Java:
    return find_java(make_java(place.java.parent.parent, then=UP + LIVE + WRITE))


def options_of(folder: Path, number: int) -> SparkOptions:
    """Each number is another JVM to Java, and so another archive."""
    flags = {"spark.driver.extraJavaOptions": f"-Dnumber={number}"}
    return SparkOptions(folder / "cache", folder / "spark.log", master="local[2]", conf=flags)


def end_one(folder: Path, java: Java, place: Place, number: int) -> None:
    """A first session, from its start to the archive that it leaves."""
    scratch = folder / f"scratch-{number}"
    scratch.mkdir(exist_ok=True)
    archive = Archive.of(options_of(folder, number), java, place)
    jvm = Jvm([str(java.program), *archive.flags], os.environ, scratch, scratch / "log")
    jvm.gateway()
    archive.after(jvm, worked=True)


def made_older(folder: Path) -> None:
    """So that the next file is newer, whatever the clock of the disk can tell apart."""
    for file in (folder / "cache" / "classes").iterdir():
        moment = file.stat().st_mtime - 10
        os.utime(file, (moment, moment))


def reads(folder: Path, java: Java, place: Place, number: int) -> bool:
    wanted = replace(options_of(folder, number), archive=False)
    return Archive.of(wanted, java, place).reads is not None


def test_those_used_last_stay(tmp_path: Path, java: Java, place: Place) -> None:
    for number in range(KEPT):
        end_one(tmp_path, java, place, number)
        made_older(tmp_path)
    assert reads(tmp_path, java, place, 0)  # the oldest, and used now
    end_one(tmp_path, java, place, KEPT)
    assert len(list((tmp_path / "cache" / "classes").iterdir())) == KEPT
    assert reads(tmp_path, java, place, 0)
    assert not reads(tmp_path, java, place, 1)
    assert reads(tmp_path, java, place, KEPT)


def test_a_part_that_nobody_writes_any_more_goes(tmp_path: Path, java: Java, place: Place) -> None:
    folder = tmp_path / "cache" / "classes"
    folder.mkdir(parents=True)
    old, young = folder / "a.1.part", folder / "b.2.part"
    for part in (old, young):
        part.write_text("half of it")
    long_ago = time.time() - 7_200
    os.utime(old, (long_ago, long_ago))
    end_one(tmp_path, java, place, 1)
    assert not old.exists()
    assert young.exists()


def test_several_may_end_at_once(tmp_path: Path, java: Java, place: Place) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: end_one(tmp_path, java, place, number), range(16)))
    left = list((tmp_path / "cache" / "classes").iterdir())
    assert 1 <= len(left) <= KEPT
    assert all(file.suffix == ".jsa" for file in left)


def test_java_starts_without_an_archive_that_is_gone(tmp_path: Path) -> None:
    """Removed between the look for it and the start: what was promised is speed alone."""
    try:
        java = find_java(None)
    except PreconditionError as missing:
        pytest.skip(str(missing))
    for files in ("gone.jsa", f"{tmp_path}/base.jsa{os.pathsep}{tmp_path}/gone.jsa"):
        archive = Archive(reads=tmp_path / files)
        told = subprocess.run(
            [java.program, *archive.flags, "-version"], capture_output=True, text=True, check=False
        )
        assert told.returncode == 0, told
        assert java.version in told.stderr

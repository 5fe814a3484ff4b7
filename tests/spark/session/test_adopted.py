"""Sessions that were there before us: what is theirs stays so, and what they lack is told."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from lakeport.app.lake.rest import LocalDoor
from lakeport.core.errors import LakeportError
from lakeport.pipeline.session import SparkOptions, adopt, start_spark
from tests.spark.session.alone import alone
from tests.spark.session.catalogs import settings_for


def test_a_session_of_connect_stays_as_it_was_and_open(
    options: SparkOptions, server: str, door: LocalDoor
) -> None:
    with start_spark(replace(options, connect=server, conf={})) as owner:
        session = owner.fresh()
        before = session.sql("SHOW CURRENT NAMESPACE").collect()
        with adopt(session, options.log) as spark:
            assert (spark.is_connect, spark.is_local) == (True, False)
            assert spark.session(door.for_spark()) is session
            session.sql("CREATE NAMESPACE lake.shop")
        assert session.sql("SHOW CURRENT NAMESPACE").collect() == before
        assert [row[0] for row in session.sql("SHOW NAMESPACES IN lake").collect()] == ["shop"]


def _plain(log: Path) -> list[str]:
    builder: Any = import_module("pyspark.sql").SparkSession.builder
    flags = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    builder = builder.master("local[1]").config("spark.driver.extraJavaOptions", flags)
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    try:
        spark = adopt(session, log)
        assert spark.is_local
        spark.session(settings_for("http://127.0.0.1:9"))
    except LakeportError as error:
        return [error.code, str(error)]
    finally:
        session.stop()
    return []


@pytest.mark.long
def test_a_session_without_iceberg_is_told_what_to_start_with(options: SparkOptions) -> None:
    code, sentence = alone(_plain, options.log)
    assert code == "failed_precondition"
    assert sentence == (
        "this Spark has no Iceberg in it (start it with --packages"
        " org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0)"
    )

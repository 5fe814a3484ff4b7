"""A JVM of our own that is killed at work, and what a process can do afterwards."""

from __future__ import annotations

import os
import signal

from lakeport.core.errors import PreconditionError
from lakeport.pipeline.session import SparkOptions, start_spark
from lakeport.pipeline.session.own import OwnSpark
from tests.spark.session.alone import alone
from tests.spark.session.catalogs import QUESTION, catalog_that


def _killed_and_begun_again(options: SparkOptions) -> dict[str, object]:
    told: dict[str, object] = {}
    with start_spark(options) as spark:
        assert isinstance(spark, OwnSpark)
        process = spark.process_id
        with catalog_that(lambda: os.kill(process, signal.SIGKILL)) as settings:
            session = spark.session(settings)
            try:
                session.sql(QUESTION).collect()
            except Exception as error:  # noqa: BLE001  Py4J's, or a socket's
                gone = spark.gone(error)
                told["killed"] = gone and (gone.code, gone.message, gone.hint)
    with start_spark(options) as again:
        try:
            start_spark(options)
        except PreconditionError as error:
            told["second"] = str(error)
        session = again.fresh()
        told["rows"] = session.sql("SELECT 1 AS one").collect()[0]["one"]
        try:
            session.sql("SELECT raise_error('no')").collect()
        except Exception as error:  # noqa: BLE001
            told["failed"] = again.gone(error)
    return told


def test_a_killed_jvm_is_told_in_a_sentence_and_another_one_can_start(
    options: SparkOptions,
) -> None:
    told = alone(_killed_and_begun_again, options)
    hint = (
        "run it again; if memory ran out, set `spark.driver.memory` in `pipeline.spark.conf`;"
        f" the last it said is in {options.log}"
    )
    assert told == {
        "killed": ("unavailable", "Spark's JVM was killed by signal 9", hint),
        "second": "Spark runs already in this process, and there can be one only"
        " (stop it first, or use sessions of the one that runs)",
        "rows": 1,
        "failed": None,
    }

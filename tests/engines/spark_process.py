"""Spark with Iceberg, as it runs in a process of its own: one JVM, any number of sessions."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from lakeport.app.settings import load
from lakeport.app.spark import spark_options
from lakeport.core.errors import PreconditionError, UnavailableError
from lakeport.pipeline.session import Spark, SparkOptions, start_spark
from lakeport.pipeline.session.fetch import fetch
from lakeport.pipeline.session.jars import cached_jars
from lakeport.pipeline.session.java import find_java
from lakeport.pipeline.session.versions import pyspark_version

_CONF = {
    "spark.driver.memory": "1g",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.leafNodeDefaultParallelism": "1",  # a file for each INSERT … VALUES
}

# One JVM leaves an archive of its classes, if there is none: it ends 20 s later, and each of dozens of JVMs
# that come after it in `make test` takes 4 s less of a processor.
_IS_FIRST_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0"

# What runs inside a statement and is no part of its sentence.
_TRACE = re.compile(r"\n\s+at |\nJVM stacktrace")


class NoSparkError(Exception):
    """Why there is no Spark on this machine."""


class Sessions:
    """Sessions of one JVM, by number: each has settings, views and catalogs of its own."""

    def __init__(self, spark: Spark) -> None:
        self._spark = spark
        self._sessions: list[Any] = []

    def open(self, settings: Mapping[str, str]) -> int:
        self._sessions.append(self._spark.session(settings))
        return len(self._sessions) - 1

    def sql(self, number: int, text: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Columns and rows."""
        try:
            frame = self._sessions[number].sql(text)
            return list(frame.columns), [tuple(map(_plain, row)) for row in frame.collect()]
        except Exception as error:  # noqa: BLE001  of PySpark, Py4J and Java
            raise StatementError(error) from None

    def configure(self, number: int, key: str, value: str) -> None:
        self._sessions[number].conf.set(key, value)


class StatementError(Exception):
    """What Spark said, without the stack of Java."""

    def __init__(self, error: Exception) -> None:
        text = _TRACE.split(str(error))[0]
        super().__init__(f"{type(error).__name__}: {text}"[:4_000])


def _plain(value: Any) -> Any:
    """As Arrow hands it out, and without a class of PySpark's, which the other process lacks."""
    if hasattr(value, "asDict"):
        return {name: _plain(value[name]) for name in value.__fields__}
    if isinstance(value, dict):
        return [(_plain(key), _plain(inner)) for key, inner in value.items()]
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return bytes(value) if isinstance(value, bytearray) else value


@contextmanager
def spark(folder: str) -> Iterator[Sessions]:
    """Start a JVM; `folder` takes what it writes beside tables."""
    options = replace(options_in(Path(folder)), archive=_IS_FIRST_WORKER)
    require_machine(options)
    os.environ["TZ"] = "UTC"  # PySpark hands moments out in the zone of its process
    time.tzset()
    with start_spark(options) as started:
        yield Sessions(started)


def options_in(folder: Path) -> SparkOptions:
    return replace(
        spark_options(load(folder=folder)),
        log=folder / "spark.log",
        master="local[2]",
        conf=_CONF,
        archive=False,  # one that is there is used; a JVM's end takes long if it writes one
    )


def require_machine(options: SparkOptions) -> None:
    """What only a machine can lack; whatever else goes wrong is no reason to skip a test."""
    try:
        pyspark_version()
        java = find_java(options.java_home, options.java_source)
        if not cached_jars(options.cache, s3=options.s3):
            fetch(options, java)
    except (PreconditionError, UnavailableError) as error:
        raise NoSparkError(str(error)) from error

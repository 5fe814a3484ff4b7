"""`start_spark`: from what somebody wants to a Spark that runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from lakeport.core.errors import ConfigurationError, UnavailableError
from lakeport.pipeline.session.application import Spark
from lakeport.pipeline.session.connect import ConnectSpark
from lakeport.pipeline.session.contradictions import require_agreement
from lakeport.pipeline.session.fetch import fetch
from lakeport.pipeline.session.jars import cached_jars, named_jars
from lakeport.pipeline.session.java import Java, find_java
from lakeport.pipeline.session.launch import spark_home
from lakeport.pipeline.session.local_files import local_files_jar
from lakeport.pipeline.session.options import SparkOptions
from lakeport.pipeline.session.own import Launched, OwnSpark, require_alone
from lakeport.pipeline.session.versions import pyspark_version


def start_spark(options: SparkOptions) -> Spark:
    """Whatever is missing or does not fit is told before a JVM is started.

    A process has one Spark of its own at a time; sessions of Spark Connect servers are not limited.
    """
    if options.connect is None:
        return start_own(options)
    prepare(options)
    return ConnectSpark(options, options.connect)


def start_own(options: SparkOptions) -> OwnSpark:
    """A JVM of our own."""
    prepare(options)
    require_alone()
    return risen(launch_own(options))


def launch_own(options: SparkOptions) -> Launched:
    """Its JVM alone, which takes a moment; PySpark is not loaded yet."""
    pyspark_version()
    require_agreement(options)
    if options.profile == "quick" and not options.is_local:
        raise ConfigurationError(
            f"the profile quick is for Spark on this machine, and its master is {options.master}",
            hint="set `pipeline.profile` to auto or throughput",
        )
    java = find_java(options.java_home, options.java_source)
    with _room():
        jars = _jars(options, java)
        if options.is_local:
            jars += local_files_jar(options.cache, java.program, spark_home())
        return Launched(options, java, jars)


def risen(launched: Launched) -> OwnSpark:
    """Spark in a JVM that was launched before, when it is up."""
    try:
        prepare(launched.options)
        require_alone()
    except BaseException:
        launched.close()
        raise
    with _room():
        return OwnSpark(launched)


@contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise UnavailableError(
            f"Spark cannot start, {error.filename}: {reason}",
            hint="it needs room for temporary files, `pipeline.cache` and its log",
        ) from error


def prepare(options: SparkOptions) -> None:
    pyspark_version()
    require_agreement(options)
    _silence()


def _jars(options: SparkOptions, java: Java) -> tuple[Path, ...]:
    if options.jars:
        return named_jars(options.jars)
    return cached_jars(options.cache, s3=options.s3) or fetch(options, java)


def _silence() -> None:
    """PySpark prints each error of a statement with Java's stack; it is raised as well, and enough."""
    logger: Any = import_module("pyspark.logger").PySparkLogger
    for kind in ("SQL", "DataFrame"):
        logger.getLogger(f"{kind}QueryContextLogger").disabled = True
    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]")

"""Spark with Iceberg, as it runs in a process of its own: one JVM, any number of sessions.

Iceberg's jar is resolved once by Spark itself, kept in our cache folder, and used by path from then
on: resolving takes seconds and a network.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_ARTIFACT = "iceberg-spark-runtime-4.1_2.13"
_VERSION = "1.12.0"
_JAR = f"{_ARTIFACT}-{_VERSION}.jar"
_JAVAS = (17, 21)

# What runs inside a statement and is no part of its sentence.
_TRACE = re.compile(r"\n\s+at |\nJVM stacktrace")


class NoSparkError(Exception):
    """Why there is no Spark on this machine."""


class Sessions:
    """Sessions of one JVM, by number: each has settings, views and catalogs of its own."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._sessions: list[Any] = []

    def open(self, settings: Mapping[str, str]) -> int:
        session = self._root.newSession()
        for key, value in settings.items():
            session.conf.set(key, value)
        self._sessions.append(session)
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
    reason = why_no_java()
    if reason is not None:
        raise NoSparkError(reason)
    jar = _cache() / _JAR
    root = _start(_settings(Path(folder), jar))
    _keep(jar)
    try:
        yield Sessions(root)
    finally:
        root.stop()


def why_no_java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if program is None:
        return "no java found"
    told = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(\d+)', told.stderr)
    if found is None or int(found[1]) not in _JAVAS:
        return f"{program} is not Java 17 or 21"
    return None


def _settings(folder: Path, jar: Path) -> dict[str, str]:
    if jar.exists():
        library = {"spark.jars": str(jar)}
    else:
        packages = f"org.apache.iceberg:{_ARTIFACT}:{_VERSION}"
        library = {"spark.jars.packages": packages, "spark.jars.ivy": str(_ivy())}
    return {
        **library,
        "spark.master": "local[2]",
        "spark.driver.memory": "1g",
        # Tests are short: what the second compiler would win later it costs now.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.leafNodeDefaultParallelism": "1",  # a file for each INSERT … VALUES
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
    }


def _start(settings: Mapping[str, str]) -> Any:
    # Loaded here alone, and by name: its types would cost mypy more than all of ours.
    pyspark: Any = importlib.import_module("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["TZ"] = "UTC"  # PySpark hands moments out in the zone of its process
    time.tzset()
    builder = pyspark.SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        started = builder.getOrCreate()
    except Exception as error:
        if "JAVA_GATEWAY_EXITED" not in str(error):
            raise
        reason = "Spark did not start" if "spark.jars" in settings else f"{_JAR} cannot be had"
        raise NoSparkError(reason) from error
    started.sparkContext.setLogLevel("OFF")
    return started


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "lakeport"


def _ivy() -> Path:
    return _cache() / "ivy"


def _keep(jar: Path) -> None:
    """From Ivy's folder to where it is found without asking; whole or not at all."""
    if not jar.exists():
        part = jar.with_suffix(f".{os.getpid()}")
        shutil.copyfile(_ivy() / "jars" / f"org.apache.iceberg_{_JAR}", part)
        part.replace(jar)

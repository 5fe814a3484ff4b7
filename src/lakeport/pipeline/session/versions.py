"""Which versions go together, and a sentence for those that do not.

Iceberg's runtime is built for one minor version of Spark: another one loads it and breaks later, on
interfaces that changed, so it is refused here.
"""

from __future__ import annotations

import importlib.metadata
import re

from lakeport.core.errors import PreconditionError

JAVA_VERSIONS = (17, 21)
SPARK_VERSION = "4.1"
INSTALL_PYSPARK = f'pip install "lakeport[spark]" (pyspark {SPARK_VERSION}.x)'

_MINOR = re.compile(r"iceberg-spark-runtime-(?P<spark>\d+\.\d+)_(?P<scala>\d+\.\d+)-.+\.jar")


def pyspark_version() -> str:
    """Of the package in this environment, which is not loaded for that."""
    try:
        version = importlib.metadata.version("pyspark")
    except importlib.metadata.PackageNotFoundError:
        raise PreconditionError("pyspark is not installed", hint=INSTALL_PYSPARK) from None
    require_spark(version, f"pyspark here is {version}", INSTALL_PYSPARK)
    return version


def require_spark(version: str, found: str, hint: str) -> None:
    if not version.startswith(f"{SPARK_VERSION}."):
        raise PreconditionError(f"{found}, but only {SPARK_VERSION}.x is supported", hint=hint)


def is_runtime(jar: str) -> bool:
    return jar.startswith("iceberg-spark-runtime")


def require_runtime(jar: str) -> None:
    """`jar` is a file's name; one that does not tell its version is believed."""
    found = _MINOR.fullmatch(jar)
    if found is not None and found["spark"] != SPARK_VERSION:
        raise PreconditionError(
            f"{jar} is made for Spark {found['spark']}, but only {SPARK_VERSION} is supported",
            hint=f"name iceberg-spark-runtime-{SPARK_VERSION}_2.13-….jar in `pipeline.jars`",
        )

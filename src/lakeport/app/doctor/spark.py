"""What a pipeline needs: Java 17 or 21, pyspark 4.1 and the Iceberg runtime built for it.

All of it is optional (nothing needs Spark to serve), so what is missing is a warning. With Spark
Connect the other side has the JVM and the jars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.app.doctor.report import Check, ok, warn
from lakeport.app.project.daemon import daemon_status
from lakeport.app.spark import spark_options
from lakeport.core.errors import LakeportError
from lakeport.core.secrets import mask_text
from lakeport.pipeline.session.contradictions import require_agreement
from lakeport.pipeline.session.jars import (
    RUNTIME,
    VERSIONS,
    cached_jars,
    folder_of,
    named_jars,
)
from lakeport.pipeline.session.java import find_java
from lakeport.pipeline.session.versions import pyspark_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.app.settings import Settings
    from lakeport.pipeline.session.options import SparkOptions


def checks(settings: Settings) -> tuple[Check, ...]:
    try:
        options = spark_options(settings)
        require_agreement(options)
    except LakeportError as error:
        return (warn("spark", error.message, error.hint or ""),)
    if options.connect is not None:
        remote = f"not needed here: Spark runs at {mask_text(options.connect)}"
        return ok("java", remote), pyspark(), ok("spark jar", remote)
    return java(options), pyspark(), jar(options), *daemon(settings)


def java(options: SparkOptions) -> Check:
    return _judged("java", lambda: str(find_java(options.java_home, options.java_source)))


def pyspark() -> Check:
    return _judged("pyspark", pyspark_version)


def jar(options: SparkOptions) -> Check:
    """The Iceberg runtime: named, in our cache, or to be fetched by the first run."""
    if options.jars:
        return _judged("spark jar", lambda: ", ".join(map(str, named_jars(options.jars))))
    cached = cached_jars(options.cache, s3=options.s3)
    if cached:
        return ok("spark jar", ", ".join(map(str, cached)))
    folder = folder_of(options.cache)
    is_damaged = (folder / f"{RUNTIME}-{VERSIONS[0]}.jar").exists()
    return warn(
        "spark jar",
        f"{RUNTIME} in {folder} is damaged" if is_damaged else f"{RUNTIME} is not in {folder}",
        f"the first `lakeport run` fetches it; without a network put {RUNTIME}-{VERSIONS[0]}.jar"
        " there or name it in `pipeline.jars`",
    )


def daemon(settings: Settings) -> tuple[Check, ...]:
    """Only if one runs: nobody needs to have one."""
    found = daemon_status(settings)
    if found.pid is None:
        return ()
    told = f"runs at {found.address} since {found.started} (process {found.pid})"
    if found.matches:
        return (ok("spark daemon", told),)
    return (
        warn(
            "spark daemon",
            f"{told}, with other settings or versions: runs do not use it",
            "`lakeport daemon start` replaces it",
        ),
    )


def _judged(name: str, find: Callable[[], str]) -> Check:
    try:
        return ok(name, find())
    except LakeportError as error:
        return warn(name, error.message, error.hint or "")

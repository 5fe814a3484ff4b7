"""The command that starts Spark's JVM for PySpark, as plain data.

Spark's own launcher is a second JVM that only prints such a command. Ours leaves it out, and also the
module `jdk.incubator.vector`, which small Java runtimes lack; a class archive needs a class path on
which no jar stands twice, as the launcher's does. What Spark is told goes into a file that only its
owner can read: arguments of a program are seen by everybody on the machine.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lakeport.pipeline.session.local_files import local_files
from lakeport.pipeline.session.options import SparkOptions

EXTENSIONS = "spark.sql.extensions"

_ICEBERG = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
_LOOPBACK = "127.0.0.1"

POOLS = "pools.xml"
"""A file in the scratch folder: jobs of all sessions are in one pool, which is fair inside, too."""

FAIR_POOLS = """<?xml version="1.0"?>
<allocations><pool name="default"><schedulingMode>FAIR</schedulingMode></pool></allocations>
"""

# The packages that Spark reaches into by reflection, as its launcher opens them.
_OPENED = (
    *(
        f"java.base/{package}"
        for package in (
            "java.lang",
            "java.lang.invoke",
            "java.lang.reflect",
            "java.io",
            "java.net",
            "java.nio",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "jdk.internal.ref",
            "sun.nio.ch",
            "sun.nio.cs",
            "sun.security.action",
            "sun.util.calendar",
        )
    ),
    "java.security.jgss/sun.security.krb5",
)
_FLAGS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    *(f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED),
    "--enable-native-access=ALL-UNNAMED",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
    "-Dderby.connection.requireAuthentication=false",
)
# Short work never earns back what the second compiler and a concurrent collector cost.
# With the first one alone Java keeps 48 MB of compiled code, and a dozen models need more: then it throws
# away and compiles again all the time, a third of all processor time (measured with 20 models, 57 MB).
_QUICK_FLAGS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:ReservedCodeCacheSize=240m")
_COLLECTOR = re.compile(r"-XX:\+Use\w+GC")

_ESCAPED = re.compile(r"[\\\s:=#!]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where things are: `home` is PySpark's folder, `scratch` dies with the JVM."""

    java: Path
    home: Path
    scratch: Path
    jars: tuple[Path, ...]


def command(
    options: SparkOptions, place: Place, variables: Mapping[str, str], archive: Sequence[str] = ()
) -> list[str]:
    """`archive` are flags about the class archive; `variables` the environment's."""
    return [
        str(place.java),
        "-cp",
        os.pathsep.join(_class_path(options, place, variables)),
        *_heap(options),
        f"-XX:ErrorFile={options.log.with_suffix('')}.%p.crash",  # else in the user's folder
        *flags(options),
        *archive,
        "org.apache.spark.deploy.SparkSubmit",
        "--properties-file",
        str(place.scratch / "spark.conf"),
        "--load-spark-defaults",
        "pyspark-shell",
    ]


def flags(options: SparkOptions) -> tuple[str, ...]:
    """Those that make a JVM another one: an archive is good for the same ones only."""
    given = shlex.split(options.conf.get("spark.driver.extraJavaOptions", ""))
    quick: tuple[str, ...] = _QUICK_FLAGS if options.profile == "quick" else ()
    if any(map(_COLLECTOR.fullmatch, given)):  # Java takes one; of other flags it takes the last
        quick = tuple(flag for flag in quick if not _COLLECTOR.fullmatch(flag))
    return *_FLAGS, *quick, *given


def _heap(options: SparkOptions) -> tuple[str, ...]:
    """Without a word about it Java takes a quarter of the machine."""
    memory = options.conf.get("spark.driver.memory")
    return (f"-Xmx{memory}",) if memory else ()


def _class_path(
    options: SparkOptions, place: Place, variables: Mapping[str, str]
) -> tuple[str, ...]:
    # On the class path itself and not by `spark.jars`: what that loads no archive can hold.
    own = tuple(map(str, place.jars))
    extra = options.conf.get("spark.driver.extraClassPath", "")
    clusters = ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR")
    told = tuple(variables.get(name, "") for name in clusters)
    return tuple(part for part in (*own, extra, *told, str(place.home / "jars" / "*")) if part)


def settings(options: SparkOptions, place: Place) -> dict[str, str]:
    """Everything Spark is told when it starts; what the user said wins, and is added to our lists."""
    given = dict(options.conf)
    extensions = [name for name in given.pop(EXTENSIONS, "").split(",") if name]
    if not options.is_local:
        # The executors get the jars from the driver.
        jars = [jar for jar in given.pop("spark.jars", "").split(",") if jar]
        given["spark.jars"] = ",".join([*map(str, place.jars), *jars])
    return {
        "spark.app.name": "lakeport",
        "spark.master": options.master,
        "spark.submit.deployMode": "client",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(place.scratch / "warehouse"),
        # Models that run beside each other take turns, and a long one keeps no short one waiting.
        "spark.scheduler.mode": "FAIR",
        "spark.scheduler.allocation.file": str(place.scratch / POOLS),
        **(_local(place) if options.is_local else {}),
        **(_quick(options) if options.profile == "quick" else {}),
        **given,
        EXTENSIONS: ",".join(dict.fromkeys([*extensions, _ICEBERG])),
    }


def _local(place: Place) -> dict[str, str]:
    return {
        "spark.driver.host": _LOOPBACK,
        "spark.driver.bindAddress": _LOOPBACK,
        "spark.local.dir": str(place.scratch / "local"),
        **local_files(place.jars),
    }


def _quick(options: SparkOptions) -> dict[str, str]:
    return {
        "spark.ui.enabled": "false",
        "spark.sql.ui.explainMode": "simple",  # the text of every plan, for a page that is not there
        "spark.sql.shuffle.partitions": str(cores(options.master)),
    }


def cores(master: str) -> int:
    """Of a local master: `local`, `local[2]`, `local[*]`, `local[*,4]`."""
    found = re.fullmatch(r"local(?:\[(?P<cores>\d+|\*)(?:,\s*\d+)?\])?", master)
    if found is None or found["cores"] is None:
        return 1
    return (os.cpu_count() or 1) if found["cores"] == "*" else int(found["cores"])


def properties(told: Mapping[str, str]) -> str:
    """A file of Java properties."""
    return "".join(f"{_escaped(key)}={_escaped(value)}\n" for key, value in told.items())


def _escaped(text: str) -> str:
    words = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\f": r"\f"}
    return _ESCAPED.sub(lambda found: words.get(found[0], "\\" + found[0]), text)

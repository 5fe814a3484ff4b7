"""From settings to the Spark they describe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lakeport.app.project.volume import last_volume
from lakeport.core.errors import ConfigurationError
from lakeport.pipeline.session.options import SparkOptions

if TYPE_CHECKING:
    from lakeport.app.settings import Catalog, Pipeline, Settings
    from lakeport.pipeline.session.options import Profile

_S3 = ("s3://", "s3a://", "s3n://")
_WORDS = ("s3.", "client.")


VOLUME = 150 << 20
"""From so many stored bytes in a run on, a JVM tuned for volume is worth its slower start.

bench/spark_profiles.py on two cores, `quick` / `throughput`: 0.56 of the time at 2 MB, 0.57 at 22, 0.78 at 81 and 1.24
at 303. Between the last two the lines cross at some 150 MB.
"""


def spark_options(settings: Settings) -> SparkOptions:
    """What Java says goes to a log in the project's own folder."""
    pipeline = settings.pipeline
    home = settings.sources.get("pipeline.java_home")
    return SparkOptions(
        cache=pipeline.cache or settings.home / "cache",
        log=spark_log(settings),
        profile=_profile(pipeline),
        master=pipeline.spark.master,
        connect=pipeline.spark.connect,
        conf=pipeline.spark.conf,
        java_home=pipeline.java_home,
        java_source=str(home or "pipeline.java_home"),
        jars=pipeline.jars,
        s3=_is_in_s3(settings.catalog),
        archive=pipeline.archive,
    )


def fresh_spark_options(settings: Settings) -> SparkOptions:
    """For a JVM that is started now, for one run or one notebook: `auto` looks at what the last run wrote."""
    options = spark_options(settings)
    is_open = settings.pipeline.profile == "auto" and options.profile == "quick"
    if is_open and last_volume(settings) >= VOLUME:
        return replace(options, profile="throughput")
    return options


def _is_in_s3(catalog: Catalog) -> bool:
    """Whether Spark needs what opens files there. A service's warehouse is a name and does not tell."""
    if catalog.type == "glue" or (catalog.warehouse or "").startswith(_S3):
        return True
    said = catalog.properties
    return catalog.type == "rest" and (
        "rest.sigv4-enabled" in said or any(key.startswith(_WORDS) for key in said)
    )


def spark_log(settings: Settings) -> Path:
    return settings.home / "spark.log"


def _profile(pipeline: Pipeline) -> Profile:
    """`auto` is quick on one machine, until a run was seen to be large."""
    spark = pipeline.spark
    if pipeline.profile == "remote" and spark.connect is None:
        raise ConfigurationError(
            "`pipeline.profile` is remote, and there is no `pipeline.spark.connect`",
            hint="name a Spark Connect server, `sc://HOST:PORT`, or leave the profile out",
        )
    if pipeline.profile in {"auto", "remote"}:
        return "quick" if spark.master.startswith("local") else "throughput"
    return "quick" if pipeline.profile == "quick" else "throughput"

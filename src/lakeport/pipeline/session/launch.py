"""From options to a running JVM."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from lakeport.pipeline.session.command import (
    FAIR_POOLS,
    POOLS,
    Place,
    command,
    properties,
    settings,
)
from lakeport.pipeline.session.jvm import Jvm
from lakeport.pipeline.session.options import SparkOptions

SCRATCH = "lakeport-spark-"
"""How folders begin that live as long as a JVM."""


def launch(options: SparkOptions, place: Place, archive: Sequence[str] = ()) -> Jvm:
    told = place.scratch / "spark.conf"
    told.touch(mode=0o600)
    told.write_text(properties(settings(options, place)), encoding="utf-8")
    (place.scratch / POOLS).write_text(FAIR_POOLS, encoding="utf-8")
    variables = {
        **os.environ,
        "SPARK_HOME": str(place.home),
        "SPARK_SCALA_VERSION": "2.13",
        "PYSPARK_PYTHON": worker_python(options),
    }
    line = command(options, place, variables, archive)
    return Jvm(line, variables, place.scratch, options.log)


def worker_python(options: SparkOptions) -> str:
    """Workers are this interpreter, or they lack its packages; a cluster may have it elsewhere."""
    return options.conf.get("spark.pyspark.python", sys.executable)


def spark_home() -> Path:
    """PySpark's folder, which is a whole Spark; PySpark itself is not loaded."""
    found = find_spec("pyspark")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("No module named 'pyspark'", name="pyspark")
    return Path(found.origin).parent

"""What the start of Spark costs, with the first model: our quick session beside PySpark as it comes.

In seconds of processor time of Python, of the JVM and of whatever it took to start it: on a busy machine
the only clock that tells the same twice. The model is the same for both, through the same door: a
namespace, a table, an insert, a MERGE; what it leaves is compared. The class archive is written before.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import lakeport
from bench.iceberg_parts.race import finish, is_quick
from bench.lineage_parts.clock import Line
from bench.spark_parts import processor
from lakeport.app.settings import load
from lakeport.app.spark import spark_options
from lakeport.pipeline.session import Session, SparkOptions, start_spark
from lakeport.pipeline.session.jars import cached_jars

ROUNDS = 3
AT_MOST = 0.5
FIRST = "first"  # fetches the jar, and writes the archive if there is none
WAYS = ("plain", "without archive", "quick")

MODEL = (
    "CREATE NAMESPACE lake.shop",
    "CREATE TABLE lake.shop.orders (id BIGINT, price DECIMAL(9, 2), note STRING) USING iceberg",
    "INSERT INTO lake.shop.orders SELECT id, id * 1.5, 'first' FROM range(1000)",
    """MERGE INTO lake.shop.orders AS t
    USING (SELECT id, id * 2.5 AS price, 'second' AS note FROM range(900, 1100)) AS s
    ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""",
)
RESULT = "SELECT count(*) AS rows, sum(price) AS total, max(note) AS note FROM lake.shop.orders"


def main() -> int:
    if len(sys.argv) > 1:
        print(json.dumps(_child(sys.argv[1], json.loads(sys.stdin.read()))))
        return 0
    _measured(FIRST)
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    results = set()
    for _ in range(1 if is_quick() else ROUNDS):
        for way in WAYS:
            took, result = _measured(way)
            seconds[way].append(took)
            results.add(result)
    if len(results) != 1:
        print("the results differ:", *results, sep="\n")
        return 1
    medians = {way: statistics.median(seconds[way]) for way in WAYS}
    for way, median in medians.items():
        print(f"{way:<16} {median:6.1f} CPU s   {median / medians['plain']:.2f} of plain")
    ratio = medians["quick"] / medians["plain"]
    return finish([Line("session and first model: quick / plain", ratio, AT_MOST)])


def _measured(way: str) -> tuple[float, str]:
    """In a process of its own, with a lake of its own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "lakeport.toml").touch()
        with lakeport.open(folder) as lake, lake.rest() as door:
            told = subprocess.run(
                [sys.executable, __file__, way],
                input=json.dumps(door.for_spark()),
                stdout=subprocess.PIPE,
                text=True,
                check=True,
                cwd=folder,
            )
    took, result = json.loads(told.stdout.splitlines()[-1])
    return took, result


def _child(way: str, catalog: dict[str, str]) -> tuple[float, str]:
    if way == "plain":
        return _modelled(_plain(catalog))
    options = replace(_options(), archive=way == FIRST)
    if way == "without archive":
        options = replace(options, conf={"spark.driver.extraJavaOptions": "-Dlakeport.bench=1"})
    with start_spark(options) as spark:
        return _modelled(spark.session(catalog))


def _options() -> SparkOptions:
    return spark_options(load())


def _plain(catalog: dict[str, str]) -> Any:
    """As PySpark's own pages say it."""
    builder: Any = import_module("pyspark.sql").SparkSession.builder
    (jar,) = cached_jars(_options().cache, s3=False)
    for key, value in {**catalog, "spark.jars": str(jar)}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _modelled(session: Session) -> tuple[float, str]:
    for statement in MODEL:
        session.sql(statement)
    (row,) = session.sql(RESULT).collect()
    return processor.seconds(os.getpid()), str(row)


if __name__ == "__main__":
    sys.exit(main())

"""A program that writes one table with Spark and is killed on the way, or loses its JVM: tells what it saw.

`python -m tests.spark.kills.victim FOLDER TABLE MOMENT WHO` prints a line of JSON for each thing it knows.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from lakeport import LakeportError
from lakeport.app.lake.lake import Lake
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.pipeline.session import Spark, start_spark
from lakeport.pipeline.session.own import OwnSpark
from lakeport.pipeline.writing import Progress
from tests.engines.spark_process import options_in
from tests.rest.doors import profile_in
from tests.spark.network import Asked, FarPipeline, Judge, Reply, Send, network

QUERY = "SELECT * FROM VALUES (2, 21, 'x'), (3, 30, 'y') AS given (k, v, new)"
ROWS = pa.table(
    {"k": pa.array([2, 3], pa.int32()), "v": pa.array([21, 30], pa.int32()), "new": ["x", "y"]}
)
RUN = "killed"


def told(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def watching(moment: str, table: str, kill: Callable[[], None]) -> Judge:
    """Kills when the commit that moves main passes: before it arrives, or after it was made."""

    def judge(asked: Asked, send: Send) -> Reply | None:
        if asked.commits_to != table:
            return send()
        if moment == "uncommitted" and asked.moves_main:
            kill()
            return None
        if moment == "untidied" and "remove-snapshot-ref" in asked.actions:
            kill()
            return None
        answer = send()
        if moment == "committed" and asked.moves_main:
            kill()
            return None
        return answer

    return judge


def write(folder: Path, table: str, moment: str, who: str) -> None:
    own = folder / f"spark-{table}"
    own.mkdir()
    options = options_in(own)
    process = os.getpid()

    def start() -> Spark:
        nonlocal process
        spark = start_spark(options)
        assert isinstance(spark, OwnSpark)
        told(jvm=spark.process_id)
        process = spark.process_id if who == "jvm" else process
        return spark

    def kill() -> None:
        os.kill(process, signal.SIGKILL)

    def observe(seen: Progress) -> None:
        if seen.point == moment:
            kill()

    with network() as between, IcebergCatalog(profile_in(folder)) as catalog:
        between.judge = watching(moment, table, kill)

        def pipeline() -> FarPipeline:
            return FarPipeline(between, catalog, start, options.log, actor="victim")

        with Lake(catalog, actor="victim", pipeline=pipeline) as lake:
            # What is Arrow's is staged in a table, which is there to be left behind.
            given = ROWS if moment == "staged" else QUERY
            keys = "k" if table.startswith("keyed") else ()
            try:
                made = lake.write(
                    given, into=f"shop.{table}", run_id=RUN, unique_key=keys, observe=observe
                )
            except LakeportError as error:
                told(code=error.code, error=str(error))
            else:
                told(rows=made.rows, warnings=list(made.warnings))


if __name__ == "__main__":
    write(Path(sys.argv[1]), *sys.argv[2:])

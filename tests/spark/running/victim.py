"""A program that runs a project and is killed on the way, or loses its JVM: tells what it saw.

`python -m tests.spark.running.victim FOLDER MOMENT WHO PUBLISH` prints a line of JSON for each thing it
knows. It dies while it makes the table `t.kept`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from lakeport.app import wiring
from lakeport.app.lake.pipeline import Pipeline
from lakeport.app.project.request import RunRequest
from lakeport.app.project.run import run_project
from lakeport.app.settings import Settings, load
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.pipeline.session import Spark, start_spark
from lakeport.pipeline.session.own import OwnSpark
from lakeport.pipeline.writing import Progress
from tests.engines.spark_process import options_in
from tests.spark.network import Asked, FarPipeline, Judge, Network, Reply, Send, network

TABLE = "t.kept"


def told(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def watching(moment: str, kill: Callable[[], None]) -> Judge:
    """Kills when a commit of rows passes: its files are written by then, and no table names them."""

    def judge(asked: Asked, send: Send) -> Reply | None:
        if moment == "uncommitted" and asked.commits_to == "kept" and asked.moves_main:
            kill()
            return None
        return send()

    return judge


def run(root: Path, moment: str, who: str, publish: str) -> None:
    scratch = root.parent / f"spark-{root.name}"
    scratch.mkdir(exist_ok=True)  # of another victim, in the same place
    options = replace(options_in(scratch), log=scratch / "spark.log")
    victims: list[int] = [] if who == "jvm" else [os.getpid()]

    def start() -> Spark:
        spark = start_spark(options)
        assert isinstance(spark, OwnSpark)
        told(jvm=spark.process_id)
        if who == "jvm":
            victims.append(spark.process_id)
        return spark

    def kill() -> None:
        if victims:  # once: what comes after it is the survivor's
            os.kill(victims.pop(), signal.SIGKILL)

    def observe(seen: Progress) -> None:
        if str(seen.table) == TABLE and seen.point == moment:
            kill()

    with network() as between:
        between.judge = watching(moment, kill)
        wiring.open_pipeline = far(between)  # the same, over a network
        result = run_project(
            load(folder=root, variables={}),
            RunRequest(publish=publish, jobs=1),  # type: ignore[arg-type]  # a test says which
            observe=observe,
            spark=start,
        )
    told(run=result.run_id, status=result.status)
    told(models={str(model.model): model.status for model in result.models})


def far(between: Network) -> Callable[..., Pipeline]:
    def opened(
        settings: Settings, catalog: IcebergCatalog, actor: str | None, start: Any
    ) -> Pipeline:
        log = settings.home / "spark.log"
        return FarPipeline(between, catalog, start, log, actor=actor)

    return opened


if __name__ == "__main__":
    run(Path(sys.argv[1]), *sys.argv[2:])

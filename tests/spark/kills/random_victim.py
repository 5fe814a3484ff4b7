"""A program whose writes are cut off at random moments, by SIGKILL for itself or its JVM: tells what it saw.

`python -m tests.spark.kills.random_victim FOLDER WHO SEED TASK…` does each task to its end in one table, which
takes a time, and then to another one, of which it dies within that time. It goes on if only the JVM died.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

from lakeport import LakeportError
from lakeport.app.lake.lake import Lake
from lakeport.app.lake.pipeline import Pipeline
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.pipeline.session import Spark, start_spark
from lakeport.pipeline.session.own import OwnSpark
from tests.engines.spark_process import options_in
from tests.rest.doors import profile_in
from tests.spark.kills.tasks import RUN, TASKS, Task, twin
from tests.spark.kills.victim import told

_WARM = 0.45
"""The second write of a kind takes less than half of what the first one took."""


class Victim:
    def __init__(self, folder: Path, who: str, seed: str) -> None:
        self._options = options_in(folder)
        self._jvm = 0
        self._who = who
        self._dice = random.Random(seed)  # noqa: S311

    def start(self) -> Spark:
        spark = start_spark(self._options)
        assert isinstance(spark, OwnSpark)
        self._jvm = spark.process_id
        told(jvm=self._jvm)
        return spark

    def suffer(self, lake: Lake, name: str) -> None:
        task, table = TASKS[name], f"{name}_{self._who}"
        lake.write("SELECT 1 AS k", into="shop.warm")  # or Spark starts in the time that is taken
        began = time.monotonic()
        _write(lake, task, twin(table))
        delay = self._dice.uniform(0.0, _WARM * (time.monotonic() - began))
        deadly = threading.Timer(delay, self._kill)
        deadly.start()
        try:
            _write(lake, task, table)
        except LakeportError as error:
            told(table=table, delay=delay, code=error.code, error=str(error))
        else:
            told(table=table, delay=delay, code="done")
        finally:
            deadly.cancel()
            deadly.join()

    def _kill(self) -> None:
        os.kill(self._jvm if self._who == "jvm" else os.getpid(), signal.SIGKILL)


def _write(lake: Lake, task: Task, table: str) -> None:
    lake.write(task.query, into=f"shop.{table}", run_id=RUN, **task.settings)


def main(folder: Path, who: str, seed: str, *tasks: str) -> None:
    own = folder / f"random-{who}-{seed}"
    own.mkdir()
    victim = Victim(own, who, seed)
    with IcebergCatalog(profile_in(folder)) as catalog:

        def pipeline() -> Pipeline:
            return Pipeline(catalog, victim.start, own / "spark.log", actor="victim")

        with Lake(catalog, actor="victim", pipeline=pipeline) as lake:
            for name in tasks:
                victim.suffer(lake, name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])

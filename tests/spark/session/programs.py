"""Spark's own programs, as they come in PySpark's package: a Connect server, a master, a worker."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lakeport.pipeline.session.launch import spark_home
from lakeport.pipeline.session.options import SparkOptions

_EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@contextmanager
def running(name: str, line: Sequence[object], log: Path, ready: str) -> Iterator[tuple[int, str]]:
    """A program that runs until the block ends; its process and what `ready` found in its words."""
    with (
        log.open("wb") as out,
        subprocess.Popen(
            list(map(str, line)), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            yield process.pid, _awaited(name, process, log, ready)
        finally:
            process.kill()


def _awaited(name: str, process: subprocess.Popen[bytes], log: Path, ready: str) -> str:
    while True:
        ended = process.poll() is not None
        told = log.read_text(errors="replace")
        found = re.search(ready, told)
        if found is not None:
            return found[1]
        assert not ended, f"{name} did not start:\n{told}"
        try:
            process.wait(0.05)
        except subprocess.TimeoutExpired:
            continue


@contextmanager
def connect_server(options: SparkOptions, jar: Path, *, port: int = 0) -> Iterator[tuple[int, str]]:
    """Its process and its `sc://` address. Nothing of a catalog is told to it."""
    conf = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": port,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.sql.extensions": _EXTENSIONS,
        "spark.sql.shuffle.partitions": 1,
        "spark.pyspark.python": sys.executable,
        "spark.sql.warehouse.dir": options.log.parent / "warehouse",
    }
    line = [
        *(spark_home() / "bin" / "spark-submit", "--master", "local[2]"),
        *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
        *("--driver-class-path", jar, "--driver-java-options", _QUICK),
        *(part for key, value in conf.items() for part in ("--conf", f"{key}={value}")),
    ]
    log = options.log.with_name("connect.log")
    ready = r"Spark Connect server started at: \S*?:(\d+)"
    with running("the Spark Connect server", line, log, ready) as (process, bound):
        yield process, f"sc://127.0.0.1:{bound}"


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """A master and one worker on loopback; the master's address."""
    start = (spark_home() / "bin" / "spark-class",)
    place = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
    master = (*start, "org.apache.spark.deploy.master.Master", *place)
    ready = r"Starting Spark master at (spark://\S+)"
    with running("the master", master, folder / "master.log", ready) as (_, url):
        worker = (
            *(*start, "org.apache.spark.deploy.worker.Worker", *place),
            *("--cores", "1", "--memory", "1g", "--work-dir", folder / "work", url),
        )
        with running("the worker", worker, folder / "worker.log", "(registered with master)"):
            yield url

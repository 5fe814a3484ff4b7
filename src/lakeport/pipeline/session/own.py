"""Spark in a JVM of our own, and PySpark's session in this process.

PySpark keeps one JVM per process in class attributes and means it to stay. Here it goes when it is closed,
and the attributes with it, so that the next one in the same process is a new one.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from lakeport.core.closing import Closing
from lakeport.core.errors import LakeportError, PreconditionError, UnavailableError
from lakeport.pipeline.session.application import Spark
from lakeport.pipeline.session.archive import Archive
from lakeport.pipeline.session.command import Place
from lakeport.pipeline.session.java import Java
from lakeport.pipeline.session.jvm import Gateway
from lakeport.pipeline.session.launch import SCRATCH, launch, spark_home, worker_python
from lakeport.pipeline.session.options import SparkOptions
from lakeport.pipeline.session.ports import Session
from lakeport.pipeline.session.said import said

# What would make PySpark speak to something else than the JVM it is shown.
_ELSEWHERE = ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED", "SPARK_API_MODE")

_LAST_MOMENTS = 10.0


class Launched(Closing):
    """A JVM on its way up, of which nobody knows yet whether it is needed. Closing it ends it at once."""

    def __init__(self, options: SparkOptions, java: Java, jars: tuple[Path, ...]) -> None:
        self.options = options
        self.java = java
        self.scratch = Path(tempfile.mkdtemp(prefix=SCRATCH))
        try:
            place = Place(java.program, spark_home(), self.scratch, jars)
            self.archive = Archive.of(options, java, place)
            self.jvm = launch(options, place, self.archive.flags)
        except BaseException:
            shutil.rmtree(self.scratch, ignore_errors=True)
            raise

    def close(self) -> None:
        self.jvm.end(0.0)
        self.archive.after(self.jvm, worked=False)
        shutil.rmtree(self.scratch, ignore_errors=True)


class OwnSpark(Spark):
    is_connect = False

    def __init__(self, launched: Launched) -> None:
        """When it is up. What is launched is closed here, also if it does not come up."""
        options = launched.options
        super().__init__(options.log, options.conf)
        self._worked = False
        self.java = launched.java
        self.is_local = options.is_local
        self._scratch, self._archive, self._jvm = launched.scratch, launched.archive, launched.jvm
        try:
            self._root = self._begun(worker_python(options))
        except BaseException:
            self._jvm.close()
            _forget()
            shutil.rmtree(self._scratch, ignore_errors=True)
            raise

    def _begun(self, python: str) -> Any:
        gateway = self._jvm.gateway()
        try:
            return _session(gateway, python)
        except Exception as error:
            self.keep_trace(error)
            raise UnavailableError(
                f"Spark did not start: {said(error)}",
                hint=f"see `pipeline.spark`; all of what it said is in {self.log}",
            ) from error

    @property
    def process_id(self) -> int:
        return self._jvm.process_id

    @property
    def connect_port(self) -> int:
        """Where its plugin for Spark Connect listens, if it was started with that."""
        services = self._root._jvm.org.apache.spark.sql.connect.service  # noqa: SLF001  no other way
        return int(getattr(getattr(services, "SparkConnectService$"), "MODULE$").localPort())

    def wait(self) -> str:
        """Until its JVM ends by itself, and how that was."""
        return self._jvm.wait()

    def fresh(self) -> Session:
        self._worked = True
        session: Session = self._root.newSession()
        return session

    def gone(self, error: BaseException) -> LakeportError | None:
        # A killed JVM closes its sockets before the system tells that it ended.
        ended = self._jvm.ended(_LAST_MOMENTS if _is_cut(error) else 0.0)
        if ended is None:
            return None
        return UnavailableError(
            f"Spark's JVM {ended}",
            hint="run it again; if memory ran out, set `spark.driver.memory` in"
            f" `pipeline.spark.conf`; the last it said is in {self.log}",
        )

    def close(self) -> None:
        try:
            if self._jvm.ended() is None:
                with contextlib.suppress(Exception):  # of a JVM that ends just now
                    self._root.stop()
            _forget()
        finally:
            self._archive.after(self._jvm, worked=self._worked)
            shutil.rmtree(self._scratch, ignore_errors=True)


def _is_cut(error: BaseException) -> bool:
    """Whether the line to the JVM broke. Py4J raises errors of its own and those of sockets; a general
    one has Java's trace in it, unless there was no answer at all.
    """
    if isinstance(error, OSError) or type(error).__name__ == "Py4JNetworkError":
        return True
    return type(error).__name__ == "Py4JError" and "Trace:" not in str(error)


def require_alone() -> None:
    context: Any = import_module("pyspark").SparkContext
    if context._active_spark_context is not None:  # noqa: SLF001  asking by a method would start one
        raise PreconditionError(
            "Spark runs already in this process, and there can be one only",
            hint="stop it first, or use sessions of the one that runs",
        )


def _session(gateway: Gateway, python: str) -> Any:
    # By name: its types would cost mypy more than all of ours.
    sql: Any = import_module("pyspark.sql")
    told = {
        "PYSPARK_GATEWAY_PORT": str(gateway.port),
        "PYSPARK_GATEWAY_SECRET": gateway.secret,
        "PYSPARK_PYTHON": python,
    }
    with _environment(told, without=_ELSEWHERE):
        return sql.SparkSession.builder.getOrCreate()


@contextlib.contextmanager
def _environment(more: Mapping[str, str], *, without: tuple[str, ...]) -> Iterator[None]:
    """PySpark takes these things from the environment alone."""
    names = (*more, *without)
    before = {name: os.environ[name] for name in names if name in os.environ}
    for name in without:
        os.environ.pop(name, None)
    os.environ.update(more)
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name, None)
        os.environ.update(before)


def _forget() -> None:
    """Let PySpark start anew: what it keeps leads nowhere now."""
    context: Any = import_module("pyspark").SparkContext
    active = context._active_spark_context  # noqa: SLF001  left there if the JVM was gone before it
    if active is not None:
        active._jsc = None  # noqa: SLF001  or it asks the JVM first
        active.stop()
    session: Any = import_module("pyspark.sql").SparkSession
    session._instantiatedSession = session._activeSession = None  # noqa: SLF001
    gateway = context._gateway  # noqa: SLF001  there is no other way to let go of it
    context._gateway = context._jvm = None  # noqa: SLF001
    if gateway is not None:
        with contextlib.suppress(Exception):  # of a JVM that is gone
            gateway.shutdown()

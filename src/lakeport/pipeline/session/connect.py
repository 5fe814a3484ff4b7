"""Spark on a Spark Connect server: nothing is started here, and its tuning is not ours."""

from __future__ import annotations

import contextlib
import socket
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from lakeport.core.errors import PreconditionError, UnavailableError
from lakeport.pipeline.session.application import Spark
from lakeport.pipeline.session.options import SparkOptions
from lakeport.pipeline.session.ports import Session
from lakeport.pipeline.session.said import said
from lakeport.pipeline.session.versions import INSTALL_PYSPARK, SPARK_VERSION, require_spark

_PORT = 15002
_PATIENCE = 10


class ConnectSpark(Spark):
    """Each of its sessions is one on the server, and all of them are released at the end."""

    is_connect = True
    is_local = False

    def __init__(self, options: SparkOptions, url: str) -> None:
        super().__init__(options.log)
        self._url = url
        self._conf = dict(options.conf)
        self._sessions: list[Any] = []
        self._place = _reached(url)
        self._require_version()

    def fresh(self) -> Session:
        # By name: its types would cost mypy more than all of ours.
        try:
            sql: Any = import_module("pyspark.sql.connect.session")
        except ImportError as error:  # PySpark names each package that it lacks in a paragraph
            raise PreconditionError(
                "PySpark lacks the packages for Spark Connect", hint=INSTALL_PYSPARK
            ) from error
        builder = sql.SparkSession.builder.remote(self._url)
        for key, value in self._conf.items():
            builder = builder.config(key, value)
        try:
            session = builder.create()
        except Exception as error:
            self.keep_trace(error)
            raise UnavailableError(
                f"the Spark Connect server at {self._place} gives no session: {said(error)}",
                hint="correct `pipeline.spark.connect`",
            ) from error
        self._sessions.append(session)
        opened: Session = session
        return opened

    def close(self) -> None:
        # Before their server ends: a client whose server is gone waits for it.
        while self._sessions:
            with contextlib.suppress(Exception):
                self._sessions.pop().stop()

    def _require_version(self) -> None:
        try:
            version = self.fresh().version
            require_spark(
                version,
                f"the Spark Connect server at {self._place} is Spark {version}",
                f"start one of Spark {SPARK_VERSION}",
            )
        except BaseException:
            self.close()
            raise


def _reached(url: str) -> str:
    """Host and port, without the token that a URL may hold. PySpark tries for minutes; this does not."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _PORT
    try:
        socket.create_connection((host, port), _PATIENCE).close()
    except OSError as error:
        raise UnavailableError(
            f"no Spark Connect server answers at sc://{host}:{port}",
            hint="start one there, or correct `pipeline.spark.connect`",
        ) from error
    return f"sc://{host}:{port}"

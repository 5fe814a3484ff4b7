"""Spark on a Spark Connect server: nothing is started here, and its tuning is not ours.

PySpark's client tries again for ten minutes before it says that a server is gone, at each call and again
at each frame that is thrown away. Here it is a quarter of a minute, which bridges a broken line.
"""

from __future__ import annotations

import contextlib
import logging
import socket
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar
from urllib.parse import urlsplit

from lakeport.core.errors import LakeportError, PreconditionError, UnavailableError
from lakeport.pipeline.session.application import Spark, configure
from lakeport.pipeline.session.options import SparkOptions
from lakeport.pipeline.session.ports import Session
from lakeport.pipeline.session.said import said
from lakeport.pipeline.session.versions import INSTALL_PYSPARK, SPARK_VERSION, require_spark

_LOG = logging.getLogger(__name__)
_PORT = 15002
_PATIENCE = 10

_SETTLED = "[CANNOT_MODIFY_"  # CONFIG, STATIC_CONFIG


class ConnectSpark(Spark):
    """Each of its sessions is one on the server, and all of them are released at the end."""

    is_connect = True
    is_local = False
    # After 0.05 s, 0.2 s, 0.8 s, 3.2 s, then twice 5 s.
    _tries: ClassVar[Mapping[str, int]] = {"max_retries": 6, "max_backoff": 5_000}

    def __init__(self, options: SparkOptions, url: str, *, knows_conf: bool = False) -> None:
        """`knows_conf` is for a server that was started with the same settings."""
        super().__init__(options.log, options.conf)
        self._url = url
        self._conf: Mapping[str, str] = {} if knows_conf else options.conf
        self._sessions: list[Any] = []
        self._unused: list[Session] = []
        self._place = _reached(url)
        self._require_version()

    def fresh(self) -> Session:
        try:
            return self._unused.pop()  # the one that was asked for the version
        except IndexError:
            return self._opened()

    def gone(self, error: BaseException) -> LakeportError | None:
        if not _is_cut(error):
            return None
        return UnavailableError(
            f"the Spark Connect server at {self._place} is gone",
            hint="see what its own log says; when it is there again, run this again",
        )

    def close(self) -> None:
        # Before their server ends: a client whose server is gone waits for it.
        while self._sessions:
            session = self._sessions.pop()
            session.client.set_retry_policies([])
            with contextlib.suppress(Exception):
                session.stop()
            # When it is collected, PySpark closes its client again, and with it the pool that all sessions of
            # the process share: a collection inside of that pool would wait for itself, for ever.
            session.client.close = _nothing

    def _opened(self) -> Session:
        # By name: its types would cost mypy more than all of ours.
        try:
            sql: Any = import_module("pyspark.sql.connect.session")
            retries: Any = import_module("pyspark.sql.connect.client.retries")
        except ImportError as error:  # PySpark names each package that it lacks in a paragraph
            raise PreconditionError(
                "PySpark lacks the packages for Spark Connect", hint=INSTALL_PYSPARK
            ) from error
        session = self._addressed(sql.SparkSession.builder).create()  # which asks nothing yet
        session.client.set_retry_policies([retries.DefaultPolicy(**self._tries)])
        self._sessions.append(session)
        try:
            configure(session, self._conf)
        except Exception as error:
            raise self.gone(error) or self._refused(error) from error
        opened: Session = session
        return opened

    def _addressed(self, builder: Any) -> Any:
        return builder.remote(self._url)

    def _require_version(self) -> None:
        """And which of the user's settings the server takes from a session at all."""
        try:
            wanted, self._conf = self._conf, {}
            session = self._opened()
            version = self._told(session)
            require_spark(
                version,
                f"the Spark Connect server at {self._place} is Spark {version}",
                f"start one of Spark {SPARK_VERSION}",
            )
            self._conf = {
                key: value for key, value in wanted.items() if self._takes(session, key, value)
            }
            self._unused.append(session)
        except BaseException:
            self.close()
            raise

    def _told(self, session: Session) -> str:
        try:
            return session.version
        except Exception as error:
            raise self._refused(error) from error

    def _takes(self, session: Session, key: str, value: str) -> bool:
        """Memory, jars and the like were settled when it started, with the same settings or others."""
        try:
            configure(session, {key: value})
        except Exception as error:
            if _SETTLED not in str(error):
                raise self._refused(error) from error
            _LOG.info("spark.setting_left", extra={"setting": key})
            return False
        return True

    def _refused(self, error: Exception) -> LakeportError:
        self.keep_trace(error)
        return UnavailableError(
            f"the Spark Connect server at {self._place} gives no session: {said(error)}",
            hint="correct `pipeline.spark.connect`, or `pipeline.spark.conf` if it is about that",
        )


def _nothing() -> None:
    """Is done by a client that is closed."""


def _is_cut(error: BaseException) -> bool:
    """Whether nobody answered, however often; a server that restarted answers and knows no session."""
    text = str(error)
    return "StatusCode.UNAVAILABLE" in text or "INVALID_HANDLE.SESSION" in text


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

"""A daemon's Spark, for those who find one that is what they want."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

from lakeport.core.errors import LakeportError, UnavailableError
from lakeport.pipeline.session.connect import ConnectSpark
from lakeport.pipeline.session.daemon.locks import Lock, take_within
from lakeport.pipeline.session.daemon.place import Place
from lakeport.pipeline.session.daemon.record import Record
from lakeport.pipeline.session.daemon.wanted import fingerprint
from lakeport.pipeline.session.options import SparkOptions
from lakeport.pipeline.session.start import prepare

_LOG = logging.getLogger(__name__)
# Whoever looks whether a daemon is used has its lock for a moment. One that ends does not give it back.
_A_LOOK = 1.0


def join(place: Place, options: SparkOptions) -> DaemonSpark | None:
    """None if there is no daemon with these settings that answers; one that is there is told of then."""
    record = place.running()
    if record is None:
        return None
    if record.fingerprint != fingerprint(options):
        _LOG.warning("daemon.has_other_settings", extra={"daemon": record.pid})
        return None
    users = take_within(place.users, _A_LOOK, shared=True)
    if users is None:  # it ends, because nobody came
        return None
    prepare(options)
    try:
        return DaemonSpark(place, record, options, users)
    except UnavailableError as error:
        _LOG.warning("daemon.gone", extra={"daemon": record.pid, "reason": error.message})
        return None


class DaemonSpark(ConnectSpark):
    """A Spark Connect server that is one JVM of ours on this machine, started with the same settings."""

    # One that is gone does not come back at its port: no need to wait for it as for one far away.
    _tries: ClassVar[Mapping[str, int]] = {"max_retries": 4, "max_backoff": 1_000}

    def __init__(self, place: Place, record: Record, options: SparkOptions, users: Lock) -> None:
        self._daemon = place
        self._users = users
        self._record = record
        try:
            super().__init__(options, record.address, knows_conf=True)
        except BaseException:
            users.close()
            raise
        self.is_local = record.is_local

    def gone(self, error: BaseException) -> LakeportError | None:
        if super().gone(error) is None:
            return None
        return UnavailableError(
            f"the Spark daemon (process {self._record.pid}) is gone",
            hint=f"run it again, it starts a Spark of its own; why it ended is in {self._daemon.log}",
        )

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._users.close()

    def _addressed(self, builder: Any) -> Any:
        return builder.channelBuilder(_channel(self._record))


def _channel(record: Record) -> Any:
    """PySpark shows a token without TLS to `localhost` only, which may be another program's on `::1`."""
    client: Any = import_module("pyspark.sql.connect.client.core")

    class Loopback(client.DefaultChannelBuilder):  # type: ignore[misc]  # PySpark is loaded by name
        @property
        def endpoint(self) -> str:
            return f"127.0.0.1:{record.port}"

    return Loopback(f"sc://localhost:{record.port}/;token={record.token}")

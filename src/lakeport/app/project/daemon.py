"""A project's warm Spark: begun, ended, asked about, and used by whoever runs models."""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from lakeport.app.spark import fresh_spark_options, spark_options
from lakeport.core.errors import ConfigurationError, UnavailableError
from lakeport.core.secrets import mask_text
from lakeport.pipeline.session import Spark, start_spark
from lakeport.pipeline.session.daemon import Place, Record, fingerprint, join, start, status, stop

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.pipeline.session.options import SparkOptions

State: TypeAlias = Literal["started", "replaced", "running", "stopped", "not running"]

_HOUR = 3600.0

# By name, because it is the command line above us. Where the system does not tell who calls, nobody stands by.
_STANDBY = (
    (sys.executable, "-m", "lakeport.cli.standby.server") if hasattr(socket, "SO_PEERCRED") else ()
)


@dataclass(frozen=True, slots=True)
class DaemonReport:
    """What a daemon is, or was; everything but `state` and `log` is None without one."""

    state: State
    log: Path
    pid: int | None = None
    address: str | None = None
    started: str | None = None
    spark: str | None = None
    java: str | None = None
    matches: bool | None = None
    """Whether runs of this project use it: its settings and versions are those of now."""
    used: bool | None = None
    """Whether somebody works with it right now."""
    idle_hours: float | None = None
    """It ends itself when nobody used it for so long."""

    @property
    def is_running(self) -> bool:
        return self.state in {"started", "replaced", "running"}


def start_daemon(settings: Settings) -> DaemonReport:
    """Back when it answers and is warm, so that the first model need not wait for that."""
    options = _own(settings)
    place = place_of(settings)
    idle = settings.pipeline.daemon.idle_hours
    begun = start(place, options, idle * _HOUR if idle else None, _STANDBY)
    if begun.how != "running":
        try:
            _warm(place, options)
        except BaseException:  # whoever is told that it failed does not look for a daemon
            stop(place)
            raise
    return _report(begun.how, place, begun.record, options)


def stop_daemon(settings: Settings) -> DaemonReport:
    place = place_of(settings)
    ended = stop(place)
    if ended is None:
        return DaemonReport("not running", place.log)
    return DaemonReport("stopped", place.log, pid=ended.pid)


def daemon_status(settings: Settings) -> DaemonReport:
    place = place_of(settings)
    found = status(place)
    if found is None:
        return DaemonReport("not running", place.log)
    return _report("running", place, found, spark_options(settings))


def has_daemon(settings: Settings) -> bool:
    """Whether there is one that a run would use; nobody is asked but its record."""
    if settings.pipeline.daemon.use != "auto":
        return False
    found = status(place_of(settings))
    return found is not None and found.fingerprint == fingerprint(spark_options(settings))


def open_spark(settings: Settings) -> Spark:
    """The daemon's if there is one with these settings, else one that starts now."""
    options = spark_options(settings)
    if options.connect is None and settings.pipeline.daemon.use == "auto":
        joined = join(place_of(settings), options)
        if joined is not None:
            return joined
    return start_spark(fresh_spark_options(settings))


def place_of(settings: Settings) -> Place:
    return Place(settings.home / "daemon")


def _own(settings: Settings) -> SparkOptions:
    options = spark_options(settings)
    if options.connect is not None:
        raise ConfigurationError(
            f"Spark runs at {mask_text(options.connect)}, so there is nothing to keep here",
            hint="leave `pipeline.spark.connect` out to have a daemon on this machine",
        )
    return options


def _warm(place: Place, options: SparkOptions) -> None:
    from lakeport.app.project.warm import warm_up  # noqa: PLC0415  loads PyIceberg and an HTTP server

    def joined() -> Spark:
        spark = join(place, options)
        if spark is None:
            raise UnavailableError("the daemon ended at once", hint=f"see {place.log}")
        return spark

    warm_up(joined, place.log)


def _report(state: State, place: Place, record: Record, options: SparkOptions) -> DaemonReport:
    idle = record.idle_seconds
    return DaemonReport(
        state,
        place.log,
        pid=record.pid,
        address=record.address,
        started=datetime.fromtimestamp(record.started, UTC).isoformat(timespec="seconds"),
        spark=record.spark,
        java=record.java,
        matches=record.fingerprint == fingerprint(options),
        used=place.is_used,
        idle_hours=None if idle is None else idle / _HOUR,
    )

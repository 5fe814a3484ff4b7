"""The process that keeps a daemon's JVM: starts it, tells where it answers, ends it.

`python -m lakeport.pipeline.session.daemon.keeper` with an `Order` on its standard input; one line of JSON on
its standard output says that Spark answers, or why not. The JVM ends with this process, however that ends,
because it lives as long as its own standard input. It ends itself when nobody worked with it for long.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import NoReturn

import msgspec

from lakeport.core.errors import LakeportError
from lakeport.pipeline.session.daemon.locks import take, try_take
from lakeport.pipeline.session.daemon.order import Order, Told
from lakeport.pipeline.session.daemon.place import Place
from lakeport.pipeline.session.daemon.record import DAEMON, Record, write
from lakeport.pipeline.session.options import SparkOptions
from lakeport.pipeline.session.own import OwnSpark
from lakeport.pipeline.session.start import start_own
from lakeport.pipeline.session.versions import pyspark_version

_LOOPBACK = "127.0.0.1"
_PLUGIN = "org.apache.spark.sql.connect.SparkConnectPlugin"
_PLUGINS = "spark.plugins"
_TURNS = 60.0
_TOKEN_BYTES = 32

# What is kept for a web page that is not there grows with every statement.
_FORGETFUL = {
    f"spark.{kept}": "20"
    for kept in (
        "ui.retainedJobs",
        "ui.retainedStages",
        "ui.retainedTasks",
        "sql.ui.retainedExecutions",
        "sql.connect.ui.retainedSessions",
        "sql.connect.ui.retainedStatements",
    )
}


class _StopError(BaseException):
    """Somebody asked us to end."""


def main() -> int:
    order = Order.decode(sys.stdin.buffer.read())
    place = Place(order.folder)
    _listen()
    # Those who ask whether it is free hold it for a moment: so it is waited for.
    with take(place.alive), contextlib.suppress(_StopError):
        try:
            token = secrets.token_urlsafe(_TOKEN_BYTES)
            with (
                _standing_by(order) as ready,
                start_own(_served(order.options, token)) as spark,
                _recorded(place, order, spark, token),
            ):
                ready()
                _tell(Told())
                return _kept(place, spark, order.idle_seconds)
        except LakeportError as error:
            _tell(Told(error=error.message, hint=error.hint))
            return 1
    return 0


@contextlib.contextmanager
def _standing_by(order: Order) -> Iterator[Callable[[], object]]:
    """Begun first: it loads while Java does. What is given waits until it is ready, or has ended.

    Its end is not waited for, because commands may be at work in it.
    """
    if not order.standby:
        yield lambda: None
        return
    beside = subprocess.Popen(  # noqa: S603  our own
        [*order.standby, str(order.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=order.folder,
    )
    if beside.stdin is None or beside.stdout is None:
        raise AssertionError
    with beside.stdin, beside.stdout:
        yield beside.stdout.read


def _served(options: SparkOptions, token: str) -> SparkOptions:
    conf = dict(options.conf)
    plugins = [name for name in conf.pop(_PLUGINS, "").split(",") if name]
    ours = {
        DAEMON: "true",
        _PLUGINS: ",".join([*plugins, _PLUGIN]),
        "spark.connect.grpc.binding.address": _LOOPBACK,
        "spark.connect.grpc.binding.port": "0",
        "spark.connect.authenticate.token": token,
    }
    if options.is_local:
        ours["spark.authenticate"] = "true"  # its other ports; Spark makes a secret of its own
    # No archive: writing one takes long at the end, and keeps classes that Spark throws away.
    return replace(options, conf=_FORGETFUL | conf | ours, archive=False)


@contextlib.contextmanager
def _recorded(place: Place, order: Order, spark: OwnSpark, token: str) -> Iterator[None]:
    record = Record(
        pid=os.getpid(),
        java_pid=spark.process_id,
        port=spark.connect_port,
        token=token,
        fingerprint=order.fingerprint,
        spark=pyspark_version(),
        lakeport=version("lakeport"),
        java=spark.java.version,
        is_local=spark.is_local,
        started=time.time(),
        idle_seconds=order.idle_seconds,
    )
    write(place.record, record)
    try:
        yield
    finally:
        place.clean()


def _kept(place: Place, spark: OwnSpark, idle_seconds: float | None) -> int:
    """Until the JVM ends by itself, or nobody has come for long."""
    ended = threading.Event()
    how: list[str] = []

    def watch() -> None:
        how.append(spark.wait())
        ended.set()

    threading.Thread(target=watch, name="jvm", daemon=True).start()
    turn = _TURNS if idle_seconds is None else min(_TURNS, idle_seconds)
    used = time.monotonic()
    while not ended.wait(turn):
        users = try_take(place.users)
        if users is None:
            used = time.monotonic()
        elif idle_seconds is None or time.monotonic() - used < idle_seconds:
            users.close()
        else:  # and nobody comes any more: the lock goes with this process
            _say(f"nobody has worked with it for {idle_seconds:.0f} seconds")
            return 0
    _say(f"Spark's JVM {how[0]}")
    return 1


def _listen() -> None:
    def stop(_: int, __: FrameType | None) -> NoReturn:
        for number in _ENDS:
            signal.signal(number, signal.SIG_IGN)  # it ends already
        raise _StopError

    for number in _ENDS:
        signal.signal(number, stop)


_ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def _tell(told: Told) -> None:
    with contextlib.suppress(BrokenPipeError):  # nobody waits for it any more
        sys.stdout.buffer.write(msgspec.json.encode(told) + b"\n")
        sys.stdout.flush()
    # Whoever reads it sees the end of it, and nothing of ours can wait for him.
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), sys.stdout.fileno())


def _say(sentence: str) -> None:
    sys.stderr.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} the daemon ends: {sentence}\n")


if __name__ == "__main__":
    sys.exit(main())

"""A daemon begun and ended. Whoever does either holds a lock, so two at once give one daemon."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import Literal

import msgspec

from lakeport.core.errors import PreconditionError, UnavailableError
from lakeport.pipeline.session.daemon.locks import free_within, held, is_held
from lakeport.pipeline.session.daemon.order import Order, Told
from lakeport.pipeline.session.daemon.place import Place
from lakeport.pipeline.session.daemon.record import Record
from lakeport.pipeline.session.daemon.wanted import fingerprint
from lakeport.pipeline.session.jvm import open_log
from lakeport.pipeline.session.options import SparkOptions

_KEEPER = (sys.executable, "-m", "lakeport.pipeline.session.daemon.keeper")
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Started:
    """`how` it came to be the daemon that runs now."""

    record: Record
    how: Literal["started", "replaced", "running"]


def start(
    place: Place,
    options: SparkOptions,
    idle_seconds: float | None,
    standby: tuple[str, ...] = (),
) -> Started:
    """One that was started with other settings or versions makes room, unless somebody works with it.

    `standby` is a program that is to live as long as it does.
    """
    place.make()
    wanted = fingerprint(options)
    with held(place.change):
        running = place.running()
        if running is not None and running.fingerprint == wanted:
            return Started(running, "running")
        if running is not None and place.is_used:
            raise PreconditionError(
                f"a daemon with other settings runs (process {running.pid}), and is being used",
                hint="wait for that run, or end it with `lakeport daemon stop`",
            )
        _end(place)
        order = Order(
            folder=place.folder,
            options=options,
            fingerprint=wanted,
            idle_seconds=idle_seconds,
            standby=standby,
        )
        _begin(place, order)
        begun = place.running()
        if begun is None:
            raise _ended(place)
        return Started(begun, "started" if running is None else "replaced")


def stop(place: Place) -> Record | None:
    """The daemon that was ended; None if there was none. What a killed one left behind goes, too."""
    if not place.folder.is_dir():
        return None
    with held(place.change):
        return _end(place)


def status(place: Place) -> Record | None:
    return place.running()


def _end(place: Place) -> Record | None:
    running = place.running()
    if running is not None:
        # By the lock it is certain that it lives, so the number is its own.
        os.kill(running.pid, signal.SIGTERM)
    elif not is_held(place.alive):
        place.clean()
        return None
    if not free_within(place.alive, _PATIENCE):
        raise UnavailableError(
            f"the daemon does not end{'' if running is None else f' (process {running.pid})'}",
            hint=f"see {place.log}; kill that process if nothing moves there",
        )
    place.clean()
    return running


def _begin(place: Place, order: Order) -> None:
    with open_log(place.log) as log:
        keeper = subprocess.Popen(  # noqa: S603  our own
            _KEEPER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=place.folder,
            start_new_session=True,
        )
    # It outlives us; if we outlive it, somebody has to ask how it ended.
    threading.Thread(target=keeper.wait, name="daemon", daemon=True).start()
    try:
        told = _told(keeper, order)
    except BaseException:  # Ctrl-C reaches us alone
        keeper.terminate()
        raise
    if not told:
        raise _ended(place)
    answer = msgspec.json.decode(told, type=Told)
    if answer.error is not None:
        raise UnavailableError(answer.error, hint=answer.hint)


def _told(keeper: subprocess.Popen[bytes], order: Order) -> bytes:
    """To the end of what it says, which comes when Spark answers, or the process is gone."""
    if keeper.stdin is not None:
        with contextlib.suppress(BrokenPipeError), keeper.stdin as into:
            into.write(order.encode())
    if keeper.stdout is None:
        return b""
    with keeper.stdout as out:
        return out.read()


def _ended(place: Place) -> UnavailableError:
    return UnavailableError("the daemon ended before it answered", hint=f"see {place.log}")

"""Locks on files, which the system takes back when their holder ends, however it ends.

That is why nothing here believes in process ids: one that is written in a file may be anybody's by now,
but a lock that is held is held by somebody who lives.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lakeport.core.closing import Closing

_TURN = 0.02


class Lock(Closing):
    """A lock that is held until it is closed, or its process is gone."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def take(file: Path, *, shared: bool = False) -> Lock:
    """Wait for it."""
    descriptor = _opened(file)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    except BaseException:
        os.close(descriptor)
        raise
    return Lock(descriptor)


def try_take(file: Path, *, shared: bool = False) -> Lock | None:
    """None if somebody holds it in a way that keeps us out."""
    descriptor = _opened(file)
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return Lock(descriptor)


def take_within(file: Path, seconds: float, *, shared: bool = False) -> Lock | None:
    """None if somebody keeps us out for all of that time; `flock` itself knows no limit."""
    deadline = time.monotonic() + seconds
    while (lock := try_take(file, shared=shared)) is None:
        if time.monotonic() > deadline:
            return None
        time.sleep(_TURN)
    return lock


def is_held(file: Path) -> bool:
    """Whether somebody has it for himself alone. Asking makes no file."""
    if not file.exists():
        return False
    lock = try_take(file, shared=True)
    if lock is None:
        return True
    lock.close()
    return False


def is_shared(file: Path) -> bool:
    """Whether anybody has it, alone or with others."""
    if not file.exists():
        return False
    lock = try_take(file)
    if lock is None:
        return True
    lock.close()
    return False


def free_within(file: Path, seconds: float) -> bool:
    """Whether its holder lets go of it in that time."""
    deadline = time.monotonic() + seconds
    while is_held(file):
        if time.monotonic() > deadline:
            return False
        time.sleep(_TURN)
    return True


@contextmanager
def held(file: Path) -> Iterator[None]:
    with take(file):
        yield


def _opened(file: Path) -> int:
    # Not inherited, as all files that Python opens: a JVM would hold it beyond us.
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

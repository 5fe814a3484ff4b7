"""Workers that live long and are lent out: to a scalar function for one batch, to a table for as long as it is
read.

There are as many as are needed at one time, up to a limit; one of them is kept for scalar functions, which are
quick, so that slow readers of tables cannot stop them. Who finds all busy waits a moment and is refused then.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lakeport.core.closing import Closing
from lakeport.core.errors import LakeportError, LimitError, UnavailableError
from lakeport.functions.workers.messages import Load, Loaded
from lakeport.functions.workers.worker import Worker

_log = logging.getLogger(__name__)

WAIT_SECONDS = 30.0
_IDLE_SECONDS = 60.0
_GROW_SECONDS = (
    0.05  # what a batch waits for a worker before another one is started: that takes a second
)


class Pool(Closing):
    def __init__(self, load: Load, most: int, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self._load = load
        self._most = most
        self._wait_seconds = wait_seconds
        self._changed = threading.Condition()
        self._idle: list[Worker] = []
        self._count = 0  # of all, those that are being started too
        self._lent_long = 0
        self._is_closed = False
        self._is_retired = False
        self._is_refilling = False  # there will be an idle one in a moment
        self._held: set[Worker] = set()

    def first(self) -> Loaded:
        """Start one, and what it has loaded."""
        with self._changed:
            self._count += 1
        worker, loaded = self._started()
        self._put_back(worker)
        return loaded

    @contextmanager
    def borrowed(self) -> Iterator[Worker]:
        """For one question."""
        worker = self._take(is_long=False)
        try:
            yield worker
        finally:
            self._put_back(worker)

    def lend(self) -> Worker:
        """For longer; to be given back with `returned`."""
        return self._take(is_long=True)

    def returned(self, worker: Worker) -> None:
        with self._changed:
            self._lent_long -= 1
        self._put_back(worker)

    def retire(self) -> None:
        """Others do the work from now on. Who still has a function of this one can use it up."""
        with self._changed:
            self._is_retired = True
            idle, self._idle = self._idle, []
        for worker in idle:
            self._ended(worker)

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            idle, self._idle = self._idle, []
            busy = self._held - set(idle)
            self._changed.notify_all()
        for worker in busy:
            worker.kill()  # closed by who holds it
        for worker in idle:
            worker.close()

    # -- inside ------------------------------------------------------------------------------------

    def _take(self, *, is_long: bool) -> Worker:
        began = time.monotonic()
        deadline = began + self._wait_seconds
        grow_at = began if is_long else began + _GROW_SECONDS
        with self._changed:
            while True:
                if self._is_closed:
                    raise UnavailableError("functions are not served any more")
                may = not is_long or self._lent_long < max(1, self._most - 1)
                if may and self._idle:
                    self._lent_long += is_long
                    return self._idle.pop()
                now = time.monotonic()
                has_room = may and self._count < self._most and (is_long or not self._is_refilling)
                if has_room and (now >= grow_at or not self._count):
                    self._count += 1
                    self._lent_long += is_long
                    break
                left = (grow_at if has_room else deadline) - now
                if now >= deadline:
                    raise LimitError(
                        f"all {self._most} processes for functions are busy",
                        hint="try again later; `functions.workers` says how many there may be",
                        details={"limit": "functions.workers"},
                    )
                self._changed.wait(left)
        try:
            return self._started()[0]
        except BaseException:
            with self._changed:
                self._lent_long -= is_long
            raise

    def _started(self) -> tuple[Worker, Loaded]:
        """Counted already."""
        try:
            worker = Worker(self._load)
        except OSError as error:
            with self._changed:
                self._count -= 1
                self._changed.notify_all()
            raise UnavailableError(
                f"a process for functions could not be started: {error}",
                outside="functions cannot be run at the moment",
            ) from error
        try:
            loaded = worker.load()
        except BaseException:
            self._ended(worker)
            raise
        with self._changed:
            self._held.add(worker)
        return worker, loaded

    def _put_back(self, worker: Worker) -> None:
        is_fit = worker.is_fit and worker.is_alive()
        worker.idle_since = time.monotonic()
        with self._changed:
            is_kept = is_fit and not self._is_closed and not self._is_retired
            if is_kept:
                self._idle.append(worker)
            old = [each for each in self._idle[:-1] if _is_old(each)]
            self._idle = [each for each in self._idle if each not in old]
            self._changed.notify_all()
        for each in old:
            self._ended(each)
        if not is_kept:
            self._ended(worker)
            self._replace()

    def _ended(self, worker: Worker) -> None:
        worker.close()
        with self._changed:
            self._count -= 1
            self._held.discard(worker)
            self._changed.notify_all()

    def _replace(self) -> None:
        """So that the next call need not wait for a process to start."""
        with self._changed:
            if self._is_closed or self._is_retired or self._idle or self._count:
                return
            self._count += 1
            self._is_refilling = True
        threading.Thread(target=self._refill, name="lakeport-worker-start", daemon=True).start()

    def _refill(self) -> None:
        try:
            worker, _ = self._started()
            self._put_back(worker)
        except LakeportError as error:
            _log.warning("functions.worker_failed", extra={"reason": error.message})
        finally:
            with self._changed:
                self._is_refilling = False
                self._changed.notify_all()


def _is_old(worker: Worker) -> bool:
    return time.monotonic() - worker.idle_since > _IDLE_SECONDS

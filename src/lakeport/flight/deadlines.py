"""Ends calls that take too long, and streams whose client neither reads nor sends.

One thread looks at all calls. A call that blocks in the network cannot be told by raising, so it is
ended underneath: its handler wakes up and frees what it holds.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

from lakeport.core.errors import DeadlineError
from lakeport.flight.call import Call
from lakeport.flight.limits import Limits

_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Watched:
    """A call under watch. `end` ends it from outside, with that error as its status."""

    call: Call
    end: Callable[[DeadlineError], None]
    waiting_since: float | None = None
    overdue: DeadlineError | None = None

    def __enter__(self) -> None:
        """Now it is the client's turn."""
        self.waiting_since = time.monotonic()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.waiting_since = None


class Deadlines:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        shortest = min(limits.idle_seconds or 60.0, limits.call_seconds or 60.0)
        self._pause = max(0.02, min(1.0, shortest / 4))
        self._watched: set[Watched] = set()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="flight-deadlines", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    @contextmanager
    def watch(self, call: Call, end: Callable[[DeadlineError], None]) -> Iterator[Watched]:
        watched = Watched(call, end)
        with self._lock:
            self._watched.add(watched)
        try:
            yield watched
        finally:
            with self._lock:
                self._watched.discard(watched)

    def _run(self) -> None:
        while not self._stop.wait(self._pause):
            now = time.monotonic()
            with self._lock:
                known = list(self._watched)
            for watched in known:
                error = self._judge(watched, now)
                if error is not None and watched.overdue is None:
                    watched.overdue = error
                    _end(watched, error)

    def _judge(self, watched: Watched, now: float) -> DeadlineError | None:
        if watched.call.deadline is not None and now > watched.call.deadline:
            return watched.call.too_late()
        since, most = watched.waiting_since, self._limits.idle_seconds
        if since is not None and most is not None and now - since > most:
            return DeadlineError(
                f"the client neither read nor sent anything for {most:g} seconds",
                hint="`server.limits.idle_seconds` says how long it may",
                details={"limit": "idle_seconds"},
            )
        return None


def _end(watched: Watched, error: DeadlineError) -> None:
    try:
        watched.end(error)
    except Exception:  # noqa: BLE001  the thread watches over all other calls, too
        _log.exception("call.deadline_failed")

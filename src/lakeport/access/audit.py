"""The audit's way to the store: calls hand their entry over and go on, one thread writes in batches.

A call never waits for it. If the store is slow or gone, entries are kept up to a limit and then dropped
and counted, because a lake that stops when its log is full helps nobody; the log says how many.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from lakeport.core.closing import Closing
from lakeport.core.errors import LakeportError
from lakeport.core.timepoint import NANOSECONDS
from lakeport.state import AuditEntry, AuditTable

_log = logging.getLogger(__name__)

CAPACITY = 50_000
KEEP_DAYS = 90.0

_BATCH = 1_000
_GATHER_SECONDS = 0.25
_RETRY_SECONDS = 1.0
_FORGET_SECONDS = 3_600.0
_DAY = 86_400 * NANOSECONDS


class AuditLog(Closing):
    def __init__(
        self,
        table: AuditTable,
        *,
        keep_days: float | None = KEEP_DAYS,
        capacity: int = CAPACITY,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._table = table
        self._keep_days = keep_days
        self._capacity = capacity
        self._now_ns = now_ns
        self._waiting: deque[AuditEntry] = deque()
        self._writing: list[AuditEntry] = []
        self._changed = threading.Condition()
        self._hurried = False
        self._closing = False
        self._dropped = 0
        self._thread = threading.Thread(target=self._run, name="lakeport-audit", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        """Entries that were lost."""
        return self._dropped

    def record(self, entry: AuditEntry) -> None:
        """Never blocks and never raises."""
        with self._changed:
            if self._closing or len(self._waiting) >= self._capacity:
                self._dropped += 1
                return
            self._waiting.append(entry)
            if len(self._waiting) in {1, _BATCH}:
                self._changed.notify_all()

    def last_outcome(self, transaction_id: str) -> str | None:
        """How the transaction's last change of rows ended, also if it is not in the store yet."""
        with self._changed:
            recent = [*self._writing, *self._waiting]
        for entry in reversed(recent):
            if entry.ends(transaction_id):
                return entry.outcome
        return self._table.last_outcome(transaction_id)

    def flush(self, seconds: float = 5.0) -> bool:
        """Wait until what was recorded so far is in the store, for readers of the audit."""
        with self._changed:
            self._hurried = True
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not (self._waiting or self._writing), seconds)

    def close(self, seconds: float = 5.0) -> None:
        """Write the rest. What cannot be written by then is lost, and the log says so."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(seconds)
        with self._changed:
            lost = len(self._waiting) + len(self._writing) + self._dropped
        if lost:
            _log.error("audit.lost", extra={"entries": lost})

    # -- the thread ------------------------------------------------------------------------------

    def _run(self) -> None:
        forget_at = 0.0
        while self._take():
            written = self._write()
            if written and time.monotonic() >= forget_at:
                forget_at = time.monotonic() + _FORGET_SECONDS
                self._forget()
            if not written and not self._pause():
                return

    def _take(self) -> bool:
        """Gather a batch; False once there is nothing left and never will be."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._writing or self._closing)
            if not self._writing:
                self._changed.wait_for(self._is_due, _GATHER_SECONDS)
                count = min(len(self._waiting), _BATCH)
                self._writing = [self._waiting.popleft() for _ in range(count)]
            return bool(self._writing)

    def _is_due(self) -> bool:
        return len(self._waiting) >= _BATCH or self._hurried or self._closing

    def _write(self) -> bool:
        try:
            self._table.add(self._writing)
        except LakeportError as error:
            _log.warning("audit.failed", extra={"reason": error.message})
            return False
        with self._changed:
            self._writing = []
            self._hurried = self._hurried and bool(self._waiting)
            self._changed.notify_all()
        return True

    def _pause(self) -> bool:
        """Before the next try; there is none after the end."""
        with self._changed:
            return not self._changed.wait_for(lambda: self._closing, _RETRY_SECONDS)

    def _forget(self) -> None:
        if self._keep_days is None:
            return
        try:
            self._table.forget(self._now_ns() - round(self._keep_days * _DAY))
        except LakeportError as error:
            _log.warning("audit.not_forgotten", extra={"reason": error.message})

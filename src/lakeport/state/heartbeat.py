"""Keeps what a process holds alive while it works: its leases, and the run itself.

One small thread. Whoever works asks `lost` at points where stopping is possible, or is called: a lease that
somebody took over is told once, and so is one that could not be renewed until its time was over, because then
nobody knows whose it is.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from lakeport.core.closing import Closing
from lakeport.core.errors import LakeportError
from lakeport.core.names import TableName
from lakeport.state.leases import TTL_SECONDS, Held, Lease, LeaseTable
from lakeport.state.owners import Owner
from lakeport.state.runs import RunTable

_log = logging.getLogger(__name__)

EVERY_SECONDS = 15.0


class Heartbeat(Closing):
    """`on_lost` is called by the thread, with nothing locked; `runs` if the owner is a run's."""

    def __init__(  # noqa: PLR0913  what is kept alive, and the times of it
        self,
        leases: LeaseTable,
        owner: Owner,
        *,
        runs: RunTable | None = None,
        on_lost: Callable[[Lease], None] | None = None,
        ttl: float = TTL_SECONDS,
        every: float = EVERY_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._leases = leases
        self._runs = runs
        self._owner = owner
        self._on_lost = on_lost
        self._ttl = ttl
        self._every = every
        self._clock = clock
        self._held: dict[Lease, float] = {}
        """Until when each is ours for certain, by this process's own clock."""
        self._lost: set[TableName] = set()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lakeport-heartbeat", daemon=True)
        self._thread.start()

    @property
    def lost(self) -> frozenset[TableName]:
        """Tables whose lease we had and have no more."""
        with self._lock:
            return frozenset(self._lost)

    def acquire(self, catalog: str, table: TableName) -> Lease | Held:
        """For our owner, and kept alive until it is released."""
        before = self._clock()
        found = self._leases.acquire(catalog, table, self._owner, self._ttl)
        if isinstance(found, Lease):
            with self._lock:
                self._held[found] = before + self._ttl
                self._lost.discard(table)
        return found

    def release(self, lease: Lease) -> bool:
        """Whether it was still ours."""
        with self._lock:
            self._held.pop(lease, None)
        return self._leases.release(lease)

    def beat(self) -> None:
        """What the thread does again and again; for who cannot wait."""
        before = self._clock()
        with self._lock:
            mine = tuple(self._held)
        try:
            gone = self._leases.renew(mine, self._ttl) if mine else ()
            if self._runs is not None:
                self._runs.beat(self._owner, self._ttl)
        except LakeportError as error:
            _log.warning(
                "heartbeat.missed", extra={"run": self._owner.run_id, "reason": str(error)}
            )
            with self._lock:
                gone = tuple(lease for lease in mine if self._held.get(lease, before) < before)
            self._forget(gone)
            return
        with self._lock:
            for lease in mine:
                if lease in self._held and lease not in gone:
                    self._held[lease] = before + self._ttl
        self._forget(gone)

    def close(self) -> None:
        """No beat after this; leases that are still held stay until their time is over, or are released
        by `LeaseTable.release_all`.
        """
        self._stop.set()
        self._thread.join()

    # -- inside ----------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stop.wait(self._every):
            self.beat()

    def _forget(self, leases: tuple[Lease, ...]) -> None:
        with self._lock:
            # One that was released while it was renewed is not lost.
            lost = [lease for lease in leases if self._held.pop(lease, None) is not None]
            self._lost.update(lease.table for lease in lost)
        for lease in lost:
            _log.warning("lease.lost", extra={"run": self._owner.run_id, "table": str(lease.table)})
            if self._on_lost is not None:
                self._on_lost(lease)

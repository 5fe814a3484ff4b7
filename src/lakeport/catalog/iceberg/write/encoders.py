"""Threads that encode row groups while more rows arrive: encoding is most of the work of a large INSERT.

Work of one partition is done in the order it was given, that of several at the same time. So many bytes
may wait for it and no more. Small work is done at once by whoever brings it, so that a statement of a few
rows never starts a thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor

from lakeport.catalog.iceberg.parts import MEBIBYTE

_SMALL = MEBIBYTE


class Encoders:
    """Belongs to one thread. What a piece of work raises comes out of a later call."""

    def __init__(self, threads: int, most_bytes: int) -> None:
        self._threads = threads
        self._most = most_bytes
        self._pool: ThreadPoolExecutor | None = None
        self._under_way: deque[tuple[Future[None], int]] = deque()
        self._bytes = 0
        self._last: dict[Hashable, Future[None]] = {}

    def give(self, partition: Hashable, size: int, work: Callable[[], None]) -> None:
        if self._threads < 1 or (self._pool is None and size < _SMALL):
            work()
            return
        while self._under_way and (self._under_way[0][0].done() or self._bytes + size > self._most):
            self._wait_for_first()
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, "lakeport-encode")
        before = self._last.get(partition)
        # What it waits for was given earlier, so some thread is at it already.
        future = self._pool.submit(_after, before, work)
        self._last[partition] = future
        self._under_way.append((future, size))
        self._bytes += size

    def finish(self) -> None:
        """All work is done, and no thread is left."""
        while self._under_way:
            self._wait_for_first()
        self.stop()

    def stop(self) -> None:
        """No more work is begun, and what is under way has ended."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None
        self._under_way.clear()
        self._last.clear()
        self._bytes = 0

    def _wait_for_first(self) -> None:
        future, size = self._under_way.popleft()
        self._bytes -= size
        future.result()


def _after(before: Future[None] | None, work: Callable[[], None]) -> None:
    if before is not None:
        before.result()
    work()

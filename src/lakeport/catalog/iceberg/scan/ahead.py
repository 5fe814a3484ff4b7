"""Chunks made ahead of their reader by a few threads, as far as a number of bytes allows.

Work comes in *parts* that are read one after the other, each made of *lanes* that are read side by
side: the files of a split, and groups of their columns. Threads first serve the part being read, lanes
that lag before others, then the parts after it. No work ever waits for the reader: where nothing may
be made ahead it ends, and taking a chunk starts it again. So closing waits for no more than the chunks
that are being made, and the interpreter can end whatever a reader left open.

A failure is part of its lane: whoever reads on gets the chunks before it first.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeAlias

from lakeport.catalog.iceberg.parts import Chunk

Chunks: TypeAlias = Generator[Chunk, None, None]


class ClosedError(Exception):
    """Somebody closed what is being read. Not for users: whoever reads just ends."""


# Parts that turn out to hold nothing cost no bytes, but opening them does cost.
_FARTHEST = 16


@dataclass(slots=True, eq=False)
class _Lane:
    start: Callable[[], Chunks]
    chunks: Chunks | None = None
    ready: deque[Chunk] = field(default_factory=deque)
    made: int = 0
    is_busy: bool = False
    has_ended: bool = False
    failure: BaseException | None = None

    def make(self) -> Chunk | None:
        """The next chunk, on the one thread that has marked the lane as busy."""
        if self.chunks is None:
            self.chunks = self.start()
        return next(self.chunks, None)


class ReadAhead:
    """`most` bytes may be ready; beyond them, only a chunk that the reader is waiting for is made."""

    def __init__(
        self, parts: Sequence[Sequence[Callable[[], Chunks]]], *, threads: int, most: int
    ) -> None:
        self._parts = [[_Lane(start) for start in lanes] for lanes in parts]
        self._part = 0
        self._threads = threads
        self._most = most
        self._ready = 0
        self._workers = 0
        self._is_closed = False
        self._changed = threading.Condition()
        self._closing = threading.Lock()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="lakeport-scan")

    def take(self, part: int, lane: int) -> Chunk | None:
        """The next chunk of a lane, None after its last. Parts are read in their order."""
        with self._changed:
            self._part = part
            self._start_workers()
            wanted = self._parts[part][lane]
            while not (wanted.ready or wanted.has_ended or self._is_closed):
                self._changed.wait()
            if self._is_closed:
                raise ClosedError
            if not wanted.ready:
                if wanted.failure is not None:
                    raise wanted.failure
                return None
            chunk = wanted.ready.popleft()
            self._ready -= chunk.rows.nbytes
            self._start_workers()
            return chunk

    def close(self) -> None:
        """From any thread, also while another waits in `take`. Frees threads and files."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        with self._closing:
            self._pool.shutdown(wait=True, cancel_futures=True)
            for lane in (lane for lanes in self._parts for lane in lanes):
                lane.ready.clear()
                if lane.chunks is not None:
                    lane.chunks.close()

    # -- with the lock held ----------------------------------------------------------------------

    def _start_workers(self) -> None:
        while self._workers < self._threads and not self._is_closed:
            lane = self._claim()
            if lane is None:
                return
            self._workers += 1
            self._pool.submit(self._work, lane)

    def _claim(self) -> _Lane | None:
        """The lane to work on next, marked as busy."""
        for index in range(self._part, min(self._part + _FARTHEST, len(self._parts))):
            idle = [lane for lane in self._parts[index] if not (lane.is_busy or lane.has_ended)]
            if self._ready >= self._most:
                if index > self._part:
                    return None
                idle = [lane for lane in idle if not lane.ready]
            if idle:
                lane = min(idle, key=lambda lane: lane.made)
                lane.is_busy = True
                return lane
        return None

    # -- on a thread of the pool -----------------------------------------------------------------

    def _work(self, lane: _Lane) -> None:
        while True:
            chunk, failure = None, None
            try:
                chunk = lane.make()
            except BaseException as error:  # noqa: BLE001 - it is raised where the lane is read
                failure = error
            with self._changed:
                lane.is_busy = False
                if chunk is None:
                    lane.has_ended, lane.failure = True, failure
                else:
                    lane.made += chunk.rows.num_rows
                    lane.ready.append(chunk)
                    self._ready += chunk.rows.nbytes
                self._changed.notify_all()
                claimed = None if self._is_closed else self._claim()
                if claimed is None:
                    self._workers -= 1
                    return
                self._start_workers()
            lane = claimed

"""Chunks made ahead of their reader by a few threads, as far as a number of bytes allows.

Work comes in *parts* that are read one after the other, each made of *lanes* that are read side by
side: the files of a split, and groups of their columns. Threads first serve the part being read, lanes
that lag before others, then the parts after it. A reader whose next chunk is not ready is one of them: it
makes that chunk itself, or while another does, what is to be made next. If it only waited, the others
would always be ahead of it by one chunk and do all the work.

No work ever waits for the reader: where nothing may be made ahead it ends, and taking a chunk starts
it again. So closing waits for no more than the chunks that are being made, and the interpreter can end
whatever a reader left open. A failure is part of its lane: the chunks before it come first.
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

# Parts that turn out to hold nothing cost no bytes, but opening them does cost.
_FARTHEST = 16


class ClosedError(Exception):
    """Somebody closed what is being read. Not for users: whoever reads just ends."""


@dataclass(slots=True, eq=False)
class _Lane:
    """Made by one thread at a time, the one that has marked it as busy."""

    start: Callable[[], Chunks]
    chunks: Chunks | None = None
    ready: deque[tuple[Chunk, int]] = field(default_factory=deque)
    made: int = 0
    is_busy: bool = False
    has_ended: bool = False
    failure: BaseException | None = None

    def make(self) -> Chunk | None:
        """The next chunk; None after the last, and after a failure, which is kept."""
        try:
            if self.chunks is None:
                self.chunks = self.start()
            return next(self.chunks, None)
        except BaseException as error:  # noqa: BLE001 - it is raised where the lane is read
            self.failure = error
            return None


class ReadAhead:
    """`most` bytes may be ready; beyond them, only a chunk that the reader is waiting for is made.

    Without threads the reader makes all of them, and nothing before it is asked for.
    """

    def __init__(
        self, parts: Sequence[Sequence[Callable[[], Chunks]]], *, threads: int, most: int
    ) -> None:
        self._parts = [[_Lane(start) for start in lanes] for lanes in parts]
        self._part = 0
        self._threads = threads
        self._most = most
        self._ready = 0
        self._workers = 0
        self._own: _Lane | None = None  # the lane that the reader itself is working on
        self._is_closed = False
        self._changed = threading.Condition()
        self._closing = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def take(self, part: int, lane: int) -> Chunk | None:
        """The next chunk of a lane, None after its last. Parts are read in their order."""
        wanted = self._parts[part][lane]
        while True:
            with self._changed:
                self._part = part
                if self._is_closed:
                    raise ClosedError
                if wanted.ready or wanted.has_ended:
                    return self._taken(wanted)
                own = self._claim() if wanted.is_busy else wanted
                if own is None:
                    self._changed.wait()
                    continue
                self._own = own
                own.is_busy = True
                self._start_workers()
            chunk = own.make()
            with self._changed:
                self._own = None
                self._finish(own, chunk)

    def close(self) -> None:
        """From any thread, also while another is in `take`. Frees threads and files."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        with self._closing:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)
            with self._changed:
                self._changed.wait_for(lambda: self._own is None)
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
            self._pool = self._pool or ThreadPoolExecutor(self._threads, "lakeport-scan")
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

    def _taken(self, lane: _Lane) -> Chunk | None:
        if not lane.ready:
            if lane.failure is not None:
                raise lane.failure
            return None
        chunk, size = lane.ready.popleft()
        self._ready -= size
        self._start_workers()
        return chunk

    def _finish(self, lane: _Lane, chunk: Chunk | None) -> None:
        lane.is_busy = False
        if chunk is None:
            lane.has_ended = True
        else:
            # What it holds in memory, which for a slice would be more than its own bytes.
            size = chunk.rows.get_total_buffer_size()
            lane.ready.append((chunk, size))
            lane.made += chunk.rows.num_rows
            self._ready += size
        self._changed.notify_all()

    # -- on a thread of the pool -----------------------------------------------------------------

    def _work(self, lane: _Lane) -> None:
        working: _Lane | None = lane
        while working is not None:
            chunk = working.make()
            with self._changed:
                self._finish(working, chunk)
                working = None if self._is_closed else self._claim()
                if working is None:
                    self._workers -= 1

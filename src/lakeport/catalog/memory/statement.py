"""The frame of a statement in memory: staged batch by batch, applied to the timeline by `commit`.

Everything staged is private to the statement, so aborting is forgetting.
"""

from __future__ import annotations

from abc import abstractmethod

from lakeport.catalog.memory.store import TableStore
from lakeport.catalog.memory.timeline import Stamp, Timeline
from lakeport.catalog.ports import WriteContext, Written
from lakeport.catalog.staging import Staging


class Statement(Staging):
    def __init__(self, store: TableStore, context: WriteContext | None) -> None:
        self._store = store
        self._context = context
        self._opened = store.read()

    def commit(self) -> Written:
        self._require_open()
        self._is_open = False
        rows, is_noop = 0, True

        def attempt(timeline: Timeline) -> Timeline:
            nonlocal rows, is_noop
            stamp = self._store.surroundings.stamp(self._context)
            proposed, rows = self._apply(timeline, stamp)
            is_noop = proposed is timeline
            return proposed

        try:
            done = self._store.commit(attempt)
        finally:
            self._forget()
        return written(done, rows, is_noop=is_noop)

    def _undo(self) -> None:
        self._forget()

    @abstractmethod
    def _apply(self, timeline: Timeline, stamp: Stamp) -> tuple[Timeline, int]:
        """The timeline with this statement done, and how many rows it changed; pure."""

    @abstractmethod
    def _forget(self) -> None: ...


def written(done: Timeline, rows: int, *, is_noop: bool) -> Written:
    head = None if is_noop else done.head
    return Written(rows, None if head is None else head.info.snapshot_id, done.version)

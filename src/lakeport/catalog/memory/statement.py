"""The frame of a statement in progress: staged by `add`, applied by `commit`, or not at all.

A statement whose `add` failed can only be aborted: committing the batches that came before would be
half a statement. Everything staged is private to the statement, so aborting is forgetting.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

import pyarrow as pa

from lakeport.catalog.memory.store import TableStore
from lakeport.catalog.memory.timeline import Stamp, Timeline
from lakeport.catalog.ports import WriteContext, Written
from lakeport.core.errors import PreconditionError


class Statement(ABC):
    def __init__(self, store: TableStore, context: WriteContext | None) -> None:
        self._store = store
        self._context = context
        self._opened = store.read()
        self._is_open = True

    def add(self, batch: pa.RecordBatch, *, returning: bool = False) -> pa.RecordBatch | None:
        self._require_open()
        try:
            shown = self._stage(batch, returning=returning)
        except BaseException:
            self.abort()
            raise
        return shown if returning else None

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

    def abort(self) -> None:
        self._is_open = False
        self._forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.abort()

    def _require_open(self) -> None:
        if not self._is_open:
            raise PreconditionError(
                "the statement has ended: it was committed, aborted or has failed",
                hint="begin a new one",
            )

    @abstractmethod
    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch | None:
        """Validate and keep; what comes back is what RETURNING shows, if it was asked for."""

    @abstractmethod
    def _apply(self, timeline: Timeline, stamp: Stamp) -> tuple[Timeline, int]:
        """The timeline with this statement done, and how many rows it changed; pure."""

    @abstractmethod
    def _forget(self) -> None: ...


def written(done: Timeline, rows: int, *, is_noop: bool) -> Written:
    head = None if is_noop else done.head
    return Written(rows, None if head is None else head.info.snapshot_id, done.version)

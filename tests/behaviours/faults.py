"""Four bugs, planted to prove that the checker of `history.py` sees them.

Each is a table that is right in everything but one way of committing, built on the ports of any
implementation: the mistakes a storage with optimistic commits is most likely to make.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

import pyarrow as pa

from lakeport.catalog.changes import Change
from lakeport.catalog.ports import (
    ScanPlan,
    ScanRequest,
    SnapshotInfo,
    Split,
    TableState,
    Write,
    WriteContext,
    Written,
)
from lakeport.catalog.rows.rowid import decode
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import ConflictError
from lakeport.core.names import ROW_ID, TableName
from lakeport.core.timepoint import AtVersion, TimePoint
from tests.behaviours.lake import Subject


class SoundTable:
    """Hands everything on; a fault overrides one statement."""

    def __init__(self, subject: Subject) -> None:
        self._real = subject

    @property
    def name(self) -> TableName:
        return self._real.table.name

    def state(self) -> TableState:
        return self._real.state

    def plan(self, request: ScanRequest) -> ScanPlan:
        return self._real.scannable.plan(request)

    def open(self, request: ScanRequest, split: Split) -> BatchStream:
        return self._real.scannable.open(request, split)

    def state_at(self, point: TimePoint) -> TableState:
        return self._real.travelable.state_at(point)

    def history(self) -> Sequence[SnapshotInfo]:
        return self._real.travelable.history()

    def alter(self, changes: Sequence[Change], context: WriteContext | None = None) -> TableState:  # noqa: ARG002 # the port's signature
        return self._real.alter(*changes)

    def truncate(self, context: WriteContext | None = None) -> Written:
        return self._real.truncatable.truncate(context)

    def overwrite(self, context: WriteContext | None = None) -> Write:
        return self._real.overwritable.overwrite(context)

    def expire(self, **_: object) -> int:
        """Forgets nothing: the version that shows a fault first gives it its name."""
        return 0

    def insert(self, context: WriteContext | None = None) -> Write:
        return self._real.insertable.insert(context)

    def update(self, context: WriteContext | None = None) -> Write:
        return self._real.updatable.update(context)

    def delete(self, context: WriteContext | None = None) -> Write:
        return self._real.deletable.delete(context)


class LosesUpdates(SoundTable):
    """Looks its rows up again instead of reporting a conflict: what others wrote is overwritten."""

    def update(self, context: WriteContext | None = None) -> Write:  # noqa: ARG002 # the port's signature
        return _Collected(self._commit)

    def _commit(self, batches: Sequence[pa.RecordBatch]) -> Written:
        keys = [_row_named(self._real, batch)["id"] for batch in batches]
        now = {row["id"]: row[ROW_ID] for row in _rows_with_ids(self._real)}
        moved = [
            _with_row_id(batch, now[key])
            for batch, key in zip(batches, keys, strict=True)
            if key in now
        ]
        return _committed(self._real.updatable.update(), moved)


class KeepsOldRows(SoundTable):
    """Inserts the new row of an update and forgets to delete the old one."""

    def update(self, context: WriteContext | None = None) -> Write:  # noqa: ARG002 # the port's signature
        return _Collected(self._commit)

    def _commit(self, batches: Sequence[pa.RecordBatch]) -> Written:
        rows = []
        for batch in batches:
            row = dict(_row_named(self._real, batch))
            row.pop(ROW_ID)
            row[batch.schema.names[0]] = batch.column(0)[0].as_py()
            rows.append(row)
        return self._real.insert(rows)


class CommitsHalf(SoundTable):
    """Acknowledges all batches of an update and applies the first."""

    def update(self, context: WriteContext | None = None) -> Write:  # noqa: ARG002 # the port's signature
        return _Collected(lambda batches: _committed(self._real.updatable.update(), batches[:1]))


class ShiftsRowIds(SoundTable):
    """Counts live rows for a row id, but not in the snapshot the id came from."""

    def delete(self, context: WriteContext | None = None) -> Write:  # noqa: ARG002 # the port's signature
        return _Collected(self._commit)

    def _commit(self, batches: Sequence[pa.RecordBatch]) -> Written:
        now = self._real.row_ids()
        shifted = []
        for batch in batches:
            then = self._real.row_ids(at=AtVersion(_version_of(batch)))
            rank = then.index(batch.column(0)[0].as_py())
            if not now:
                raise ConflictError("nothing is left")
            shifted.append(_with_row_id(batch, now[rank % len(now)]))
        return _committed(self._real.deletable.delete(), shifted)


FAULTS: dict[str, type[SoundTable]] = {
    "lost update": LosesUpdates,
    "twice": KeepsOldRows,
    "partial statement": CommitsHalf,
    "wrong row": ShiftsRowIds,
}
"""Each fault under the words with which the checker reports it."""


class _Collected:
    """A statement that leaves everything to one function at its end."""

    def __init__(self, finish: Callable[[Sequence[pa.RecordBatch]], Written]) -> None:
        self._finish = finish
        self._batches: list[pa.RecordBatch] = []

    def add(self, batch: pa.RecordBatch, *, returning: bool = False) -> pa.RecordBatch | None:
        self._batches.append(batch)
        return batch if returning else None

    def commit(self) -> Written:
        return self._finish(self._batches)

    def abort(self) -> None:
        self._batches = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.abort()


def _committed(write: Write, batches: Sequence[pa.RecordBatch]) -> Written:
    with write:
        for batch in batches:
            write.add(batch)
        return write.commit()


def _with_row_id(batch: pa.RecordBatch, row_id: int) -> pa.RecordBatch:
    last = batch.num_columns - 1
    return batch.set_column(last, batch.schema.field(last), pa.array([row_id], pa.int64()))


def _version_of(batch: pa.RecordBatch) -> int:
    """The version a one-row batch's row id was given out in; programs never have 2^23 versions."""
    return int(decode(batch.column(batch.num_columns - 1)).generations[0])


def _row_named(subject: Subject, batch: pa.RecordBatch) -> dict[str, int]:
    row_id = batch.column(batch.num_columns - 1)[0].as_py()
    rows = _rows_with_ids(subject, AtVersion(_version_of(batch)))
    return next(row for row in rows if row[ROW_ID] == row_id)


def _rows_with_ids(subject: Subject, at: TimePoint | None = None) -> list[dict[str, int]]:
    found: list[dict[str, int]] = subject.read(ScanRequest(row_ids=True, at=at)).to_pylist()
    return found

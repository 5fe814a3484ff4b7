"""INSERT: rows are made to fit when they arrive, keys are checked when they are committed.

Appends never conflict with each other. When somebody altered the table in between, the staged rows
follow their columns by identity; where that has no meaning any more the statement has to run again.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.definition import default_of
from lakeport.catalog.memory.follow import altered, follow
from lakeport.catalog.memory.keys import check_keys
from lakeport.catalog.memory.segments import pack
from lakeport.catalog.memory.statement import Statement
from lakeport.catalog.memory.store import TableStore
from lakeport.catalog.memory.timeline import Shape, Stamp, Timeline
from lakeport.catalog.ports import WriteContext
from lakeport.catalog.rows.conform import conform_insert
from lakeport.catalog.rows.constraints import check_rows


class Insert(Statement):
    def __init__(self, store: TableStore, context: WriteContext | None) -> None:
        super().__init__(store, context)
        self._rows: list[pa.RecordBatch] = []

    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch:  # noqa: ARG002 # costs nothing here
        rows = _fitting(batch, self._opened.shape)
        self._rows.append(rows)
        return rows

    def _apply(self, timeline: Timeline, stamp: Stamp) -> tuple[Timeline, int]:
        definition = timeline.shape.definition
        fresh, count = self._fresh(timeline)
        if not count:
            return timeline, 0
        check_keys(definition, definition.keys, fresh, timeline.segments)
        counts = {"added-records": count}
        done = timeline.grow("append", stamp, kept=timeline.segments, added=fresh, counts=counts)
        return done, count

    def _fresh(self, timeline: Timeline) -> tuple[list[pa.RecordBatch], int]:
        """The new rows as the table stores them now, and how many they are."""
        rows = [self._current(batch, timeline) for batch in self._rows]
        schema = timeline.shape.definition.schema
        fresh = pack(rows, schema, self._store.surroundings.segment_rows)
        return fresh, sum(batch.num_rows for batch in fresh)

    def _current(self, rows: pa.RecordBatch, timeline: Timeline) -> pa.RecordBatch:
        since, now = self._opened.shape, timeline.shape
        if since.schema_id == now.schema_id:
            return rows
        if _defaults(since) != {key: _defaults(now).get(key) for key in since.column_ids}:
            # A column that was left out got the old DEFAULT.
            raise altered(timeline)
        return _fitting(follow(rows, since, timeline), now)

    def _forget(self) -> None:
        self._rows = []


class Overwrite(Insert):
    """New rows instead of all that are there: no key of those is in the way."""

    def _apply(self, timeline: Timeline, stamp: Stamp) -> tuple[Timeline, int]:
        definition = timeline.shape.definition
        fresh, count = self._fresh(timeline)
        gone = sum(segment.live_count for segment in timeline.segments)
        if not count and not gone:
            return timeline, 0
        check_keys(definition, definition.keys, fresh, ())
        counts = {"added-records": count, "deleted-records": gone}
        return timeline.grow("overwrite", stamp, kept=(), added=fresh, counts=counts), count


def _fitting(batch: pa.RecordBatch, shape: Shape) -> pa.RecordBatch:
    rows = conform_insert(batch, shape.definition)
    check_rows(rows, shape.definition)
    return rows


def _defaults(shape: Shape) -> dict[int, str | None]:
    columns = zip(shape.column_ids, shape.definition.schema, strict=True)
    return {column_id: default_of(column) for column_id, column in columns}

"""UPDATE and DELETE by row id.

A row is looked up in the snapshot its id came from, and must still be the same row in the head that
the statement is committed to; otherwise nothing happens and the statement has to run again. The
statement may be opened before the scan that feeds it, so ids are resolved when they arrive.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.selection import take_rows
from lakeport.catalog.definition import Key, require_column
from lakeport.catalog.memory.addresses import (
    Addresses,
    join,
    remove,
    require_live,
    resolve,
    rows_at,
)
from lakeport.catalog.memory.follow import altered, follow
from lakeport.catalog.memory.keys import check_keys
from lakeport.catalog.memory.segments import pack
from lakeport.catalog.memory.statement import Statement
from lakeport.catalog.memory.store import TableStore
from lakeport.catalog.memory.timeline import Stamp, Timeline
from lakeport.catalog.ports import WriteContext
from lakeport.catalog.rows.conform import conform_delete, conform_update
from lakeport.catalog.rows.constraints import check_rows
from lakeport.catalog.rows.received import as_received
from lakeport.catalog.rows.rowid import Numbers
from lakeport.core.errors import InvalidRequestError


class Delete(Statement):
    def __init__(self, store: TableStore, context: WriteContext | None) -> None:
        super().__init__(store, context)
        self._doomed: list[Addresses] = []

    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch | None:
        timeline = self._store.under_way()
        if returning and timeline.shape.schema_id != self._opened.shape.schema_id:
            raise altered(timeline)  # rows are shown in the columns that the statement began with
        addresses = resolve(timeline, conform_delete(batch))
        require_live(timeline, addresses)
        self._doomed.append(addresses)
        return rows_at(timeline, addresses) if returning else None

    def _apply(self, timeline: Timeline, stamp: Stamp) -> tuple[Timeline, int]:
        named = join(self._doomed)
        doomed = named.at(named.last_of_each())
        if not len(doomed):
            return timeline, 0
        kept = remove(timeline, doomed)
        counts = {"deleted-records": len(doomed)}
        return timeline.grow("delete", stamp, kept=kept, counts=counts), len(doomed)

    def _forget(self) -> None:
        self._doomed = []


@dataclass(frozen=True, slots=True)
class _Edit:
    """New values for some rows, and the whole rows they make in one shape of the table."""

    addresses: Addresses
    values: pa.RecordBatch
    rows: pa.RecordBatch
    schema_id: int


class Update(Statement):
    def __init__(self, store: TableStore, context: WriteContext | None) -> None:
        super().__init__(store, context)
        self._edits: list[_Edit] = []

    def _stage(self, batch: pa.RecordBatch, *, returning: bool) -> pa.RecordBatch | None:
        assignment = conform_update(batch, self._opened.shape.definition)
        values = assignment.values
        if self._edits and self._edits[0].values.schema.names != values.schema.names:
            raise InvalidRequestError("all batches of an UPDATE must set the same columns")
        timeline = self._store.under_way()
        addresses = resolve(timeline, assignment.row_ids)
        rows = self._edited(timeline, addresses, values)
        self._edits.append(_Edit(addresses, values, rows, timeline.shape.schema_id))
        return as_received(batch, assignment) if returning else None

    def _apply(self, timeline: Timeline, stamp: Stamp) -> tuple[Timeline, int]:
        named = join([edit.addresses for edit in self._edits])
        last = named.last_of_each()
        if not len(last):
            return timeline, 0
        kept = remove(timeline, named.at(last))
        definition = timeline.shape.definition
        fresh = pack(
            self._surviving(last, timeline),
            definition.schema,
            self._store.surroundings.segment_rows,
        )
        check_keys(definition, self._touched_keys(timeline), fresh, kept)
        counts = {"added-records": len(last), "deleted-records": len(last)}
        done = timeline.grow("overwrite", stamp, kept=kept, added=fresh, counts=counts)
        return done, len(last)

    def _forget(self) -> None:
        self._edits = []

    def _surviving(self, last: Numbers, timeline: Timeline) -> Iterator[pa.RecordBatch]:
        """Of each edit the rows that no later one edits again; `last` counts through all edits."""
        start = 0
        for edit in self._edits:
            end = start + len(edit.addresses)
            mine = last[np.searchsorted(last, start) : np.searchsorted(last, end)] - start
            yield take_rows(self._current(edit, timeline), pa.array(mine))
            start = end

    def _current(self, edit: _Edit, timeline: Timeline) -> pa.RecordBatch:
        # A live position of the same segment in the same shape is the same row: the edit made
        # from it earlier still holds.
        if edit.schema_id == timeline.shape.schema_id:
            return edit.rows
        return self._edited(timeline, edit.addresses, edit.values)

    def _edited(
        self, timeline: Timeline, addresses: Addresses, values: pa.RecordBatch
    ) -> pa.RecordBatch:
        if timeline.shape.schema_id != self._opened.shape.schema_id:
            values = follow(values, self._opened.shape, timeline)
        definition = timeline.shape.definition
        rows = rows_at(timeline, addresses)
        for index, name in enumerate(values.schema.names):
            place = require_column(definition.schema, name)
            rows = rows.set_column(place, definition.schema.field(place), values.column(index))
        check_rows(rows, definition)
        return rows

    def _touched_keys(self, timeline: Timeline) -> tuple[Key, ...]:
        """Keys of today's definition that an assigned column is part of."""
        since, now = self._opened.shape, timeline.shape
        assigned = {since.id_of(name) for name in self._edits[0].values.schema.names}
        return tuple(
            key
            for key in now.definition.keys
            if any(now.id_of(name) in assigned for name in key.columns)
        )

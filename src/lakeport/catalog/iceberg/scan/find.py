"""What of the rows read is shown: deletes, both conditions, row ids, and nothing else.

Deleted rows go first: an expression must not fail on a value that is no longer there. Conditions are
then evaluated over many rows at once, because asking an engine has a fixed price, and only what they
accept is turned from how it is stored into what users see.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.arrays.selection import chosen, keep_rows, with_columns
from lakeport.catalog.arrow import Array
from lakeport.catalog.conditions import accepted, columns_read
from lakeport.catalog.definition import require_column
from lakeport.catalog.iceberg.deletes import Deleted
from lakeport.catalog.iceberg.parts import Chunk
from lakeport.catalog.iceberg.scan.messages import Found
from lakeport.catalog.iceberg.types import Column, to_logical
from lakeport.catalog.requests import BoundRequest
from lakeport.catalog.rows.rowid import Numbers, encode_at


@dataclass(frozen=True, slots=True)
class _Live:
    """Rows that are left of a chunk, as stored. `ordinals` are counted only if row ids are shown."""

    rows: pa.RecordBatch
    ordinals: Numbers | None
    read: int


class Finder:
    """`columns` are all columns of the schema; chunks hold those that the request needs."""

    def __init__(self, bound: BoundRequest, columns: Sequence[Column], version: int | None) -> None:
        self._bound = bound
        self._columns = [columns[index] for index in bound.needed]
        self._output = [bound.needed.index(index) for index in bound.output]
        self._version = version
        schema = pa.schema([column.arrow for column in self._columns])
        read = columns_read(bound.predicate, bound.request.expression)
        self._tested = sorted(require_column(schema, name) for name in read)
        self._tested_schema = pa.schema([schema.field(index) for index in self._tested])

    @property
    def is_conditional(self) -> bool:
        return self._bound.predicate is not None or self._bound.request.expression is not None

    def find(self, chunks: Sequence[Chunk], deleted: Deleted, first: int) -> Iterator[Found]:
        """The rows of chunks of one file, whose row ids begin at `first`."""
        live = [self._live(chunk, deleted, first) for chunk in chunks]
        if not self.is_conditional:
            yield from (Found(self._shown(some.rows, some.ordinals), some.read) for some in live)
            return
        mask = self._accepted([some.rows for some in live])
        start = 0
        for some in live:
            count = some.rows.num_rows
            yield self._chosen(some, mask.slice(start, count))
            start += count

    def _live(self, chunk: Chunk, deleted: Deleted, first: int) -> _Live:
        rows, count = chunk.rows, chunk.rows.num_rows
        kept = deleted.kept(chunk.start, count)
        if kept is not None:
            rows = keep_rows(rows, pa.array(kept))
        if not self._bound.request.row_ids:
            return _Live(rows, None, count)
        ordinals = np.arange(count, dtype=np.int64) + (first + chunk.start)
        return _Live(rows, ordinals if kept is None else ordinals[kept], count)

    def _accepted(self, batches: Sequence[pa.RecordBatch]) -> pa.BooleanArray:
        stored = [batch.select(self._tested) for batch in batches]
        rows = stored[0] if len(stored) == 1 else glue_rows(stored, stored[0].schema)
        logical = [
            to_logical(array, self._columns[index])
            for array, index in zip(rows.columns, self._tested, strict=True)
        ]
        tested = with_columns(logical, self._tested_schema, rows.num_rows)
        mask = accepted(self._bound.predicate, self._bound.request.expression, tested)
        return pa.repeat(pa.scalar(value=True), tested.num_rows) if mask is None else mask

    def _chosen(self, live: _Live, mask: pa.BooleanArray) -> Found:
        rows = keep_rows(live.rows.select(self._output), mask)
        ordinals = live.ordinals
        if ordinals is not None:
            ordinals = ordinals[chosen(mask).to_numpy()]
        return Found(self._logical(rows, ordinals), live.read)

    def _shown(self, rows: pa.RecordBatch, ordinals: Numbers | None) -> pa.RecordBatch:
        return self._logical(rows.select(self._output), ordinals)

    def _logical(self, rows: pa.RecordBatch, ordinals: Numbers | None) -> pa.RecordBatch:
        columns: list[Array] = [
            to_logical(array, self._columns[index])
            for array, index in zip(rows.columns, self._output, strict=True)
        ]
        if ordinals is not None and self._version is not None:
            columns.append(encode_at(self._version, ordinals))
        return with_columns(columns, self._bound.schema, rows.num_rows)

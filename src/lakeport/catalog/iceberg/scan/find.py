"""What of the rows read is shown: both conditions, row ids, and nothing else.

Conditions are evaluated over many rows at once, because asking an engine has a fixed price, and only
what they accept is turned from how it is stored into what users see.
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
from lakeport.catalog.iceberg.parts import Chunk
from lakeport.catalog.iceberg.scan.messages import Found
from lakeport.catalog.iceberg.types import Column, to_logical
from lakeport.catalog.requests import BoundRequest
from lakeport.catalog.rows.rowid import Numbers, encode_at
from lakeport.core.errors import InternalError, LimitError


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
        self._output = bound.places
        self._version = version
        schema = pa.schema([column.arrow for column in self._columns])
        read = columns_read(bound.predicate, bound.request.expression)
        self._tested = sorted(require_column(schema, name) for name in read)
        self._tested_schema = pa.schema([schema.field(index) for index in self._tested])

    @property
    def is_conditional(self) -> bool:
        return self._bound.predicate is not None or self._bound.request.expression is not None

    def find(self, chunks: Sequence[Chunk], first: int) -> Iterator[Found]:
        """The rows of chunks of one file, whose row ids begin at `first`."""
        live = [self._live(chunk, first) for chunk in chunks]
        for some in self._accepted(live) if self.is_conditional else live:
            read = some.read
            for rows in self._shown(some.rows.select(self._output), some.ordinals):
                yield Found(rows, read)
                read = 0

    def _live(self, chunk: Chunk, first: int) -> _Live:
        rows, kept, count = chunk.rows, chunk.kept, chunk.count
        if not self._bound.request.row_ids:
            return _Live(rows, None, count)
        ordinals = np.arange(count, dtype=np.int64) + (first + chunk.start)
        return _Live(rows, ordinals if kept is None else ordinals[kept], count)

    # -- conditions ------------------------------------------------------------------------------

    def _accepted(self, live: Sequence[_Live]) -> list[_Live]:
        stored = [some.rows.select(self._tested) for some in live]
        rows = stored[0] if len(stored) == 1 else glue_rows(stored, stored[0].schema)
        mask = self._mask(rows)
        kept = []
        start = 0
        for some in live:
            kept.append(_chosen(some, mask.slice(start, some.rows.num_rows)))
            start += some.rows.num_rows
        return kept

    def _mask(self, stored: pa.RecordBatch) -> pa.BooleanArray:
        try:
            columns = [
                to_logical(array, self._columns[index])
                for array, index in zip(stored.columns, self._tested, strict=True)
            ]
            rows = with_columns(columns, self._tested_schema, stored.num_rows)
            mask = accepted(self._bound.predicate, self._bound.request.expression, rows)
        except LimitError:
            halves = _halves(stored)
            if halves is None:
                raise
            return pa.concat_arrays([self._mask(half) for half in halves])
        if mask is None:
            raise InternalError("conditions were evaluated where there are none")
        return mask

    # -- what is shown ---------------------------------------------------------------------------

    def _shown(self, stored: pa.RecordBatch, ordinals: Numbers | None) -> Iterator[pa.RecordBatch]:
        """One batch, or several where a dictionary could not count all the values of one."""
        try:
            columns: list[Array] = [
                to_logical(array, self._columns[index])
                for array, index in zip(stored.columns, self._output, strict=True)
            ]
        except LimitError:
            halves = _halves(stored)
            if halves is None:
                raise
            half = halves[0].num_rows
            yield from self._shown(halves[0], None if ordinals is None else ordinals[:half])
            yield from self._shown(halves[1], None if ordinals is None else ordinals[half:])
            return
        if ordinals is not None and self._version is not None:
            columns.append(encode_at(self._version, ordinals))
        yield with_columns(columns, self._bound.schema, stored.num_rows)


def _chosen(live: _Live, mask: pa.BooleanArray) -> _Live:
    ordinals = live.ordinals
    if ordinals is not None:
        ordinals = ordinals[chosen(mask).to_numpy()]
    return _Live(keep_rows(live.rows, mask), ordinals, live.read)


def _halves(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, pa.RecordBatch] | None:
    half = batch.num_rows // 2
    return (batch.slice(0, half), batch.slice(half)) if half else None

"""Whole new rows of an UPDATE, made of the old ones and the values that are set.

Old rows are read file by file, in their order and without the columns that are set. Those of several
files are put together until they are worth an engine's and a writer's attention.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.iceberg.change.edits import Edit, NewValues
from lakeport.catalog.iceberg.change.rows import rows_in_bulk
from lakeport.catalog.iceberg.definition import columns_of, definition_of
from lakeport.catalog.iceberg.files import Wanted
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.types import to_logical
from lakeport.catalog.rows.rowid import Numbers
from lakeport.core.errors import LimitError

_AT_ONCE = 32_768


class WholeRows:
    """In the columns of one state of the table, as users see them."""

    def __init__(self, source: Source, values: NewValues) -> None:
        schema = source.metadata.schema()
        self._source = source
        self._values = values
        self._schema = definition_of(source, schema).schema
        self._kept = [column for column in columns_of(source, schema) if not values.sets(column)]
        self._wanted = Wanted(schema, tuple(column.field for column in self._kept))

    def of(self, edits: Sequence[Edit]) -> Iterator[pa.RecordBatch]:
        pieces: list[pa.RecordBatch] = []
        numbers: list[Numbers] = []
        waiting = 0
        for piece, some in self._old(edits) if self._kept else _unread(edits):
            pieces.append(piece)
            numbers.append(some)
            waiting += len(some)
            if waiting >= _AT_ONCE:
                yield from self._joined(_glued(pieces), np.concatenate(numbers))
                pieces, numbers, waiting = [], [], 0
        if waiting:
            yield from self._joined(_glued(pieces), np.concatenate(numbers))

    def _old(self, edits: Sequence[Edit]) -> Iterator[tuple[pa.RecordBatch, Numbers]]:
        """What is kept of the old rows, as stored, and the numbers of their new values."""
        done = [0] * len(edits)
        named = [(edit.met.file, edit.positions) for edit in edits]
        for number, piece in rows_in_bulk(self._source, self._wanted, named):
            start = done[number]
            done[number] += piece.num_rows
            yield piece, edits[number].numbers[start : done[number]]

    def _joined(self, old: pa.RecordBatch, numbers: Numbers) -> Iterator[pa.RecordBatch]:
        """One batch, or several where a dictionary could not count all the values of one."""
        try:
            new = self._values.at(numbers, self._source)
            columns = {
                column.arrow.name: to_logical(array, column)
                for array, column in zip(old.columns, self._kept, strict=True)
            }
        except LimitError:
            half = len(numbers) // 2
            if not half:
                raise
            yield from self._joined(old.slice(0, half), numbers[:half])
            yield from self._joined(old.slice(half), numbers[half:])
            return
        columns.update(zip(new.schema.names, new.columns, strict=True))
        shown = [columns[name] for name in self._schema.names]
        yield with_columns(shown, self._schema, len(numbers))


def _unread(edits: Iterable[Edit]) -> Iterator[tuple[pa.RecordBatch, Numbers]]:
    """As many rows without a column, when all columns are set."""
    for edit in edits:
        for start in range(0, len(edit.numbers), _AT_ONCE):
            some = edit.numbers[start : start + _AT_ONCE]
            yield with_columns([], pa.schema([]), len(some)), some


def _glued(pieces: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    return pieces[0] if len(pieces) == 1 else glue_rows(pieces, pieces[0].schema)

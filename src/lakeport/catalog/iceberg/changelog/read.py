"""The changed rows themselves, read a file at a time in the columns of the later point.

Columns are found by field id: one that was renamed since is itself, one that was added later is NULL in
rows of before, and one that was dropped is not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from lakeport.catalog.arrays.selection import with_columns
from lakeport.catalog.changelog import ChangedRows, Changelog
from lakeport.catalog.definition import require_column
from lakeport.catalog.iceberg.change.rows import rows_in_bulk
from lakeport.catalog.iceberg.changelog.difference import Touched, difference
from lakeport.catalog.iceberg.changelog.steps import steps_between
from lakeport.catalog.iceberg.definition import columns_of
from lakeport.catalog.iceberg.files import Wanted
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.state import state_of
from lakeport.catalog.iceberg.travel import Moment, info_of
from lakeport.catalog.iceberg.types import Column, to_logical
from lakeport.core.errors import LimitError

_COUNTED = 1 << 16


def changes_between(source: Source, since: Moment, until: Moment) -> Changelog:
    """The source is as of the later moment."""
    steps = steps_between(source, since.snapshot, until.snapshot)
    every = columns_of(source, until.schema)
    shown = pa.schema([column.arrow for column in every])

    def read(names: Sequence[str]) -> Iterator[ChangedRows]:
        columns = [every[require_column(shown, name)] for name in names]
        wanted = Wanted(until.schema, tuple(column.field for column in columns))
        for step in steps:
            snapshot = info_of(source.metadata, step.after)
            for touched in difference(source, step):
                for rows in _rows(source, wanted, columns, touched):
                    yield ChangedRows(touched.kind, snapshot, rows)

    return Changelog(state_of(source, until), read)


def _rows(
    source: Source, wanted: Wanted, columns: Sequence[Column], touched: Touched
) -> Iterator[pa.RecordBatch]:
    if not columns:
        count = len(touched.positions)
        for start in range(0, count, _COUNTED):
            yield with_columns([], pa.schema([]), min(_COUNTED, count - start))
        return
    for _, stored in rows_in_bulk(source, wanted, [(touched.file, touched.positions)]):
        yield from _logical(stored, columns)


def _logical(stored: pa.RecordBatch, columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
    """One batch, or several where a dictionary could not count all the values of one."""
    try:
        arrays = [
            to_logical(array, column) for array, column in zip(stored.columns, columns, strict=True)
        ]
    except LimitError:
        half = stored.num_rows // 2
        if not half:
            raise
        yield from _logical(stored.slice(0, half), columns)
        yield from _logical(stored.slice(half), columns)
        return
    schema = pa.schema([column.arrow for column in columns])
    yield with_columns(arrays, schema, stored.num_rows)

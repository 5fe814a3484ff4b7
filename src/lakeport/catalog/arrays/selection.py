"""Choosing rows of Arrow batches, for every type a table can have.

Arrow's own `take` and `filter` refuse a whole batch when one column is a string view or run-end
encoded, also deep inside a struct. Everything that picks rows comes here instead: Arrow's kernels
where they exist, a detour over a plain type for views, and gluing slices for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrow import Array

Positions: TypeAlias = Array  # of int64, never NULL

# A filter copies runs of rows, which beats taking them one by one only where runs are long.
_NEARLY_ALL = 0.85

_PLAIN: dict[pa.DataType, pa.DataType] = {
    pa.string_view(): pa.large_string(),
    pa.binary_view(): pa.large_binary(),
}


def counting(start: int, count: int) -> Positions:
    """`start`, `start + 1`, … as an array of that many positions."""
    positions: Positions = pa.arange(start, start + count)  # type: ignore[attr-defined] # newer than the stubs
    return positions


def take_array(array: Array, positions: Positions) -> Array:
    plain = _PLAIN.get(array.type)
    if plain is not None:
        return array.cast(plain).take(positions).cast(array.type)
    try:
        return array.take(positions)
    except pa.ArrowNotImplementedError:
        return _glue(array, positions)


def take_rows(batch: pa.RecordBatch, positions: Positions) -> pa.RecordBatch:
    columns = [take_array(column, positions) for column in batch.columns]
    return with_columns(columns, batch.schema, len(positions))


def keep_rows(batch: pa.RecordBatch, mask: pa.BooleanArray) -> pa.RecordBatch:
    """The rows where the mask is true; a NULL in it does not keep its row."""
    kept = mask.true_count
    if kept == batch.num_rows:
        return batch
    return with_columns(list(keep_arrays(batch.columns, mask)), batch.schema, kept)


def keep_arrays(arrays: Sequence[Array], mask: pa.BooleanArray) -> tuple[Array, ...]:
    """The same, for columns that are not of one batch."""
    if mask.true_count < _NEARLY_ALL * len(mask):
        positions = chosen(mask)
        return tuple(take_array(array, positions) for array in arrays)
    return tuple(_filter_array(array, mask) for array in arrays)


def _filter_array(array: Array, mask: pa.BooleanArray) -> Array:
    try:
        return _without_idle_bitmap(array).filter(mask)
    except pa.ArrowNotImplementedError:
        return take_array(array, chosen(mask))


def _without_idle_bitmap(array: Array) -> Array:
    """Parquet files give columns without a NULL a bitmap that says so; filtering it doubles the work."""
    if array.null_count or not pa.types.is_primitive(array.type):
        return array
    validity, *values = array.buffers()
    if validity is None:
        return array
    return pa.Array.from_buffers(array.type, len(array), [None, *values], 0, array.offset)


def chosen(mask: pa.BooleanArray) -> Positions:
    return pc.indices_nonzero(mask).cast(pa.int64())


def with_columns(columns: list[Array], schema: pa.Schema, rows: int) -> pa.RecordBatch:
    """A batch that knows its number of rows even when it has no column."""
    if columns:
        return pa.RecordBatch.from_arrays(columns, schema=schema)
    empty = pa.StructArray.from_buffers(pa.struct([]), rows, [None])
    return pa.RecordBatch.from_struct_array(empty)  # type: ignore[arg-type] # the stubs call it Array


def _glue(array: Array, positions: Positions) -> Array:
    pieces = [array.slice(start, length) for start, length in _runs(positions)]
    return pa.concat_arrays(pieces) if pieces else array.slice(0, 0)


def _runs(positions: Positions) -> Iterator[tuple[int, int]]:
    """Neighbouring positions as (start, length), so that a sparse selection costs few slices."""
    start = length = 0
    for scalar in positions:
        position: int = scalar.as_py()
        if length and position == start + length:
            length += 1
            continue
        if length:
            yield start, length
        start, length = position, 1
    if length:
        yield start, length

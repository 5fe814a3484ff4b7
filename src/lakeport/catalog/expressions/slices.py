"""Batches cut so that an expression's bound times their size fits the memory that may be used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrow import Array
from lakeport.catalog.expressions.growth import Growth
from lakeport.core.errors import LimitError

MEMORY = 256 * 1024 * 1024
"""Bytes one evaluation may need for its values, whatever its input is."""

_VECTOR = 2048
"""Rows DuckDB computes at a time: intermediate values exist for so many only."""


_LISTS = (
    pa.ListArray,
    pa.LargeListArray,
    pa.FixedSizeListArray,
    pa.ListViewArray,
    pa.LargeListViewArray,
)


def slices(batch: pa.RecordBatch, bound: Growth) -> Iterator[pa.RecordBatch]:
    """The batch in pieces, in order; LimitError when a single row needs too much."""
    pending = [batch]
    while pending:
        piece = pending.pop()
        if _need(piece, bound) <= MEMORY:
            yield piece
        elif piece.num_rows > 1:
            half = piece.num_rows // 2
            pending += [piece.slice(half), piece.slice(0, half)]
        else:
            raise LimitError(
                f"a row of {measured(piece):,} bytes is too large for this expression",
                hint=f"its result could need {_need(piece, bound):,} bytes; simplify it",
            )


def _need(batch: pa.RecordBatch, bound: Growth) -> int:
    rows = batch.num_rows
    size = measured(batch)
    busiest = size
    if bound.work.factor * size > MEMORY and rows > _VECTOR:
        busiest = max(measured(batch.slice(at, _VECTOR)) for at in range(0, rows, _VECTOR))
    result = bound.result.factor * size + bound.result.constant * rows
    return result + bound.work.factor * busiest + bound.work.constant * min(rows, _VECTOR)


def measured(batch: pa.RecordBatch) -> int:
    """What the rows take once nothing is shared or packed, as DuckDB holds them."""
    return sum(_bytes(column) for column in batch.columns)


def _bytes(array: Array) -> int:
    if isinstance(array, pa.ExtensionArray):
        return _number_bytes(array.storage) if _is_bignum(array.type) else _bytes(array.storage)
    if isinstance(array, pa.DictionaryArray):
        return _dictionary_bytes(array)
    if isinstance(array, pa.RunEndEncodedArray):
        return len(array) * max(8, int(array.values.nbytes))
    if isinstance(array, pa.StructArray | pa.UnionArray):
        # Not flatten(): it pushes the struct's NULLs into its children, and a union child that gets
        # a validity bitmap aborts the process.
        return sum(_bytes(array.field(index)) for index in range(array.type.num_fields))
    if isinstance(array, pa.MapArray):
        return 16 * len(array) + sum(map(_bytes, _entries(array)))
    if isinstance(array, _LISTS):
        return 16 * len(array) + _bytes(array.flatten())
    if isinstance(array, pa.StringViewArray | pa.BinaryViewArray):
        return _bytes(array.cast(pa.large_binary()))  # a view's own size is that of all it shares
    return max(int(array.nbytes), 8 * len(array))


def _entries(array: pa.MapArray[Any, Any]) -> tuple[Array, Array]:
    """Keys and values of these rows alone; Arrow's own answer forgets a slice."""
    if not len(array):
        return array.keys.slice(0, 0), array.items.slice(0, 0)
    first, last = array.offsets[0].as_py(), array.offsets[-1].as_py()
    return array.keys.slice(first, last - first), array.items.slice(first, last - first)


def _is_bignum(data_type: pa.DataType) -> bool:
    return isinstance(data_type, pa.OpaqueType) and data_type.type_name == "bignum"


def _number_bytes(storage: Array) -> int:
    """A BIGNUM weighs the square of its length, because that is what writing its digits costs."""
    lengths = pc.binary_length(storage).cast(pa.float64())  # type: ignore[call-overload]  # any binary
    return int(pc.sum(pc.multiply(lengths, lengths)).as_py() or 0) // 16 + 8 * len(storage)


def _dictionary_bytes(array: pa.DictionaryArray[Any, Any]) -> int:
    values: Array = array.dictionary
    if isinstance(values, pa.StringArray | pa.LargeStringArray):
        lengths = pc.binary_length(values).cast(pa.int64()).take(array.indices)
        return 16 * len(array) + int(pc.sum(lengths).as_py() or 0)
    return len(array) * max(8, int(values.nbytes))

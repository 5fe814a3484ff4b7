"""Batches cut so that an expression's bound times their size fits the memory that may be used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.containers import is_nested, take_apart
from lakeport.catalog.arrow import Array
from lakeport.catalog.expressions.growth import Growth
from lakeport.core.errors import LimitError

MEMORY = 256 * 1024 * 1024
"""Bytes one evaluation may need for its values, whatever its input is."""

_VECTOR = 2048
"""Rows DuckDB computes at a time: intermediate values exist for so many only."""

_TEXTS = (pa.StringArray, pa.LargeStringArray, pa.BinaryArray, pa.LargeBinaryArray)


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
                f"a row of {piece.nbytes:,} bytes is too large for this expression",
                hint="simplify the expression, or shorten the value",
            )


def _need(batch: pa.RecordBatch, bound: Growth) -> int:
    rows = batch.num_rows
    size = measured(batch, digits=bound.digits)
    busiest = size
    if bound.work.factor * size > MEMORY and rows > _VECTOR:
        busiest = max(
            measured(batch.slice(at, _VECTOR), digits=bound.digits)
            for at in range(0, rows, _VECTOR)
        )
    result = bound.result.factor * size + bound.result.constant * rows
    return result + bound.work.factor * busiest + bound.work.constant * min(rows, _VECTOR)


def measured(batch: pa.RecordBatch, *, digits: bool = False) -> int:
    """What the rows take once nothing is shared or packed, as DuckDB holds them. With `digits`, texts
    and BIGNUMs weigh the square of their length, because reading and writing them costs that.
    """
    return sum(_bytes(column, digits=digits) for column in batch.columns)


def _bytes(array: Array, *, digits: bool) -> int:
    if isinstance(array, pa.ExtensionArray):
        return _bytes(array.storage, digits=digits)
    if isinstance(array, pa.DictionaryArray):
        return _dictionary_bytes(array, digits=digits)
    if isinstance(array, pa.RunEndEncodedArray):
        return len(array) * max(8, int(array.values.nbytes))
    if isinstance(array, pa.StringViewArray | pa.BinaryViewArray):
        # A view's own size is that of all it shares.
        return _bytes(array.cast(pa.large_binary()), digits=digits)
    if is_nested(array.type):
        # Never `flatten`: Arrow aborts the process when a struct's NULLs are pushed into a union.
        parts = take_apart(array).children
        return 16 * len(array) + sum(_bytes(part, digits=digits) for part in parts)
    if digits and isinstance(array, _TEXTS):
        return _text_bytes(pc.binary_length(array), digits=True)
    return max(int(array.nbytes), 8 * len(array))


def _dictionary_bytes(array: pa.DictionaryArray[Any, Any], *, digits: bool) -> int:
    values: Array = array.dictionary
    if isinstance(values, _TEXTS):
        return _text_bytes(pc.binary_length(values).take(array.indices), digits=digits)
    return len(array) * max(8, int(values.nbytes))


def _text_bytes(lengths: Array, *, digits: bool) -> int:
    sizes: Array = lengths.cast(pa.float64())
    weights = pc.divide(pc.multiply(sizes, sizes), 16) if digits else sizes
    return 16 * len(lengths) + int(pc.sum(weights).as_py() or 0)

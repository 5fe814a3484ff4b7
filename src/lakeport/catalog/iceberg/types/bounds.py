"""Bounds of stored values as bounds of logical ones, to prune files and row groups with.

Another engine may have written values that the column cannot hold (half a second where it counts whole
ones): a bound that is such a value says nothing and becomes null.
"""

from __future__ import annotations

import pyarrow as pa

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types.codec import Codec, MisfitError
from lakeport.catalog.iceberg.types.columns import Column
from lakeport.catalog.predicates.kinds import Kind, kind_of_field


def prunable(column: Column) -> bool:
    """Whether stored values are in the order of the logical ones, and predicates know that order."""
    kind = kind_of_field(column.arrow)
    return column.codec.ordered and kind is not None and kind is not Kind.NULL


def logical_bounds(minimum: Array, maximum: Array, column: Column) -> tuple[Array, Array] | None:
    """Bounds, one entry per file or row group, in the type of the column's values.

    None where the column cannot be pruned by them.
    """
    if not prunable(column):
        return None
    codec = column.codec
    while codec.values is not None:
        codec = codec.values
    return _decoded(minimum, codec), _decoded(maximum, codec)


def _decoded(ends: Array, codec: Codec) -> Array:
    try:
        return codec.decoded(ends)
    except (MisfitError, pa.ArrowInvalid):
        return pa.concat_arrays([_decoded_one(ends.slice(at, 1), codec) for at in range(len(ends))])


def _decoded_one(end: Array, codec: Codec) -> Array:
    try:
        return codec.decoded(end)
    except (MisfitError, pa.ArrowInvalid):
        return nulls(1, codec.logical)

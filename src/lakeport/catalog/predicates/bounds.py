"""What is known about a column in each of many files: the smallest and largest value, and counts.

Entry *i* of every array is about file *i*; a null entry is not known. Values are in DuckDB's order,
where NaN is above everything: as storages leave NaN out of their bounds, an upper bound of floats
counts only where it is known that there is no NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from lakeport.catalog.arrow import Array
from lakeport.catalog.predicates import kernels
from lakeport.catalog.predicates.kinds import Kind, kind_of, value_type
from lakeport.catalog.predicates.ordering import decoded, keys


@dataclass(frozen=True, slots=True)
class Bounds:
    """`minimum` and `maximum` have the column's type, or that of its values if they are encoded."""

    minimum: Array
    maximum: Array
    null_count: Array | None = None
    nan_count: Array | None = None

    def ends(self) -> tuple[Array, Array]:
        """The bounds as keys, null wherever they prove nothing."""
        low, high = keys(self.minimum), keys(self.maximum)
        if not pa.types.is_floating(low.type):
            return low, high
        low = kernels.unless(kernels.is_nan(low), low)
        high = kernels.unless(kernels.is_nan(high), high)
        if self.nan_count is None:
            return low, kernels.nulls(len(high), high.type)
        may_hold_nan = kernels.filled(kernels.not_equal(self.nan_count, 0), value=True)
        return low, kernels.unless(may_hold_nan, high)


def bounds_of(segments: Sequence[Array]) -> Bounds:
    """Exact bounds of rows in memory, one entry per segment of one column."""
    counts = [kernels.is_null(segment).true_count for segment in segments]
    null_count = pa.array(counts, pa.int64())
    data_type = value_type(segments[0].type) if segments else pa.null()
    kind = kind_of(data_type)
    if kind is None or kind is Kind.NULL:
        nothing = kernels.nulls(len(segments), pa.null())
        return Bounds(nothing, nothing, null_count)
    ends = [_ends(decoded(segment)) for segment in segments]
    nan_count = pa.array([_nans(segment) for segment in segments], pa.int64())
    return Bounds(
        kernels.concat([low for low, _ in ends]),
        kernels.concat([high for _, high in ends]),
        null_count,
        nan_count if kind is Kind.FLOAT else None,
    )


def _ends(segment: Array) -> tuple[Array, Array]:
    """The smallest and the largest value as arrays of one row, null if there is none."""
    order = keys(segment)
    low, high = (
        kernels.index(order, end).as_py() if end.is_valid else -1
        for end in kernels.minimum_and_maximum(order)
    )
    absent = kernels.nulls(1, segment.type)
    return (
        segment.slice(low, 1) if low >= 0 else absent,
        segment.slice(high, 1) if high >= 0 else absent,
    )


def _nans(segment: Array) -> int:
    column = decoded(segment)
    return kernels.is_nan(column).true_count if pa.types.is_floating(column.type) else 0

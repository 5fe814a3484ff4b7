"""What a manifest says of one column in each of its files, as bounds that predicates can be asked with.

Two witnesses: the column's metrics, and the partition where it was made from that column. An identity
partition is what readers take the column's value from, so it counts first; otherwise the metrics do,
being narrower. Both may be wrong, and a wrong bound loses rows without a trace: what contradicts
itself (more NULLs than rows, a minimum above the maximum) says nothing. A file that has no column of
this id says nothing either: that is told apart from a column nobody measured only by opening it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DoubleType, FloatType, IcebergType, IntegerType, UnknownType

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrays.selection import take_array
from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.manifests import Manifest
from lakeport.catalog.iceberg.pruning import single_values
from lakeport.catalog.iceberg.pruning.spans import keeps_nulls, spans
from lakeport.catalog.iceberg.types.bounds import logical_bounds, prunable
from lakeport.catalog.iceberg.types.columns import Column
from lakeport.catalog.predicates import Bounds
from lakeport.catalog.predicates.ordering import keys

_compute: Any = pc


@dataclass(frozen=True, slots=True)
class Evidence:
    """Ends in the stored type, None where the column has no order that counts; null says nothing."""

    ends: tuple[Array, Array] | None
    null_count: Array
    nan_count: Array | None = None

    def or_else(self, other: Evidence) -> Evidence:
        """What this says, and where it says nothing, what the other does."""
        ends = self.ends or other.ends
        if self.ends is not None and other.ends is not None:
            low, high = (_first(own, its) for own, its in zip(self.ends, other.ends, strict=True))
            ends = low, high
        nans = other.nan_count if self.nan_count is None else self.nan_count
        if self.nan_count is not None and other.nan_count is not None:
            nans = _first(self.nan_count, other.nan_count)
        return Evidence(ends, _first(self.null_count, other.null_count), nans)

    def bounds(self, column: Column) -> Bounds:
        logical = None if self.ends is None else logical_bounds(*self.ends, column)
        if logical is None:
            nothing = nulls(len(self.null_count), pa.null())
            return Bounds(nothing, nothing, self.null_count, self.nan_count)
        return Bounds(*_ordered(*logical), self.null_count, self.nan_count)


@dataclass(frozen=True, slots=True)
class Gathered:
    """Bounds with what they weigh, for a cache."""

    bounds: Bounds

    @property
    def nbytes(self) -> int:
        found = self.bounds
        parts = found.minimum, found.maximum, found.null_count, found.nan_count
        return 500 + sum(part.nbytes for part in parts if part is not None)


def bounds_in(manifest: Manifest, spec: PartitionSpec | None, column: Column) -> Bounds:
    return _evidence_in(manifest, spec, column, with_spans=True).bounds(column)


def proven_in(manifest: Manifest, spec: PartitionSpec | None, column: Column) -> Bounds:
    """The same, but without ends that are those of a partition and need not be a value's."""
    return _evidence_in(manifest, spec, column, with_spans=False).bounds(column)


def _evidence_in(
    manifest: Manifest, spec: PartitionSpec | None, column: Column, *, with_spans: bool
) -> Evidence:
    found = _measured(manifest, column)
    for field in sources(spec, column):
        if field.field_id not in manifest.partition_fields:
            continue
        place = manifest.partition_fields.index(field.field_id)
        if _became_timestamp(manifest.partition_kinds[place], field, column):
            continue
        said = _partitioned(
            field, column, [values[place] for values in manifest.partitions], manifest
        )
        if isinstance(field.transform, IdentityTransform):
            found = said.or_else(found)
        else:
            found = found.or_else(said if with_spans else replace(said, ends=None))
    return found


def _became_timestamp(written: IcebergType, field: PartitionField, column: Column) -> bool:
    """Days are no microseconds: the specification forbids the change, but not everybody reads it."""
    return (
        isinstance(field.transform, IdentityTransform)
        and isinstance(written, IntegerType)
        and pa.types.is_timestamp(column.stored)
    )


def column_key(column: Column) -> tuple[int, str, str]:
    """What bounds of a column depend on besides the file that they are from."""
    return column.field.field_id, str(column.field.field_type), str(column.arrow.type)


def sources(spec: PartitionSpec | None, column: Column) -> Iterable[PartitionField]:
    """The partition fields that were made from this column."""
    fields = () if spec is None else spec.fields
    return (field for field in fields if field.source_id == column.field.field_id)


def _measured(manifest: Manifest, column: Column) -> Evidence:
    field_id, kind = column.field.field_id, column.field.field_type
    metrics = manifest.metrics
    rows = pa.array(manifest.rows)
    ends: tuple[Array, Array] | None = None
    if prunable(column) and single_values.has_bounds(kind):
        ends = (
            single_values.decode(metrics.lowers.of(field_id), kind),
            single_values.decode(metrics.uppers.of(field_id), kind),
        )
    null_count = _between(metrics.nulls.of(field_id), rows)
    counted = metrics.values.of(field_id)
    # NULLs are among the values that are counted; who counts otherwise may have miscounted NULLs.
    null_count = _unless(_compute.not_equal(counted, rows), null_count)
    if ends is not None:
        # Values there are, so not all can be NULL.
        lies = _compute.and_(_compute.equal(null_count, rows), ends[0].is_valid())
        null_count = _unless(lies, null_count)
    nan_count = None
    if isinstance(kind, FloatType | DoubleType):
        nan_count = _between(metrics.nans.of(field_id), rows)
    if isinstance(kind, UnknownType):
        null_count = rows  # the type that holds nothing else
    return Evidence(ends, null_count, nan_count)


def _partitioned(
    field: PartitionField, column: Column, values: Sequence[Any], manifest: Manifest
) -> Evidence:
    """What the partition says, first of each distinct one, then of each file."""
    kind = column.field.field_type
    which = pa.array(manifest.partition, pa.int64())
    ends: tuple[Array, Array] | None = None
    if prunable(column) and single_values.has_bounds(kind):
        low, high = spans(field.transform, kind, values)
        ends = low.take(which), high.take(which)
    is_null = pa.array([value is None for value in values], pa.bool_()).take(which)
    rows = pa.array(manifest.rows)
    null_count = nulls(len(manifest), pa.int64())
    if keeps_nulls(field.transform):
        null_count = _compute.if_else(is_null, rows, 0)
    nan_count = None
    if isinstance(kind, FloatType | DoubleType) and isinstance(field.transform, IdentityTransform):
        is_nan = [value is not None and value != value for value in values]  # noqa: PLR0124 # only NaN is not itself
        nan_count = _compute.if_else(pa.array(is_nan, pa.bool_()).take(which), rows, 0)
    return Evidence(ends, null_count, nan_count)


def joined(each: Sequence[Bounds]) -> Bounds:
    """The bounds of several manifests' files as those of all, in that order."""
    if len(each) == 1:
        return each[0]
    nulls_known = [found.null_count for found in each if found.null_count is not None]
    nans_known = [found.nan_count for found in each if found.nan_count is not None]
    return Bounds(
        pa.concat_arrays([found.minimum for found in each]),
        pa.concat_arrays([found.maximum for found in each]),
        pa.concat_arrays(nulls_known) if len(nulls_known) == len(each) else None,
        pa.concat_arrays(nans_known) if len(nans_known) == len(each) else None,
    )


def _between(counts: Array, rows: Array) -> Array:
    """Counts that can be: from none to all rows."""
    numbers = np.asarray(counts.fill_null(0))
    wrong = (numbers < 0) | (numbers > np.asarray(rows))
    return _unless(pa.array(wrong), counts)


def _ordered(low: Array, high: Array) -> tuple[Array, Array]:
    """Nothing where the lower end is above the upper one, and no NaN."""
    if pa.types.is_floating(low.type):
        low, high = (_unless(_compute.is_nan(end), end) for end in (low, high))
    crossed = _compute.less(keys(high), keys(low))
    if not crossed.true_count:
        return low, high
    return _unless(crossed, low), _unless(crossed, high)


def _unless(forbidden: Array, values: Array) -> Array:
    if not forbidden.true_count:  # type: ignore[attr-defined] # a mask
        return values
    keep = _compute.fill_null(_compute.invert(forbidden), True)  # noqa: FBT003 # the kernel's own
    places: Any = np.where(np.asarray(keep), np.arange(len(values)), -1)
    return take_array(values, pa.array(places, pa.int64(), mask=places < 0))


def _first(own: Array, other: Array) -> Array:
    """`own`, and `other` where that is null; also for types that `coalesce` does not know."""
    if not own.null_count:
        return own
    if own.null_count == len(own):
        return other
    count = len(own)
    places = np.arange(count) + np.where(np.asarray(own.is_valid()), 0, count)
    return pa.concat_arrays([own, other]).take(pa.array(places, pa.int64()))

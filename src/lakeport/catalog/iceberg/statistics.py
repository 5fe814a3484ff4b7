"""Statistics of a column from metadata alone: exact over the live rows, or unknown.

Clients believe them and drop conditions that they decide, so a bound counts only where it must be a
value: texts and bytes may have been cut, UUIDs are ordered in two ways, and a file with deletes may
have lost the row in question. One file that can prove its end is enough if no other reaches beyond.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.table.snapshots import Snapshot

from lakeport.catalog.arrow import Array, Scalar
from lakeport.catalog.definition import require_column
from lakeport.catalog.iceberg.definition import columns_of, definition_of
from lakeport.catalog.iceberg.inventory import Inventory, inventory_of
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.pruning.evidence import joined, proven_in
from lakeport.catalog.iceberg.travel import Moment
from lakeport.catalog.iceberg.types import Column
from lakeport.catalog.ports import ColumnStatistics
from lakeport.catalog.predicates import Bounds
from lakeport.catalog.predicates.kinds import Kind, kind_of_field
from lakeport.catalog.predicates.ordering import keys
from lakeport.core.names import quoted

_compute: Any = pc
_SKETCH = "apache-datasketches-theta-v1"

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Measured:
    """What was found, kept for the next who asks."""

    statistics: ColumnStatistics

    @property
    def nbytes(self) -> int:
        return 1_000


def column_statistics(source: Source, moment: Moment, column: str) -> ColumnStatistics:
    schema = definition_of(source, moment.schema).schema
    index = require_column(schema, column, where=f"table {quoted(str(source.name))}")
    found = columns_of(source, moment.schema)[index]
    snapshot = moment.snapshot
    if snapshot is None:
        return ColumnStatistics(has_null=False, has_values=False, distinct=0)
    # The sketch of a snapshot may come later than the snapshot.
    estimate = _estimate(source, snapshot, found)
    key = snapshot.manifest_list, found.field.field_id, str(found.arrow.type), estimate
    return source.caches.statistics.get(
        key, lambda: Measured(_measure(inventory_of(source, snapshot), found, estimate))
    ).statistics


def _measure(inventory: Inventory, column: Column, estimate: int | None) -> ColumnStatistics:
    indices = range(len(inventory.listing.data))
    manifests = inventory.manifests(indices)
    rows = np.concatenate([np.zeros(0, np.int64), *(each.rows for each in manifests)])
    if not rows.any():
        return ColumnStatistics(has_null=False, has_values=False, distinct=0)
    specs = inventory.source.metadata.specs()
    bounds = joined([proven_in(each, specs.get(each.spec_id), column) for each in manifests])
    removed = np.concatenate([inventory.removed_at_most(each) for each in manifests])
    files = _Files(bounds, rows, removed, column)
    minimum, maximum = files.minimum(), files.maximum()
    has_values = files.has_values()
    if has_values is False:
        estimate = 0
    elif minimum is not None and minimum == maximum and has_values:
        estimate = 1
    return ColumnStatistics(
        minimum=minimum,
        maximum=maximum,
        has_null=files.has_null(),
        has_values=has_values,
        distinct=estimate,
        longest=files.longest(),
    )


def _estimate(source: Source, snapshot: Snapshot, column: Column) -> int | None:
    """What a Puffin file says of exactly this snapshot: the number in its sketch's properties."""
    for file in source.metadata.statistics:
        if file.snapshot_id != snapshot.snapshot_id:
            continue
        for blob in file.blob_metadata:
            if blob.type == _SKETCH and list(blob.fields) == [column.field.field_id]:
                number = (blob.properties or {}).get("ndv", "")
                if number.isascii() and number.isdigit():
                    return int(number)
    return None


@dataclass(frozen=True, slots=True)
class _Files:
    """The bounds of all files, and how many rows of each may be gone."""

    bounds: Bounds
    rows: Numbers
    removed: Numbers
    column: Column

    # -- what is there -------------------------------------------------------------------------

    def has_null(self) -> bool | None:
        return self._present(_known(self.bounds.null_count, len(self.rows)))

    def has_values(self) -> bool | None:
        nulls = _known(self.bounds.null_count, len(self.rows))
        return self._present(np.where(nulls < 0, -1, self.rows - nulls))

    def _has_nan(self) -> bool | None:
        if not self._is_float():
            return False
        return self._present(_known(self.bounds.nan_count, len(self.rows)))

    def _present(self, counts: Numbers) -> bool | None:
        """Whether one of those that were counted is left; -1 is not counted."""
        if (counts > self.removed).any():
            return True
        return None if counts.any() else False

    # -- ends ----------------------------------------------------------------------------------

    def minimum(self) -> Scalar | None:
        low = self._end(self.bounds.minimum, upper=False)
        if low is None and self._has_nan() and not self._may_hold_numbers().any():
            return self._nan()
        return low

    def maximum(self) -> Scalar | None:
        match self._has_nan():
            case True:
                return self._nan()
            case False:
                return self._end(self.bounds.maximum, upper=True)
        return None

    def _end(self, ends: Array, *, upper: bool) -> Scalar | None:
        """The furthest end that must be a value, if nothing can be beyond it."""
        if ends.type != self.column.arrow.type:
            return None
        may_hold = self._may_hold_numbers()
        known = np.asarray(ends.is_valid())
        if not may_hold.any() or (may_hold & ~known).any():
            return None
        there = np.flatnonzero(may_hold & known)
        order = _ranks(keys(ends).take(pa.array(there, pa.int64())))
        furthest = order.max() if upper else order.min()
        for place in there[order == furthest]:
            if self._is_value(int(place)):
                found: Scalar = ends[int(place)]
                return found
        return None

    def _may_hold_numbers(self) -> Mask:
        """Where there may be a value that is not NaN."""
        nulls = _known(self.bounds.null_count, len(self.rows))
        nans = _known(self.bounds.nan_count, len(self.rows))
        none_left = np.where(nulls < 0, 0, nulls) + np.where(nans < 0, 0, nans) >= self.rows
        return ~none_left

    def _is_value(self, place: int) -> bool:
        """Whether the file's ends are values that are still there."""
        if self.removed[place] and not self._is_single(place):
            return False
        if _is_cut(self.column) and not self._is_single(place):
            return False
        return self._left(place)

    def _is_single(self, place: int) -> bool:
        low, high = self.bounds.minimum[place], self.bounds.maximum[place]
        return bool(low.is_valid and low == high)

    def _left(self, place: int) -> bool:
        """Whether the deletes left a value, whichever."""
        if not self.removed[place]:
            return True
        nulls = _known(self.bounds.null_count, len(self.rows))[place]
        nans = _known(self.bounds.nan_count, len(self.rows))[place] if self._is_float() else 0
        if nulls < 0 or nans < 0:
            return False
        return bool(self.rows[place] - nulls - nans > self.removed[place])

    def _is_float(self) -> bool:
        return kind_of_field(self.column.arrow) is Kind.FLOAT

    def _nan(self) -> Scalar | None:
        data_type = self.column.arrow.type
        return pa.scalar(math.nan, data_type) if pa.types.is_floating(data_type) else None

    # -- lengths -------------------------------------------------------------------------------

    def longest(self) -> int | None:
        """In bytes, as DuckDB counts; known where each file holds one text only, or none."""
        if kind_of_field(self.column.arrow) not in {Kind.TEXT, Kind.BYTES}:
            return None
        if not _has_length(self.column.stored):
            return None
        longest = 0
        for place in np.flatnonzero(self._may_hold_numbers()).tolist():
            if not (self._is_single(place) and self._left(place)):
                return None
            longest = max(longest, _length(self.bounds.minimum[place]))
        return longest


def _known(counts: Array | None, files: int) -> Numbers:
    """-1 for what is not known."""
    if counts is None:
        return np.full(files, -1, np.int64)
    return np.asarray(counts.fill_null(-1))


def _ranks(ends: Array) -> Numbers:
    """Where each value is in the order of all, equal ones at the same place."""
    return np.asarray(_compute.rank(ends, sort_keys="ascending", tiebreaker="dense"))


def _is_cut(column: Column) -> bool:
    """Whether bounds need not be values: cut after some bytes, or found by another order."""
    return _has_length(column.stored) or pa.types.is_fixed_size_binary(_storage(column.stored))


def _has_length(data_type: pa.DataType) -> bool:
    return pa.types.is_string(data_type) or pa.types.is_binary(data_type)


def _storage(data_type: pa.DataType) -> pa.DataType:
    return data_type.storage_type if isinstance(data_type, pa.BaseExtensionType) else data_type


def _length(value: Scalar) -> int:
    text = value.as_py()
    return len(text.encode() if isinstance(text, str) else text)

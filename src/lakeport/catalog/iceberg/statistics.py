"""Statistics of a column from metadata alone: exact over the live rows, or unknown.

Clients believe them and drop conditions that they decide, so a bound counts only where it must be a
value (`_are_values`) of a row that no delete can have removed. One file that can prove its end is
enough if no other reaches beyond; a file with one value proves it while a row is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.table.snapshots import Snapshot

from lakeport.catalog.arrow import Array, Scalar
from lakeport.catalog.definition import require_column
from lakeport.catalog.iceberg.definition import columns_of, definition_of
from lakeport.catalog.iceberg.inventory import Inventory, inventory_of
from lakeport.catalog.iceberg.manifests import Manifest
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.pruning.evidence import joined, proven_in
from lakeport.catalog.iceberg.travel import Moment
from lakeport.catalog.iceberg.types import Column
from lakeport.catalog.ports import ColumnStatistics
from lakeport.catalog.predicates.kinds import Kind, kind_of_field
from lakeport.catalog.predicates.ordering import keys
from lakeport.core.names import quoted

_compute: Any = pc
_SKETCH = "apache-datasketches-theta-v1"

Numbers: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]


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
    files = _Files(
        column,
        bounds.minimum,
        bounds.maximum,
        rows,
        nulls=_known(bounds.null_count, len(rows)),
        nans=_known(bounds.nan_count, len(rows)),
        removed=np.concatenate([inventory.removed_at_most(each) for each in manifests]),
        is_exact=_are_values(manifests, column),
    )
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
    """What is known of each file; -1 is a count that is not.

    `removed` are the rows that may be gone, `is_exact` tells whether ends must be values.
    """

    column: Column
    low: Array
    high: Array
    rows: Numbers
    nulls: Numbers
    nans: Numbers
    removed: Numbers
    is_exact: Mask

    # -- what is there -------------------------------------------------------------------------

    def has_null(self) -> bool | None:
        return self._present(self.nulls)

    def has_values(self) -> bool | None:
        return self._present(np.where(self.nulls < 0, -1, self.rows - self.nulls))

    def _has_nan(self) -> bool | None:
        return self._present(self.nans) if self._is_float() else False

    def _present(self, counts: Numbers) -> bool | None:
        """Whether one of those that were counted is left; -1 is not counted."""
        if (counts > self.removed).any():
            return True
        return None if counts.any() else False

    # -- ends ----------------------------------------------------------------------------------

    def minimum(self) -> Scalar | None:
        low = self._end(self.low, upper=False)
        if low is None and self._has_nan() and not self._may_hold_numbers().any():
            return self._nan()
        return low

    def maximum(self) -> Scalar | None:
        match self._has_nan():
            case True:
                return self._nan()
            case False:
                return self._end(self.high, upper=True)
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
        others = np.maximum(self.nulls, 0) + np.maximum(self.nans, 0)
        return np.asarray(others < self.rows)

    def _is_value(self, place: int) -> bool:
        """Whether the file's ends are values that are still there."""
        if self._is_single(place):
            return self._is_left(place)
        return bool(self.is_exact[place] and not self.removed[place])

    def _is_single(self, place: int) -> bool:
        low, high = self.low[place], self.high[place]
        return bool(low.is_valid and low == high)

    def _is_left(self, place: int) -> bool:
        """Whether the deletes left a value, whichever."""
        if not self.removed[place]:
            return True
        nans = self.nans[place] if self._is_float() else 0
        if self.nulls[place] < 0 or nans < 0:
            return False
        return bool(self.rows[place] - self.nulls[place] - nans > self.removed[place])

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
            if not (self._is_single(place) and self._is_left(place)):
                return None
            longest = max(longest, _length(self.low[place]))
        return longest


def _known(counts: Array | None, files: int) -> Numbers:
    """-1 for what is not known."""
    if counts is None:
        return np.full(files, -1, np.int64)
    return np.asarray(counts.fill_null(-1))


def _ranks(ends: Array) -> Numbers:
    """Where each value is in the order of all, equal ones at the same place."""
    return np.asarray(_compute.rank(ends, sort_keys="ascending", tiebreaker="dense"))


def _are_values(manifests: Sequence[Manifest], column: Column) -> Mask:
    """Where the ends of a file are values of it.

    Texts and bytes are cut, and UUIDs found by one of two orders. ORC counts milliseconds, from which
    writers make the last microsecond, and puts infinity in the place of NaN.
    """
    is_cut = _has_length(column.stored) or pa.types.is_fixed_size_binary(_storage(column.stored))
    formats = chain.from_iterable(manifest.formats for manifest in manifests)
    return np.array([not is_cut and name in _EXACT_FORMATS for name in formats], np.bool_)


_EXACT_FORMATS = frozenset({"PARQUET", "AVRO"})


def _has_length(data_type: pa.DataType) -> bool:
    return pa.types.is_string(data_type) or pa.types.is_binary(data_type)


def _storage(data_type: pa.DataType) -> pa.DataType:
    return data_type.storage_type if isinstance(data_type, pa.BaseExtensionType) else data_type


def _length(value: Scalar) -> int:
    text = value.as_py()
    return len(text.encode() if isinstance(text, str) else text)

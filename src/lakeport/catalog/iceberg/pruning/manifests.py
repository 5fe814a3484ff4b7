"""Which manifests can list a file with a matching row, from what the manifest list says of partitions.

A manifest that cannot is never read. Its summary says of each partition field the smallest and the
largest value and whether there are NULLs; that is turned into bounds of the column behind it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.transforms import IdentityTransform, TruncateTransform
from pyiceberg.types import DoubleType, FloatType, IcebergType, IntegerType

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.inventory import Inventory
from lakeport.catalog.iceberg.manifests import Listed, Summary
from lakeport.catalog.iceberg.pruning import single_values
from lakeport.catalog.iceberg.pruning.evidence import Evidence, Gathered, column_key, sources
from lakeport.catalog.iceberg.pruning.spans import keeps_nulls, spans
from lakeport.catalog.iceberg.types.bounds import prunable
from lakeport.catalog.iceberg.types.columns import Column
from lakeport.catalog.predicates import Bounds, Predicate, columns_of, possible


def matching_manifests(
    inventory: Inventory, predicate: Predicate, columns: Mapping[str, Column]
) -> list[int]:
    """Indices of those that may, ascending. `columns` is by the names that the predicate uses."""
    listed = inventory.listing.data
    specs = inventory.source.metadata.specs()
    groups: dict[int, list[int]] = defaultdict(list)
    for index, each in enumerate(listed):
        groups[each.spec_id].append(index)
    found: list[int] = []
    for spec_id, indices in groups.items():
        spec = specs.get(spec_id)
        known = [index for index in indices if _is_summed_up(listed[index], spec)]
        found.extend(set(indices) - set(known))
        if known and spec is not None:
            group = _Group(inventory, spec, tuple(listed[index].summaries or () for index in known))
            found.extend(np.asarray(known)[group.possible(predicate, columns)].tolist())
    return sorted(found)


def _is_summed_up(listed: Listed, spec: PartitionSpec | None) -> bool:
    if spec is None or not spec.fields or listed.summaries is None:
        return False
    return len(listed.summaries) == len(spec.fields)


@dataclass(frozen=True, slots=True)
class _Group:
    """The manifests of one spec, by their summaries: one per partition field each."""

    inventory: Inventory
    spec: PartitionSpec
    summaries: tuple[tuple[Summary, ...], ...]

    def possible(
        self, predicate: Predicate, columns: Mapping[str, Column]
    ) -> npt.NDArray[np.bool_]:
        bounds = {
            name: self._kept_bounds(columns[name])
            for name in columns_of(predicate)
            if any(sources(self.spec, columns[name]))
        }
        # As if each manifest stood for one row: that is all that NULL or not can be told of.
        rows = pa.array(np.ones(len(self.summaries), np.int64))
        return np.asarray(possible(predicate, bounds, rows))

    def _kept_bounds(self, column: Column) -> Bounds:
        path = self.inventory.snapshot.manifest_list
        key = (path, self.spec.spec_id, *column_key(column))
        caches = self.inventory.source.caches
        return caches.bounds.get(key, lambda: Gathered(self._bounds(column))).bounds

    def _bounds(self, column: Column) -> Bounds:
        said = [
            _evidence([each[place] for each in self.summaries], field.transform, column)
            for place, field in enumerate(self.spec.fields)
            if field.source_id == column.field.field_id
        ]
        return reduce(Evidence.or_else, said).bounds(column)


def _evidence(summaries: Sequence[Summary], transform: Any, column: Column) -> Evidence:
    kind = column.field.field_type
    ends: tuple[Array, Array] | None = None
    if prunable(column) and single_values.has_bounds(kind):
        ends = _ends(summaries, transform, kind)
    is_float = isinstance(kind, FloatType | DoubleType)
    known = keeps_nulls(transform)
    null_counts = [_nulls(each, may_be_nan=is_float) if known else None for each in summaries]
    null_count: Array = pa.array(null_counts, pa.int64())
    nan_count: Array | None = None
    if is_float and isinstance(transform, IdentityTransform):
        free = [0 if each.contains_nan is False else None for each in summaries]
        nan_count = pa.array(free, pa.int64())
    return Evidence(ends, null_count, nan_count)


def _nulls(summary: Summary, *, may_be_nan: bool) -> int | None:
    """Of the one row that a manifest stands for: none, it itself, or not known."""
    if not summary.contains_null:
        return 0
    is_value = summary.lower is not None or (may_be_nan and summary.contains_nan is not False)
    return None if is_value else 1


def _ends(summaries: Sequence[Summary], transform: Any, kind: IcebergType) -> tuple[Array, Array]:
    """The lowest that the lowest partition can hold, and the highest of the highest."""
    result = kind if isinstance(transform, IdentityTransform | TruncateTransform) else IntegerType()
    lows, highs = (
        single_values.decode(pa.array(serialised, pa.large_binary()), result)
        for serialised in (
            [each.lower for each in summaries],
            [each.upper for each in summaries],
        )
    )
    if isinstance(transform, IdentityTransform):
        return lows, highs
    low, _ = spans(transform, kind, lows.to_pylist())
    _, high = spans(transform, kind, highs.to_pylist())
    return low, high

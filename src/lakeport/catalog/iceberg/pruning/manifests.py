"""Which manifests can list a file with a matching row, from what the manifest list says of partitions.

A manifest that cannot is never read. Its summary says of each partition field the smallest and the
largest value and whether there are NULLs; that is turned into bounds of the column behind it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.transforms import IdentityTransform, TruncateTransform
from pyiceberg.types import DoubleType, FloatType, IcebergType, IntegerType

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.manifests import Listed, Summary
from lakeport.catalog.iceberg.pruning import single_values
from lakeport.catalog.iceberg.pruning.evidence import Evidence, sources
from lakeport.catalog.iceberg.pruning.spans import keeps_nulls, spans
from lakeport.catalog.iceberg.types.bounds import prunable
from lakeport.catalog.iceberg.types.columns import Column
from lakeport.catalog.predicates import Bounds, Predicate, columns_of, possible

_compute: Any = pc


def matching_manifests(
    listed: Sequence[Listed],
    specs: Mapping[int, PartitionSpec],
    predicate: Predicate,
    columns: Mapping[str, Column],
) -> list[int]:
    """Indices of those that may, ascending. `columns` is by the names that the predicate uses."""
    groups: dict[int, list[int]] = defaultdict(list)
    for index, each in enumerate(listed):
        groups[each.spec_id].append(index)
    found: list[int] = []
    for spec_id, indices in groups.items():
        spec = specs.get(spec_id)
        known = [index for index in indices if _is_summed_up(listed[index], spec)]
        found.extend(set(indices) - set(known))
        if known and spec is not None:
            summaries = [listed[index].summaries or () for index in known]
            kept = _possible(summaries, spec, predicate, columns)
            found.extend(np.asarray(known)[kept].tolist())
    return sorted(found)


def _is_summed_up(listed: Listed, spec: PartitionSpec | None) -> bool:
    if spec is None or not spec.fields or listed.summaries is None:
        return False
    return len(listed.summaries) == len(spec.fields)


def _possible(
    summaries: Sequence[tuple[Summary, ...]],
    spec: PartitionSpec,
    predicate: Predicate,
    columns: Mapping[str, Column],
) -> npt.NDArray[np.bool_]:
    bounds: dict[str, Bounds] = {}
    for name in columns_of(predicate):
        column = columns[name]
        said: Evidence | None = None
        for field in sources(spec, column):
            place = spec.fields.index(field)
            more = _evidence([each[place] for each in summaries], field.transform, column)
            said = more if said is None else said.or_else(more)
        if said is not None:
            bounds[name] = said.bounds(column)
    # As if each manifest stood for one row: that is all that NULL or not can be told of.
    rows = pa.array(np.ones(len(summaries), np.int64))
    return np.asarray(possible(predicate, bounds, rows))


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

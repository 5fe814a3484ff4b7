"""Which data files can hold a matching row: one vectorised look at all files of all manifests asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyiceberg.partitioning import PartitionSpec

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.inventory import Inventory
from lakeport.catalog.iceberg.manifests import Manifest
from lakeport.catalog.iceberg.pruning.buckets import has_buckets, in_wanted_buckets
from lakeport.catalog.iceberg.pruning.evidence import Gathered, bounds_in, column_key, joined
from lakeport.catalog.iceberg.types.columns import Column
from lakeport.catalog.predicates import Bounds, Predicate, columns_of, possible


def matching_files(
    inventory: Inventory,
    indices: Sequence[int],
    predicate: Predicate,
    columns: Mapping[str, Column],
) -> npt.NDArray[np.bool_]:
    """For all files of these manifests, in order, whether a row may match. `columns` is by name."""
    listed = [inventory.listing.data[index] for index in indices]
    manifests = inventory.manifests(indices)
    if not manifests:
        return np.zeros(0, np.bool_)
    source, specs = inventory.source, inventory.source.metadata.specs()
    parts = [
        (each.path, manifest, specs.get(manifest.spec_id))
        for each, manifest in zip(listed, manifests, strict=True)
    ]
    bounds = {}
    for name in columns_of(predicate):
        found = [column_bounds(source.caches, *part, columns[name]) for part in parts]
        bounds[name] = joined(found)
    rows = np.concatenate([manifest.rows for manifest in manifests])
    kept = np.array(possible(predicate, bounds, pa.array(rows)))
    start = 0
    for _, manifest, spec in parts:
        here = slice(start, start + len(manifest))
        start = here.stop
        if spec is not None and has_buckets(spec) and kept[here].any():
            wanted = in_wanted_buckets(predicate, columns, spec, manifest)
            if wanted is not None:
                kept[here] &= wanted[manifest.partition]
    return kept


def column_bounds(
    caches: Caches, path: str, manifest: Manifest, spec: PartitionSpec | None, column: Column
) -> Bounds:
    """Kept: they are the same for every snapshot that has the manifest."""
    key = (path, *column_key(column))
    return caches.bounds.get(key, lambda: Gathered(bounds_in(manifest, spec, column))).bounds

"""A scan as splits: the files that can hold a matching row, in groups of about the same number of bytes.

What rules files out is tried from the cheapest: what the manifest list says of partitions, then what
manifests say of files. A limit without conditions reads only as many manifests as it needs. A file is
never divided, so a very large one is a split of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lakeport.catalog.iceberg.definition import columns_of
from lakeport.catalog.iceberg.inventory import Inventory, inventory_of, ordinals_of
from lakeport.catalog.iceberg.manifests import Manifest
from lakeport.catalog.iceberg.manifests.entries import Integers
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.pruning import matching_files, matching_manifests
from lakeport.catalog.iceberg.state import state_of
from lakeport.catalog.iceberg.travel import Moment
from lakeport.catalog.ports import ScanPlan, ScanRequest, Split
from lakeport.catalog.predicates import Predicate
from lakeport.catalog.requests import bind_request

Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Files to read, in the order they will be."""

    ordinals: Integers
    rows: Integers
    sizes: Integers


def plan_scan(source: Source, moment: Moment, request: ScanRequest) -> ScanPlan:
    state = state_of(source, moment)
    bound = bind_request(request, state.definition.schema)
    if moment.snapshot is None or request.limit == 0:
        return ScanPlan(state, bound.schema, (), rows=0, bytes=0)
    inventory = inventory_of(source, moment.snapshot)
    if bound.predicate is not None:
        chosen = _matching(inventory, moment, bound.predicate)
    elif request.limit is not None and request.expression is None:
        chosen = _first(inventory, request.limit)
    else:
        chosen = _all(inventory)
    groups = _balanced(chosen, source.options.split_bytes)
    rows = int(chosen.rows.sum())
    return ScanPlan(
        state,
        bound.schema,
        tuple(Split(moment.snapshot.snapshot_id, group) for group in groups),
        rows=rows if request.limit is None else min(rows, request.limit),
        bytes=int(chosen.sizes.sum()),
    )


def _matching(inventory: Inventory, moment: Moment, predicate: Predicate) -> _Chosen:
    source = inventory.source
    columns = {column.arrow.name: column for column in columns_of(source, moment.schema)}
    indices = matching_manifests(inventory, predicate, columns)
    found = matching_files(inventory, indices, predicate, columns)
    return _chosen(indices, inventory.manifests(indices), found)


def _all(inventory: Inventory) -> _Chosen:
    indices = list(range(len(inventory.listing.data)))
    return _chosen(indices, inventory.manifests(indices))


def _first(inventory: Inventory, limit: int) -> _Chosen:
    """Files that hold this many rows for sure, or all.

    Twice as many manifests are read each time: few for a small limit, and a large one does not wait
    for the storage once per manifest.
    """
    everything = len(inventory.listing.data)
    masks: list[Mask] = []
    while limit > 0 and len(masks) < everything:
        more = range(len(masks), min(2 * len(masks) + 1, everything))
        for manifest in inventory.manifests(more):
            live = _live_rows(inventory, manifest)
            masks.append(np.cumsum(live) - live < limit)
            limit -= int(live.sum())
    indices = list(range(len(masks)))
    mask = np.concatenate([np.zeros(0, np.bool_), *masks])
    return _chosen(indices, inventory.manifests(indices), mask)


def _live_rows(inventory: Inventory, manifest: Manifest) -> Integers:
    """Of each file at least."""
    if not inventory.listing.deletes:
        return manifest.rows
    live: Integers = np.maximum(manifest.rows - inventory.removed_at_most(manifest), 0)
    return live


def _chosen(indices: list[int], manifests: list[Manifest], mask: Mask | None = None) -> _Chosen:
    """Those in the mask; files without rows are no use to anybody."""
    nothing = np.zeros(0, np.int64)
    rows = np.concatenate([nothing, *(manifest.rows for manifest in manifests)])
    sizes = np.concatenate([nothing, *(manifest.sizes for manifest in manifests)])
    ordinals = ordinals_of(indices, manifests)
    kept = rows > 0 if mask is None else mask & (rows > 0)
    return _Chosen(ordinals[kept], rows[kept], sizes[kept])


def _balanced(chosen: _Chosen, split_bytes: int) -> Iterator[tuple[int, ...]]:
    """Neighbours together: a file belongs to the share of all bytes in which its middle lies."""
    total = int(chosen.sizes.sum())
    shares = max(1, -(-total // split_bytes))
    middles = np.cumsum(chosen.sizes) - chosen.sizes / 2
    owners = np.minimum(middles * shares // max(1, total), shares - 1)
    for group in np.split(chosen.ordinals, np.flatnonzero(np.diff(owners)) + 1):
        if len(group):
            yield tuple(group.tolist())

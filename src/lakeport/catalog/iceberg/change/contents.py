"""All that a head holds, as what a statement takes out that leaves nothing: whole files, no positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lakeport.catalog.iceberg.commit.effect import Head
from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.inventory import Inventory, inventory_of, ordinals_of
from lakeport.catalog.iceberg.manifests import Manifest, load_manifests


@dataclass(frozen=True, slots=True)
class Contents:
    """Paths of data files and of delete files, and how many rows they make."""

    files: frozenset[str] = frozenset()
    deletes: frozenset[str] = frozenset()
    rows: int = 0


def contents_of(head: Head) -> Contents:
    if head.snapshot is None:
        return Contents()
    inventory = inventory_of(head.source, head.snapshot)
    manifests = inventory.manifests(range(len(inventory.listing.data)))
    deletes = load_manifests(head.source, inventory.listing.deletes)
    rows = sum(int(manifest.rows.sum()) for manifest in manifests)
    return Contents(
        _paths(manifests),
        _paths(deletes),
        rows - _deleted(inventory) if deletes else rows,
    )


def _paths(manifests: Iterable[Manifest]) -> frozenset[str]:
    return frozenset(str(path) for manifest in manifests for path in manifest.paths.to_pylist())


def _deleted(inventory: Inventory) -> int:
    """Counted file by file: delete files may repeat each other, or name rows that are not there."""
    indices = range(len(inventory.listing.data))
    ordinals = ordinals_of(indices, inventory.manifests(indices))
    files = (inventory.file(int(ordinal)) for ordinal in ordinals)
    return sum(len(deleted_rows(inventory.source, file)) for file in files)

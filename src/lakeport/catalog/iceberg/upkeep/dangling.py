"""Delete files that no data file needs any more.

A delete file stays in the table after the last row it was about has gone, and every reader goes on to
look at it. Those that might still be about a file are kept: bounds may say more than there is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pyiceberg.manifest import DataFile

from lakeport.catalog.iceberg.inventory import Inventory
from lakeport.catalog.iceberg.manifests import load_manifests
from lakeport.catalog.iceberg.manifests.deletes import Candidate, candidate_of


def dangling_deletes(
    inventory: Inventory,
    removed: Collection[str] = (),
    added: Iterable[DataFile] = (),
    sequence: int = 0,
) -> frozenset[str]:
    """Paths of those that nothing needs once the `removed` data files have left the table.

    The `added` ones, which have that data sequence number, may need some.
    """
    if not inventory.listing.deletes:
        return frozenset()
    doubtful = set(_delete_files(inventory))
    for candidate in _remaining(inventory, removed):
        if not doubtful:
            break
        needed = inventory.deletes.applying_to(candidate)
        doubtful.difference_update(delete.path for delete in needed)
    for file in added:
        needed = inventory.deletes.applying_to(_candidate(file, sequence))
        # No delete by position names a file that is new; its bounds may seem to.
        doubtful.difference_update(each.path for each in needed if each.kind == "equality")
    return frozenset(doubtful)


def _delete_files(inventory: Inventory) -> Iterator[str]:
    for manifest in load_manifests(inventory.source, inventory.listing.deletes):
        yield from map(manifest.path, range(len(manifest)))


def _remaining(inventory: Inventory, removed: Collection[str]) -> Iterator[Candidate]:
    for index in range(len(inventory.listing.data)):
        manifest = inventory.manifest(index)
        for entry in range(len(manifest)):
            candidate = candidate_of(manifest, entry)
            if candidate.path not in removed:
                yield candidate


def _candidate(file: DataFile, sequence: int) -> Candidate:
    partition = tuple(file.partition[place] for place in range(len(file.partition)))
    return Candidate(file.file_path, sequence, file.spec_id, partition)

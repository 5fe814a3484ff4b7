"""Removes the files of dropped tables that can no longer be brought back.

Of a folder that is the table's own, as those that we make are, everything goes; of any other only what the
table names. Where another table has taken over the folder, or the folder lies in another table's,
nothing is removed here: once the record is gone, the orphans of that table are found as always. Nor is
anything of a table that shares its files by its own word (`gc.enabled`).
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from lakeport.catalog.dropped import DroppedTable, Removed
from lakeport.catalog.iceberg.commit.running import RUNNING
from lakeport.catalog.iceberg.dropped import open_dropped
from lakeport.catalog.iceberg.failures import reading
from lakeport.catalog.iceberg.metadata import open_storage
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.surroundings import Surroundings
from lakeport.catalog.iceberg.upkeep.expire import shares_files
from lakeport.catalog.iceberg.upkeep.listing import files_below
from lakeport.catalog.iceberg.upkeep.named import all_manifests, live_files, metadata_files
from lakeport.catalog.iceberg.upkeep.neighbours import Neighbours, is_inside
from lakeport.catalog.iceberg.upkeep.removal import remove_files
from lakeport.core.errors import CorruptDataError, LakeportError
from lakeport.core.names import quoted


def remove_dropped(surroundings: Surroundings, *, dry_run: bool = False) -> list[Removed]:
    memory = surroundings.memory
    oldest = surroundings.clock() - memory.keep_for
    return [
        _tried(surroundings, record, dry_run=dry_run)
        for record in memory.records.of(surroundings.profile.name)
        if record.dropped_ns <= oldest
    ]


def remove_now(surroundings: Surroundings, record: DroppedTable) -> Removed:
    """Of a table that nobody wants back."""
    return _tried(surroundings, record, dry_run=False)


def _tried(surroundings: Surroundings, record: DroppedTable, *, dry_run: bool) -> Removed:
    """One that fails does not keep the others from their turn."""
    try:
        return _removed(surroundings, record, dry_run=dry_run)
    except LakeportError as error:
        return Removed(record, problem=error.message)


def _removed(surroundings: Surroundings, record: DroppedTable, *, dry_run: bool) -> Removed:
    found = _files(surroundings, record)
    size = sum(found.values())
    if dry_run:
        return Removed(record, len(found), size)
    # The newest metadata goes last: what is left can then be found by it.
    paths = sorted(found, key=lambda path: path == record.metadata)
    gone = remove_files(open_storage(surroundings.native.properties, record.location), paths)
    if not gone.left:
        surroundings.memory.records.remove(surroundings.profile.name, record)
    return Removed(record, gone.files, size, gone.left)


def _files(surroundings: Surroundings, record: DroppedTable) -> dict[str, int]:
    neighbours = Neighbours(surroundings, None, record.location, dropped=record)
    source = _opened(surroundings, record)
    if neighbours.share or (source is not None and shares_files(source.metadata)):
        return {}
    with reading(f"the folder of table {quoted(str(record.name))}"):
        return {
            path: size
            for path, size in _candidates(surroundings, record, source)
            if is_inside(path, record.location)
            and not neighbours.hold(path)
            and not RUNNING.holds(path)
        }


def _opened(surroundings: Surroundings, record: DroppedTable) -> Source | None:
    try:
        return open_dropped(surroundings, record)
    except CorruptDataError:
        return None  # nothing is left that could say which files were its own


def _candidates(
    surroundings: Surroundings, record: DroppedTable, source: Source | None
) -> Iterator[tuple[str, int]]:
    if UUID(record.uuid).hex in record.location:
        io = open_storage(surroundings.native.properties, record.location)
        yield from ((file.path, file.bytes) for file in files_below(io, record.location))
    elif source is not None:
        yield from ((path, 0) for path in metadata_files(source.metadata, record.metadata))
        for manifest, size in all_manifests(source, source.metadata.snapshots).items():
            yield manifest, size
            yield from ((file.path, file.bytes) for file in live_files(source, manifest))

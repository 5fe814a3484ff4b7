"""The files that a state of a table names, read straight from its manifest lists and manifests.

Reading rows leaves out what holds no live file; whoever removes files must not: a manifest that only
says what was removed is still opened by other engines. Nothing here goes through the caches, so that
walking through a table's whole history does not push out what its readers need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot

from lakeport.catalog.iceberg.failures import last_name, reading
from lakeport.catalog.iceberg.manifests.container import DamagedError, open_container
from lakeport.catalog.iceberg.manifests.layout import layout_of
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.storage import open_file
from lakeport.core.names import quoted

# Field ids of Iceberg's specification.
_LIST_FIELDS = (500, 501)  # path and length of a manifest
_ENTRY_FIELDS = (0, 100, 104)  # status, path and size of a file
_DELETED = 2
_NONSENSE = (TypeError, IndexError, AttributeError, OverflowError, MemoryError, RecursionError)


@dataclass(frozen=True, slots=True)
class Named:
    path: str
    bytes: int


def manifests_of(source: Source, snapshot: Snapshot) -> list[Named]:
    """All manifests in a snapshot's list."""
    what = "manifest list"
    rows = _rows(source, snapshot.manifest_list, what, _LIST_FIELDS)
    return [Named(path, length or 0) for path, length, _ in rows]


def live_files(source: Source, manifest: str) -> Iterator[Named]:
    """Data and delete files that a manifest holds, without those it says are removed."""
    for status, path, size, _ in _rows(source, manifest, "manifest", _ENTRY_FIELDS):
        if status != _DELETED:
            yield Named(path, size or 0)


def metadata_files(metadata: TableMetadata, location: str) -> Iterator[str]:
    """Metadata files, manifest lists and statistics: what the newest metadata names itself."""
    yield location
    yield from (entry.metadata_file for entry in metadata.metadata_log)
    yield from (snapshot.manifest_list for snapshot in metadata.snapshots)
    yield from statistics_files(metadata)


def statistics_files(metadata: TableMetadata) -> Iterator[str]:
    yield from (file.statistics_path for file in metadata.statistics)
    yield from (file.statistics_path for file in metadata.partition_statistics)


def all_names(source: Source, location: str) -> Iterator[str]:
    """The last parts of the paths of all files that the table needs, some more than once."""
    metadata = source.metadata
    yield from map(last_name, metadata_files(metadata, location))
    for manifest in all_manifests(source, metadata.snapshots):
        yield last_name(manifest)
        yield from (last_name(named.path) for named in live_files(source, manifest))


def all_manifests(source: Source, snapshots: Iterable[Snapshot]) -> dict[str, int]:
    """The manifests of all these snapshots with their sizes, each once, oldest first."""
    found: dict[str, int] = {}
    for snapshot in snapshots:
        found.update((named.path, named.bytes) for named in manifests_of(source, snapshot))
    return found


def _rows(source: Source, path: str, kind: str, fields: tuple[int, ...]) -> list[list[Any]]:
    with reading(f"{kind} {quoted(last_name(path))} of table {quoted(str(source.name))}"):
        with open_file(source.io, path) as opened:
            data = opened.handle.read()
        try:
            records = open_container(data)
            return layout_of(records, fields).rows(records)
        except _NONSENSE as error:
            message = "it does not hold what it should"
            raise DamagedError(message) from error

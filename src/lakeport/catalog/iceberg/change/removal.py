"""Rows that leave a table: what UPDATE and DELETE have in common.

Each row is named once, whatever ids it was called by. A data file of which nothing would be left leaves
as a whole, with the delete files that are about it alone; of the others position deletes say which rows
are gone. Nothing of that depends on the head, which is only asked whether the rows are still there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pyiceberg.manifest import DataFile

from lakeport.catalog.iceberg.change.addresses import Met, Origins, ascending
from lakeport.catalog.iceberg.change.delete_files import DeleteFiles
from lakeport.catalog.iceberg.change.watch import Watch
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.inventory import inventory_of
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.rows.rowid import Numbers


class Removal:
    """`named` has the positions of each file by the number that the origins gave it, in any order."""

    def __init__(
        self, source: Source, origins: Origins, named: Mapping[int, Sequence[Numbers]]
    ) -> None:
        self._origins = origins
        once = {number: ascending(positions) for number, positions in named.items()}
        self._watches = _watches(origins, once)
        self._met, self.deleted = _by_path(origins, once)
        self.rows = sum(len(positions) for positions in self.deleted.values())
        self._files = DeleteFiles(source.io, source.metadata)
        self._whole: frozenset[str] = frozenset()
        self._deletes: tuple[DataFile, ...] | None = None

    def check(self, head: Head) -> None:
        """`ConflictError` unless all the rows are there, `ExpiredError` when their ids mean nothing."""
        self._origins.require_unexpired(head.source)
        for watch in self._watches:
            watch.check(head)

    def prepare(self, head: Head) -> Effect:
        """What to commit on top of a head that was checked."""
        if self._deletes is None:
            self._whole = frozenset(
                path for path, met in self._met.items() if self._is_whole(path, met)
            )
            self._deletes = self._files.write(
                (met[0], self.deleted[path])
                for path, met in self._met.items()
                if path not in self._whole
            )
        return Effect(
            self.rows,
            deletes=self._deletes,
            deleted=self.deleted,
            removed=self._whole,
            removed_deletes=self._idle_deletes(head),
        )

    def discard(self) -> None:
        self._files.discard()
        self._deletes = None

    def forget(self) -> None:
        self._files.forget()

    def _is_whole(self, path: str, met: Iterable[Met]) -> bool:
        """Whether no row is left: the others were gone already in one of the snapshots read."""
        gone = [deleted_rows(one.origin.inventory.source, one.file).positions for one in met]
        rows = {one.file.rows for one in met}
        return rows == {len(ascending([self.deleted[path], *gone]))}

    def _idle_deletes(self, head: Head) -> frozenset[str]:
        """Delete files of this head that are about nothing but files that leave."""
        if not self._whole or head.snapshot is None:
            return frozenset()
        inventory = inventory_of(head.source, head.snapshot)
        if not inventory.listing.deletes:
            return frozenset()
        index = inventory.deletes
        return frozenset(file.path for path in self._whole for file in index.only_about(path))


def _watches(origins: Origins, named: Mapping[int, Numbers]) -> list[Watch]:
    """One for each snapshot, as what is known of its rows is what that snapshot says."""
    by_snapshot: dict[int, list[tuple[Met, Numbers]]] = {}
    for number, positions in named.items():
        met = origins.files[number]
        by_snapshot.setdefault(met.origin.snapshot_id, []).append((met, positions))
    return [Watch(some) for some in by_snapshot.values()]


def _by_path(
    origins: Origins, named: Mapping[int, Numbers]
) -> tuple[dict[str, list[Met]], dict[str, Numbers]]:
    met: dict[str, list[Met]] = {}
    deleted: dict[str, Numbers] = {}
    for number, positions in named.items():
        one = origins.files[number]
        path = one.file.path
        met.setdefault(path, []).append(one)
        before = deleted.get(path)
        deleted[path] = positions if before is None else ascending([before, positions])
    return met, deleted

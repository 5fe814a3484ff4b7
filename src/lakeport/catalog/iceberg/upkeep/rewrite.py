"""A group of data files written anew: the same rows without the deleted ones, in one commit.

The new files get the data sequence number of the snapshot that was read. So a delete that compares values
and is committed meanwhile still applies to them, as it did to the old files, and does not make the work
worthless. A delete by position does: it names a file that is about to go. Then, or when one of the files
has left the table, the group is stale and has to be planned again. The check is made for every attempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.table.snapshots import Operation, Snapshot

from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.definition import columns_of
from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.files import Wanted, read_file
from lakeport.catalog.iceberg.inventory import Inventory, inventory_of, ordinals_of
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.iceberg.scan.width import for_chunks, rows_at_once
from lakeport.catalog.iceberg.upkeep.dangling import dangling_deletes
from lakeport.catalog.iceberg.write.files import DataFiles
from lakeport.catalog.ports import WriteContext
from lakeport.core.errors import ConflictError
from lakeport.core.names import quoted


class StaleError(ConflictError):
    """Somebody changed a file that was being written anew."""


class Rewrite:
    """The member of a commit. `written` files are closed; `files` are what they stand for."""

    def __init__(
        self, source: Source, files: Sequence[DataFile], context: WriteContext | None = None
    ) -> None:
        self._source = source
        self._sequence = _snapshot(source).sequence_number or 0
        self._files = {file.path: file for file in files}
        self._context = WriteContext() if context is None else context
        columns = columns_of(source, source.metadata.schema())
        self._written = DataFiles(source.io, source.metadata, columns)

    def write(self) -> None:
        try:
            for file in self._files.values():
                for rows in live_rows(self._source, file):
                    self._written.add(rows)
            self._written.finish()
        except BaseException:
            self.discard()
            raise

    # -- what the committer asks -----------------------------------------------------------------

    @property
    def context(self) -> WriteContext:
        return self._context

    @property
    def shares(self) -> bool:
        """What a statement in the same commit deletes could be in a file that leaves."""
        return False

    def prepare(self, head: Head) -> Effect:
        snapshot = _snapshot(head.source)
        inventory = inventory_of(head.source, snapshot)
        if snapshot.snapshot_id != _snapshot(self._source).snapshot_id:
            self._require_untouched(inventory)
        removed = frozenset(self._files)
        added = tuple(self._written.done)
        return Effect(
            added=added,
            removed=removed,
            removed_deletes=dangling_deletes(inventory, removed, added, self._sequence),
            sequence=self._sequence,
            operation=Operation.REPLACE,
        )

    def discard(self) -> None:
        self._written.discard()

    def forget(self) -> None:
        """It is over, whatever came of it."""
        self._written.forget()

    def _require_untouched(self, inventory: Inventory) -> None:
        live = find_files(inventory, self._files)
        for path, file in self._files.items():
            now = live.get(path)
            if now is None or _by_position(now) != _by_position(file):
                raise StaleError(
                    f"files of table {quoted(str(self._source.name))} were changed"
                    " while they were compacted",
                    hint="run it again",
                )


def live_rows(source: Source, file: DataFile) -> Iterator[pa.RecordBatch]:
    """The rows of a file that are not deleted, as stored, in the table's current columns."""
    deleted = deleted_rows(source, file)
    if len(deleted) == file.rows:
        return
    fields = source.metadata.schema().fields
    wanted = Wanted(
        source.metadata.schema(),
        fields,
        batch_rows=rows_at_once(fields, source.options),
        kept=deleted.kept if len(deleted) else None,
    )
    chunked = replace(source, options=for_chunks(source.options))
    for chunk in read_file(chunked, file, wanted):
        if chunk.rows.num_rows:
            yield chunk.rows


def find_files(inventory: Inventory, paths: Iterable[str]) -> dict[str, DataFile]:
    """Those of the files that the snapshot has."""
    sought = pa.array(list(paths), pa.large_string())
    found: dict[str, DataFile] = {}
    for index in range(len(inventory.listing.data)):
        manifest = inventory.manifest(index)
        mask = pc.is_in(manifest.paths, value_set=sought).to_numpy(zero_copy_only=False)
        if mask.any():
            for ordinal in ordinals_of([index], [manifest])[mask]:
                file = inventory.file(int(ordinal))
                found[file.path] = file
    return found


def _by_position(file: DataFile) -> frozenset[tuple[str, int | None]]:
    return frozenset(
        (delete.path, delete.offset) for delete in file.deletes if delete.kind != "equality"
    )


def _snapshot(source: Source) -> Snapshot:
    snapshot = source.metadata.current_snapshot()
    if snapshot is None:
        raise StaleError(
            f"table {quoted(str(source.name))} was emptied while it was compacted",
            hint="run it again",
        )
    return snapshot

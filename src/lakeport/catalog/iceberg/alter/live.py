"""The files of a table's head, as a schema change looks at them: what is new, what is still the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.iceberg.inventory import Inventory, inventory_of
from lakeport.catalog.iceberg.manifests import load_manifests
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.iceberg.scan import open_split
from lakeport.catalog.iceberg.travel import Moment
from lakeport.catalog.ports import ScanRequest, Split

Deletes: TypeAlias = frozenset[tuple[str, int | None]]


@dataclass(frozen=True, slots=True)
class Live:
    source: Source
    inventory: Inventory | None
    files: dict[str, DataFile]

    @classmethod
    def of(cls, source: Source) -> Live:
        snapshot = source.metadata.current_snapshot()
        if snapshot is None:
            return cls(source, None, {})
        inventory = inventory_of(source, snapshot)
        return cls(source, inventory, {file.path: file for file in inventory.files()})

    def delete_files(self) -> frozenset[str]:
        """All of them, also those that no longer apply to anything."""
        if self.inventory is None:
            return frozenset()
        manifests = load_manifests(self.source, self.inventory.listing.deletes)
        return frozenset(path.as_py() for manifest in manifests for path in manifest.paths)

    def rows(
        self, files: Collection[DataFile], columns: tuple[str, ...] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """What is left of the rows of these files, in the current schema."""
        if self.inventory is None or not files:
            return
        metadata, snapshot = self.source.metadata, self.inventory.snapshot
        moment = Moment(snapshot, metadata.schema())
        split = Split(snapshot.snapshot_id, tuple(file.ordinal for file in files))
        with open_split(self.source, moment, ScanRequest(columns=columns), split) as stream:
            yield from stream


def deletes_of(file: DataFile) -> Deletes:
    return frozenset((delete.path, delete.offset) for delete in file.deletes)

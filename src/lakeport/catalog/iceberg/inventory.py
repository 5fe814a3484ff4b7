"""The data files of one snapshot with what deletes apply to each, found without reading more than asked.

A file's *ordinal* says in which manifest it stands and where; it means the same to everybody who
reads the snapshot, and a manifest that a condition rules out is never opened to count its files. Row
ids do need all files: their numbering goes by the files' paths and is made when first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.transforms import VoidTransform
from pyiceberg.typedef import Record

from lakeport.catalog.iceberg.manifests import (
    Listing,
    Manifest,
    load_listing,
    load_manifests,
)
from lakeport.catalog.iceberg.manifests.deletes import (
    Candidate,
    DeleteIndex,
    candidate_of,
    index_deletes,
)
from lakeport.catalog.iceberg.manifests.entries import Integers
from lakeport.catalog.iceberg.manifests.listing import Listed
from lakeport.catalog.iceberg.parts import DataFile, DeleteFile, Source
from lakeport.core.errors import InvalidRequestError

_ENTRY_BITS = 32
_ENTRY = (1 << _ENTRY_BITS) - 1


@dataclass(frozen=True, slots=True)
class Numbering:
    """All files in the order of their paths, which is the order that row ids count in.

    `starts[i]` is the number of rows before file `ordinals[i]`; the last start is the number of all.
    `ranks` are the places of the files in that order, manifest after manifest; those of manifest *m*
    begin at `firsts[m]`.
    """

    ordinals: Integers
    starts: Integers
    ranks: Integers
    firsts: Integers

    @property
    def nbytes(self) -> int:
        parts = self.ordinals, self.starts, self.ranks, self.firsts
        return sum(part.nbytes for part in parts)


@dataclass(slots=True)
class _Held:
    """What an inventory has read. Threads that read the same at once find the same."""

    manifests: dict[int, Manifest] = field(default_factory=dict)
    numbering: Numbering | None = None
    deletes: DeleteIndex | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Inventory:
    """Holds on to what it has read, so that a cache too small for it costs one reading, not many."""

    source: Source
    snapshot: Snapshot
    listing: Listing
    _held: _Held = field(default_factory=_Held, repr=False)

    def manifest(self, index: int) -> Manifest:
        return self.manifests([index])[0]

    def manifests(self, indices: Sequence[int]) -> list[Manifest]:
        held = self._held.manifests
        missing = [index for index in indices if index not in held]
        if missing:
            loaded = load_manifests(self.source, [self.listing.data[index] for index in missing])
            held.update(zip(missing, loaded, strict=True))
        return [held[index] for index in indices]

    def file(self, ordinal: int) -> DataFile:
        index, entry = ordinal >> _ENTRY_BITS, ordinal & _ENTRY
        if not 0 <= index < len(self.listing.data) or entry >= len(self.manifest(index)):
            raise InvalidRequestError("the split names a file that its snapshot does not have")
        manifest = self.manifest(index)
        return DataFile(
            ordinal=ordinal,
            path=manifest.path(entry),
            format=manifest.formats[entry],
            rows=int(manifest.rows[entry]),
            bytes=int(manifest.sizes[entry]),
            sequence=int(manifest.sequences[entry]),
            spec_id=manifest.spec_id,
            partition=self._partition(manifest, entry),
            deletes=self.deletes_of(manifest, entry),
        )

    def home(self, ordinal: int) -> tuple[Listed, Candidate]:
        """The manifest that lists a file, and what it says of it."""
        index, entry = ordinal >> _ENTRY_BITS, ordinal & _ENTRY
        return self.listing.data[index], candidate_of(self.manifest(index), entry)

    def files(self) -> Iterator[DataFile]:
        """All of them, in the order of their paths."""
        return (self.file(int(ordinal)) for ordinal in self.numbering.ordinals)

    @property
    def count(self) -> int:
        return len(self.numbering.ordinals)

    @property
    def rows(self) -> int:
        """Deleted ones included."""
        return int(self.numbering.starts[-1])

    def first_row(self, ordinal: int) -> int:
        """How many rows are in the files before this one, which is where its row ids begin."""
        numbering = self.numbering
        flat = numbering.firsts[ordinal >> _ENTRY_BITS] + (ordinal & _ENTRY)
        return int(numbering.starts[numbering.ranks[flat]])

    def locate(self, rows: Integers) -> tuple[Integers, Integers]:
        """The files (as ordinals) that hold the rows of these numbers, and their positions there."""
        numbering = self.numbering
        if len(rows) and not 0 <= rows.min() <= rows.max() < numbering.starts[-1]:
            raise InvalidRequestError(
                "a row id names no row of its snapshot",
                hint="row ids come from a scan of the same table",
            )
        ranks = np.searchsorted(numbering.starts, rows, side="right") - 1
        return numbering.ordinals[ranks], rows - numbering.starts[ranks]

    @property
    def numbering(self) -> Numbering:
        found = self._held.numbering
        if found is None:
            cache = self.source.caches.numberings
            found = self._held.numbering = cache.get(self.snapshot.manifest_list, self._number)
        return found

    def _number(self) -> Numbering:
        manifests = self.manifests(range(len(self.listing.data)))
        sizes = np.array([len(manifest) for manifest in manifests], np.int64)
        none = [pa.array([], pa.large_string())]
        paths = pa.concat_arrays(none + [manifest.paths for manifest in manifests])
        rows = np.concatenate([np.zeros(0, np.int64), *(each.rows for each in manifests)])
        order = pc.array_sort_indices(paths).to_numpy().astype(np.int64)
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order))
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(rows[order])])
        return Numbering(
            ordinals_of(range(len(manifests)), manifests)[order],
            starts,
            ranks,
            np.cumsum(sizes) - sizes,
        )

    def deletes_of(self, manifest: Manifest, entry: int) -> tuple[DeleteFile, ...]:
        if not self.listing.deletes:
            return ()
        return self.deletes.applying_to(candidate_of(manifest, entry))

    def removed_at_most(self, manifest: Manifest) -> Integers:
        """How many rows of each file can be gone.

        A delete file may be about other files too, or name a row twice; one that compares values may
        remove any number.
        """
        most = np.zeros(len(manifest), np.int64)
        if self.listing.deletes:
            for entry in range(len(manifest)):
                rows = int(manifest.rows[entry])
                for delete in self.deletes_of(manifest, entry):
                    most[entry] += rows if delete.kind == "equality" else delete.rows
        return most

    @property
    def deletes(self) -> DeleteIndex:
        found = self._held.deletes
        if found is None:
            cache = self.source.caches.deletes
            found = self._held.deletes = cache.get(self.snapshot.manifest_list, self._index_deletes)
        return found

    def _index_deletes(self) -> DeleteIndex:
        unpartitioned = unpartitioned_specs(self.source.metadata)
        return index_deletes(load_manifests(self.source, self.listing.deletes), unpartitioned)

    def _partition(self, manifest: Manifest, entry: int) -> Record:
        held = dict(zip(manifest.partition_fields, manifest.partition_of(entry), strict=True))
        spec = self.source.metadata.specs().get(manifest.spec_id)
        fields = () if spec is None else spec.fields
        return Record(*(held.get(field.field_id) for field in fields))


def inventory_of(source: Source, snapshot: Snapshot) -> Inventory:
    return Inventory(source, snapshot, load_listing(source, snapshot))


def ordinals_of(indices: Sequence[int], manifests: Sequence[Manifest]) -> Integers:
    """The ordinals of all files of these manifests, whose indices those are."""
    parts = [
        np.arange(len(manifest), dtype=np.int64) + (index << _ENTRY_BITS)
        for index, manifest in zip(indices, manifests, strict=True)
    ]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def unpartitioned_specs(metadata: TableMetadata) -> set[int]:
    """The ids of the specs that have no partition, whatever void fields they have."""
    return {spec_id for spec_id, spec in metadata.specs().items() if _is_unpartitioned(spec)}


def _is_unpartitioned(spec: PartitionSpec) -> bool:
    return all(isinstance(field.transform, VoidTransform) for field in spec.fields)

"""Whether the rows that a statement names are still there: asked of every head it is committed to.

Manifests never change: a file that stood in one which the new head still lists is still live, and a
delete that stood in one was known before. So only what is new since the last look is read. A file that
somebody rewrote, or a row that somebody deleted, is a conflict; so is one that a statement ahead in the
same commit takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.iceberg.change.addresses import Met, meet
from lakeport.catalog.iceberg.commit.effect import Effect, Head
from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.inventory import unpartitioned_specs
from lakeport.catalog.iceberg.manifests import Listing, Manifest, load_listing, load_manifests
from lakeport.catalog.iceberg.manifests.deletes import Candidate, candidate_of, index_deletes
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.rows.rowid import Numbers
from lakeport.core.errors import ConflictError
from lakeport.core.names import TableName, quoted


@dataclass(slots=True)
class _Watched:
    """`file` has no deletes: those that it had were asked about already."""

    file: DataFile
    candidate: Candidate
    home: str
    positions: Numbers


class Watch:
    """Over files that were all met in one snapshot, each with the ascending positions named of it."""

    def __init__(self, named: Sequence[tuple[Met, Numbers]]) -> None:
        listing = named[0][0].origin.inventory.listing
        self._watched = [
            _Watched(replace(met.file, deletes=()), met.candidate, met.home, positions)
            for met, positions in named
        ]
        self._manifests = {listed.path for listed in listing.data}
        self._deletes = {listed.path for listed in listing.deletes}

    def check(self, head: Head) -> None:
        """`ConflictError` unless every row is live in this head, also after what is ahead of it."""
        source, snapshot = head.source, head.snapshot
        if snapshot is None:
            raise changed_since(source.name)
        listing = load_listing(source, snapshot)
        self._check_files(source, listing)
        self._check_deletes(source, listing)
        for effect in head.ahead:
            self._check_ahead(source.name, effect)
        self._manifests = {listed.path for listed in listing.data}
        self._deletes |= {listed.path for listed in listing.deletes}

    def _check_files(self, source: Source, listing: Listing) -> None:
        listed = {each.path for each in listing.data}
        moved = {one.file.path: one for one in self._watched if one.home not in listed}
        if not moved:
            return
        fresh = [each for each in listing.data if each.path not in self._manifests]
        for each, manifest in zip(fresh, load_manifests(source, fresh), strict=True):
            for entry in _entries(manifest, moved):
                one = moved[manifest.path(entry)]
                # With another sequence number other deletes may apply to it.
                if candidate_of(manifest, entry) == one.candidate:
                    one.home = each.path
                    del moved[one.file.path]
        if moved:
            raise changed_since(source.name)

    def _check_deletes(self, source: Source, listing: Listing) -> None:
        fresh = [each for each in listing.deletes if each.path not in self._deletes]
        if not fresh:
            return
        index = index_deletes(load_manifests(source, fresh), unpartitioned_specs(source.metadata))
        for one in self._watched:
            found = index.applying_to(one.candidate)
            if found:
                gone = deleted_rows(source, replace(one.file, deletes=found))
                if meet(gone.positions, one.positions):
                    raise changed_since(source.name)

    def _check_ahead(self, name: TableName, effect: Effect) -> None:
        if not effect.removed and not effect.deleted:
            return
        for one in self._watched:
            taken = effect.deleted.get(one.file.path)
            if one.file.path in effect.removed or (
                taken is not None and meet(taken, one.positions)
            ):
                raise changed_since(name)


def changed_since(name: TableName) -> ConflictError:
    return ConflictError(
        f"another statement changed rows of {quoted(str(name))} after they were read",
        hint="run the statement again",
    )


def _entries(manifest: Manifest, wanted: Mapping[str, object]) -> list[int]:
    if not wanted:
        return []
    paths = pa.array(list(wanted), pa.large_string())
    found = pc.is_in(manifest.paths, value_set=paths)
    return [int(entry) for entry in np.flatnonzero(found.to_numpy(zero_copy_only=False))]

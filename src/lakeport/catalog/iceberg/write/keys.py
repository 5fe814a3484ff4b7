"""PRIMARY KEY and UNIQUE against the rows that are in a table, asked again for every head.

Only files whose bounds can hold a new key are read, only their key columns, and of these only the row
groups that can. A data file never changes, so what was found in one is kept, deleted rows included:
which of them count is a question of the head and of who deletes rows in the same commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.selection import take_rows
from lakeport.catalog.iceberg.commit.effect import Effect, Head, Positions
from lakeport.catalog.iceberg.definition import columns_of
from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.files import Wanted, read_file
from lakeport.catalog.iceberg.inventory import Inventory, inventory_of, ordinals_of
from lakeport.catalog.iceberg.parts import Chunk, DataFile, Source
from lakeport.catalog.iceberg.pruning import matching_files, matching_manifests
from lakeport.catalog.iceberg.types import Column, to_logical
from lakeport.catalog.iceberg.write.key_ranges import condition_on
from lakeport.catalog.predicates import Predicate
from lakeport.catalog.rows.keys import KeyGuard

_BULK_ROWS = 1 << 18


@dataclass(frozen=True, slots=True)
class _Hits:
    """Rows of a file that have a new key, whether they are deleted or not."""

    positions: Positions
    keys: tuple[pa.RecordBatch, ...]


@dataclass(frozen=True, slots=True)
class Leaving:
    """What a statement itself takes out of the table: its new rows may have the keys of those."""

    files: frozenset[str] = frozenset()
    rows: Mapping[str, Positions] | None = None

    def positions(self, path: str) -> Positions | None:
        return None if self.rows is None else self.rows.get(path)


class HeadKeys:
    """Of one statement, whose rows are all there. The guards have found no repeats among them."""

    def __init__(self, guards: Sequence[KeyGuard]) -> None:
        self.guards = tuple(guards)
        self._lookups = [_Lookup(guard) for guard in self.guards]

    def check(self, head: Head, leaving: Leaving | None = None) -> None:
        """`KeyViolationError` when a row that stays, or one committed with it, has a new key."""
        own = Leaving() if leaving is None else leaving
        for lookup in self._lookups:
            lookup.check_ahead(head.ahead)
            lookup.check_head(head, [own, *_left_ahead(head.ahead, lookup.guard)])


class _Lookup:
    def __init__(self, guard: KeyGuard) -> None:
        self.guard = guard
        self._condition: Predicate | None = None
        self._has_condition = False
        self._found: dict[str, _Hits | None] = {}

    def check_ahead(self, ahead: Sequence[Effect]) -> None:
        for effect in ahead:
            for other in effect.guards:
                if other.names == self.guard.names:
                    self.guard.check_against(other.keys.to_batches())

    def check_head(self, head: Head, leaving: Sequence[Leaving]) -> None:
        if head.snapshot is None or not self.guard.rows:
            return
        inventory = inventory_of(head.source, head.snapshot)
        columns = self._columns(head.source)
        gone = frozenset().union(*(each.files for each in leaving))
        for ordinal, path in self._possible(inventory, columns):
            if path in gone:
                continue
            if path not in self._found:
                self._found[path] = self._read(head.source, inventory.file(ordinal), columns)
            hits = self._found[path]
            if hits is not None:
                self._require_gone(hits, head.source, inventory.file(ordinal), leaving)

    def _columns(self, source: Source) -> tuple[Column, ...]:
        by_name = {c.arrow.name: c for c in columns_of(source, source.metadata.schema())}
        return tuple(by_name[name] for name in self.guard.names)

    def _possible(
        self, inventory: Inventory, columns: Sequence[Column]
    ) -> Iterator[tuple[int, str]]:
        """Files that can hold one of the keys, as ordinals and paths."""
        by_name = {column.arrow.name: column for column in columns}
        condition = self._wanted()
        if condition is None:
            indices = list(range(len(inventory.listing.data)))
            kept = None
        else:
            indices = matching_manifests(inventory, condition, by_name)
            kept = matching_files(inventory, indices, condition, by_name)
        manifests = inventory.manifests(indices)
        ordinals = ordinals_of(indices, manifests)
        paths = [(manifest, entry) for manifest in manifests for entry in range(len(manifest))]
        for at in range(len(ordinals)) if kept is None else np.flatnonzero(kept):
            manifest, entry = paths[at]
            yield int(ordinals[at]), manifest.path(entry)

    def _wanted(self) -> Predicate | None:
        if not self._has_condition:
            self._condition = condition_on(self.guard)
            self._has_condition = True
        return self._condition

    def _read(self, source: Source, file: DataFile, columns: Sequence[Column]) -> _Hits | None:
        wanted = Wanted(
            source.metadata.schema(),
            tuple(column.field for column in columns),
            self._wanted(),
            tuple(columns),
            source.options.batch_rows,
        )
        found = [
            hits
            for chunks in _in_bulk(read_file(source, file, wanted))
            if (hits := self._hits(chunks, columns)) is not None
        ]
        if not found:
            return None
        positions = np.concatenate([hits.positions for hits in found])
        return _Hits(positions, tuple(keys for hits in found for keys in hits.keys))

    def _hits(self, chunks: Sequence[Chunk], columns: Sequence[Column]) -> _Hits | None:
        batches = [
            pa.RecordBatch.from_arrays(
                [
                    to_logical(array, column)
                    for array, column in zip(chunk.rows.columns, columns, strict=True)
                ],
                schema=self.guard.schema,
            )
            for chunk in chunks
        ]
        places = self.guard.hits(batches)
        if not len(places):
            return None
        positions, keys, first = [], [], 0
        for chunk, batch in zip(chunks, batches, strict=True):
            start, end = np.searchsorted(places, (first, first + batch.num_rows))
            here = places[start:end] - first
            positions.append(here + chunk.start)
            keys.append(take_rows(batch, pa.array(here, pa.int64())))
            first += batch.num_rows
        return _Hits(np.concatenate(positions), tuple(keys))

    def _require_gone(
        self, hits: _Hits, source: Source, file: DataFile, leaving: Sequence[Leaving]
    ) -> None:
        gone = [deleted_rows(source, file).positions]
        gone += [found for each in leaving if (found := each.positions(file.path)) is not None]
        staying = np.flatnonzero(~np.isin(hits.positions, np.concatenate(gone)))
        if len(staying):
            raise self.guard.exists_already(hits.keys, staying)


def _in_bulk(chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
    """Many rows at a time, since all of the new keys are looked at for each."""
    some: list[Chunk] = []
    for chunk in chunks:
        some.append(chunk)
        if sum(each.count for each in some) >= _BULK_ROWS:
            yield some
            some = []
    if some:
        yield some


def _left_ahead(ahead: Sequence[Effect], guard: KeyGuard) -> Iterator[Leaving]:
    """What statements before this one take out.

    One that puts rows in without saying what keys they have changed other columns of them: the keys
    stay, so its rows count as if they did.
    """
    for effect in ahead:
        if not effect.added or any(other.names == guard.names for other in effect.guards):
            yield Leaving(effect.removed, effect.deleted)

"""What a commit did to the rows of each data file, told by positions.

A file that came brings all its rows that no delete of the same commit takes, one that went takes those it
still had, and one that stayed loses what new deletes name, or gets back what a delete is gone from. Only
manifests that are not in both snapshots are opened, as long as their deletes are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lakeport.catalog.changelog import ChangeKind
from lakeport.catalog.iceberg.changelog.steps import Step
from lakeport.catalog.iceberg.deletes import deleted_rows
from lakeport.catalog.iceberg.deletes.deleted import Deleted
from lakeport.catalog.iceberg.inventory import Inventory, inventory_of, ordinals_of
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.rows.rowid import Numbers


@dataclass(frozen=True, slots=True)
class Touched:
    """Rows of one file, at ascending positions."""

    kind: ChangeKind
    file: DataFile
    positions: Numbers


@dataclass(frozen=True, slots=True)
class _Side:
    """Files that are worth a look, by path, as ordinals of their inventory."""

    inventory: Inventory | None
    ordinals: dict[str, int]

    def file(self, path: str) -> DataFile | None:
        ordinal = self.ordinals.get(path)
        if ordinal is None or self.inventory is None:
            return None
        return self.inventory.file(ordinal)


def difference(source: Source, step: Step) -> Iterator[Touched]:
    """What went first, then what came; in each, files by their paths."""
    before = None if step.before is None else inventory_of(source, step.before)
    after = inventory_of(source, step.after)
    old, new = _sides(before, after)
    brings: list[str] = []
    for path in sorted(old.ordinals.keys() | new.ordinals.keys()):
        was, now = old.file(path), new.file(path)
        if was is not None and now is not None and set(was.deletes) == set(now.deletes):
            continue
        if was is not None:
            yield from _touched("delete", was, _lost(source, was, now))
        if now is not None:
            brings.append(path)
    for path in brings:
        now = new.file(path)
        if now is not None:
            yield from _touched("insert", now, _lost(source, now, old.file(path)))


def _sides(before: Inventory | None, after: Inventory) -> tuple[_Side, _Side]:
    if before is None:
        return _Side(None, {}), _side(after, frozenset())
    same = frozenset[str]()
    if _deletes(before) == _deletes(after):
        same = _manifests(before) & _manifests(after)
    return _side(before, same), _side(after, same)


def _side(inventory: Inventory, without: frozenset[str]) -> _Side:
    listed = inventory.listing.data
    indices = [index for index, each in enumerate(listed) if each.path not in without]
    manifests = inventory.manifests(indices)
    paths = (str(path) for manifest in manifests for path in manifest.paths.to_pylist())
    ordinals = ordinals_of(indices, manifests).tolist()
    return _Side(inventory, dict(zip(paths, ordinals, strict=True)))


def _manifests(inventory: Inventory) -> frozenset[str]:
    return frozenset(each.path for each in inventory.listing.data)


def _deletes(inventory: Inventory) -> frozenset[str]:
    return frozenset(each.path for each in inventory.listing.deletes)


def _touched(kind: ChangeKind, file: DataFile, positions: Numbers) -> Iterator[Touched]:
    if len(positions):
        yield Touched(kind, file, positions)


def _lost(source: Source, file: DataFile, other: DataFile | None) -> Numbers:
    """Positions whose row is there in the file and not in the other state of it."""
    own = deleted_rows(source, file)
    if other is None:
        return _live(file, own)
    lost: Numbers = np.setdiff1d(
        deleted_rows(source, other).positions, own.positions, assume_unique=True
    )
    return lost


def _live(file: DataFile, deleted: Deleted) -> Numbers:
    every: Numbers = np.arange(file.rows, dtype=np.int64)
    return np.delete(every, deleted.positions) if len(deleted) else every

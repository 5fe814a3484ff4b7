"""The rows of one data file that are gone, whatever kind of delete took them: sorted positions.

Data files and delete files never change, so neither does the answer for one of the one and a set of
the other: it is kept, and equality deletes are compared with the rows of a file only once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lakeport.catalog.iceberg.deletes.equality import positions_equal
from lakeport.catalog.iceberg.deletes.positions import positions_in
from lakeport.catalog.iceberg.deletes.vector import read_vector
from lakeport.catalog.iceberg.parts import DataFile, Source
from lakeport.catalog.rows.rowid import Numbers
from lakeport.core.errors import CancelledError

_ENTRY_BYTES = 500


@dataclass(frozen=True, slots=True)
class Deleted:
    """`positions` ascend, each once, and are all positions of the file."""

    positions: Numbers

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def nbytes(self) -> int:
        return self.positions.nbytes + _ENTRY_BYTES

    def kept(self, start: int, count: int) -> npt.NDArray[np.bool_] | None:
        """Which of `count` rows from `start` on are left; None when all of them are."""
        first, end = np.searchsorted(self.positions, (start, start + count))
        if first == end:
            return None
        mask = np.ones(count, np.bool_)
        mask[self.positions[first:end] - start] = False
        return mask


NOTHING = Deleted(np.zeros(0, np.int64))


def deleted_rows(
    source: Source, file: DataFile, is_cancelled: Callable[[], bool] = lambda: False
) -> Deleted:
    """`CancelledError` as soon as it is; whoever waits for the same answer then finds it himself."""
    if not file.deletes:
        return NOTHING
    key = (file.path, frozenset((delete.path, delete.offset) for delete in file.deletes))
    return source.caches.deleted.get(key, lambda: _combined(source, file, is_cancelled))


def _combined(source: Source, file: DataFile, is_cancelled: Callable[[], bool]) -> Deleted:
    pieces = [np.zeros(0, np.int64)]
    for piece in _pieces(source, file):
        if is_cancelled():
            raise CancelledError("the rows are no longer wanted")
        pieces.append(piece)
    positions = np.unique(np.concatenate(pieces))
    first, end = np.searchsorted(positions, (0, file.rows))
    return Deleted(positions[first:end])


def _pieces(source: Source, file: DataFile) -> Iterator[Numbers]:
    vectors = [delete for delete in file.deletes if delete.kind == "vector"]
    for delete in vectors:
        yield read_vector(source, delete)
    if not vectors:  # a vector holds all that older position deletes of the file said
        for delete in file.deletes:
            if delete.kind == "positions":
                yield positions_in(source, delete, file.path)
    equal = tuple(delete for delete in file.deletes if delete.kind == "equality")
    if equal:
        yield from positions_equal(source, file, equal)

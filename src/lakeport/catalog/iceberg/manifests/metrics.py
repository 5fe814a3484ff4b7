"""Maps from field id to a number or to bytes, of many files, stored as columns.

A manifest holds such a map per file and kind. Flat arrays take a tenth of the memory that Python's
dicts would, and what all files say of one field is found by one comparison.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lakeport.catalog.iceberg.manifests.bound_maps import BoundMap


@dataclass(frozen=True, slots=True)
class Numbers:
    """Entry *i* says: for file `files[i]` and field `keys[i]` it is `values[i]`."""

    files: npt.NDArray[np.int32]
    keys: npt.NDArray[np.int32]
    values: npt.NDArray[np.int64]
    count: int

    def of(self, field_id: int) -> pa.Int64Array:
        """What each of the `count` files says of the field, null where it says nothing."""
        found = np.flatnonzero(self.keys == field_id)
        values = np.zeros(self.count, np.int64)
        absent = np.ones(self.count, np.bool_)
        values[self.files[found]] = self.values[found]
        absent[self.files[found]] = False
        return pa.array(values, pa.int64(), mask=absent)

    @property
    def nbytes(self) -> int:
        return self.files.nbytes + self.keys.nbytes + self.values.nbytes


@dataclass(frozen=True, slots=True)
class Binaries:
    files: npt.NDArray[np.int32]
    keys: npt.NDArray[np.int32]
    values: pa.LargeBinaryArray
    count: int

    def of(self, field_id: int) -> pa.LargeBinaryArray:
        found = np.flatnonzero(self.keys == field_id)
        places = np.zeros(self.count, np.int64)
        absent = np.ones(self.count, np.bool_)
        places[self.files[found]] = found
        absent[self.files[found]] = False
        return self.values.take(pa.array(places, pa.int64(), mask=absent))

    @property
    def nbytes(self) -> int:
        return self.files.nbytes + self.keys.nbytes + self.values.nbytes


@dataclass(frozen=True, slots=True)
class Metrics:
    """All that is said of the fields of a manifest's files; bounds are serialised single values."""

    values: Numbers
    nulls: Numbers
    nans: Numbers
    lowers: Binaries
    uppers: Binaries

    @property
    def nbytes(self) -> int:
        parts: tuple[Numbers | Binaries, ...] = (
            self.values,
            self.nulls,
            self.nans,
            self.lowers,
            self.uppers,
        )
        return sum(part.nbytes for part in parts)


def numbers_of(maps: Sequence[array[int] | None]) -> Numbers:
    """Each map as keys and values in turn."""
    flat: array[int] = array("Q")
    for each in maps:
        if each is not None:
            flat.extend(each)
    pairs = np.array(flat, np.uint64).astype(np.int64).reshape(-1, 2)
    sizes = [0 if each is None else len(each) // 2 for each in maps]
    return Numbers(_owners(sizes), pairs[:, 0].astype(np.int32), pairs[:, 1].copy(), len(maps))


def binaries_of(maps: Sequence[BoundMap | None]) -> Binaries:
    present = [each for each in maps if each is not None]
    keys = np.fromiter(chain.from_iterable(each[0] for each in present), np.int32)
    values = pa.array(list(chain.from_iterable(each[1] for each in present)), pa.large_binary())
    sizes = [0 if each is None else len(each[0]) for each in maps]
    return Binaries(_owners(sizes), keys, values, len(maps))


def _owners(sizes: Sequence[int]) -> npt.NDArray[np.int32]:
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

"""Roaring bitmaps in their portable form, as sorted positions.

A 64-bit bitmap is a row of 32-bit ones, each behind the upper half of its values. Nothing in the
bytes says how long a 32-bit one is, so a decoder that does not tell where it stopped (as pyroaring's)
cannot find the next. The format: https://github.com/RoaringBitmap/RoaringFormatSpec.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lakeport.catalog.rows.rowid import Numbers

_WITHOUT_RUNS = 12346
_WITH_RUNS = 12347
# From this many containers on, a bitmap with runs has offsets too.
_OFFSETS_FROM = 4
_ARRAY_MOST = 4096
_BITSET_BYTES = 8192
_CONTAINER_BITS = 16
_PIECE_BITS = 32
_HIGHEST_KEY = (1 << 31) - 1


@dataclass(slots=True)
class _Cursor:
    data: bytes
    at: int = 0

    def array(self, kind: str, count: int) -> npt.NDArray[np.integer]:
        dtype = np.dtype(kind)
        if len(self.data) - self.at < count * dtype.itemsize:
            raise ValueError("the bitmap ends too early")
        found = np.frombuffer(self.data, dtype, count, self.at)
        self.at += count * dtype.itemsize
        return found

    def number(self, kind: str) -> int:
        return int(self.array(kind, 1)[0])


def decode_positions(data: bytes, most: int) -> Numbers:
    """All values, ascending; `ValueError` for what is no bitmap or holds more than `most` values.

    A few bytes of runs can stand for billions of values, so they are counted before they are made.
    """
    cursor = _Cursor(data)
    pieces: list[Numbers] = []
    left, last = most, -1
    for _ in range(cursor.number("<u8")):
        key = cursor.number("<u4")
        if not last < key <= _HIGHEST_KEY:
            raise ValueError("the bitmap's keys are out of order")
        last = key
        piece = _decode_piece(cursor, left)
        left -= len(piece)
        pieces.append(piece + (key << _PIECE_BITS))
    if cursor.at != len(data):
        raise ValueError("the bitmap is longer than it says")
    return np.concatenate([np.zeros(0, np.int64), *pieces])


def _decode_piece(cursor: _Cursor, most: int) -> Numbers:
    count, runs = _read_head(cursor)
    described = cursor.array("<u2", 2 * count).reshape(count, 2).astype(np.int64)
    keys, sizes = described[:, 0], described[:, 1] + 1
    if np.any(np.diff(keys) <= 0):
        raise ValueError("the bitmap's containers are out of order")
    if int(sizes.sum()) > most:
        raise ValueError("the bitmap holds more rows than the metadata says")
    if runs is None or count >= _OFFSETS_FROM:
        cursor.array("<u4", count)  # where each container is: they follow each other anyway
    containers = []
    for index in range(count):
        is_run = runs is not None and bool(runs[index])
        low = _decode_container(cursor, int(sizes[index]), is_run=is_run)
        containers.append(low + (keys[index] << _CONTAINER_BITS))
    return np.concatenate([np.zeros(0, np.int64), *containers])


def _read_head(cursor: _Cursor) -> tuple[int, npt.NDArray[np.uint8] | None]:
    """The number of containers, and which of them hold runs if any can."""
    cookie = cursor.number("<u4")
    if cookie == _WITHOUT_RUNS:
        count = cursor.number("<u4")
        if count > 1 << _CONTAINER_BITS:
            raise ValueError("the bitmap has too many containers")
        return count, None
    if cookie & 0xFFFF != _WITH_RUNS:
        raise ValueError("it is no Roaring bitmap")
    count = (cookie >> 16) + 1
    flags = cursor.array("u1", (count + 7) // 8).astype(np.uint8)
    return count, np.unpackbits(flags, bitorder="little")


def _decode_container(cursor: _Cursor, size: int, *, is_run: bool) -> Numbers:
    if is_run:
        runs = cursor.array("<u2", 2 * cursor.number("<u2")).reshape(-1, 2).astype(np.int64)
        values = _expand(runs[:, 0], runs[:, 1] + 1)
    elif size > _ARRAY_MOST:
        bits = cursor.array("u1", _BITSET_BYTES).astype(np.uint8)
        values = np.flatnonzero(np.unpackbits(bits, bitorder="little")).astype(np.int64)
    else:
        values = cursor.array("<u2", size).astype(np.int64)
    if len(values) != size or np.any(np.diff(values) <= 0) or values[-1] >> _CONTAINER_BITS:
        raise ValueError("a container of the bitmap does not hold what it says")
    return values


def _expand(starts: Numbers, lengths: Numbers) -> Numbers:
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    if total > 1 << _CONTAINER_BITS:
        raise ValueError("a run of the bitmap is too long")
    shifts: Numbers = np.repeat(starts - (ends - lengths), lengths)
    return np.arange(total, dtype=np.int64) + shifts

"""One integer per row, the same for equal keys, worked out on whole columns.

Sorting a million integers takes ten milliseconds where a hash table of the keys themselves takes 150,
so keys are first compared by these. A number of up to eight bytes is its own fingerprint; others are
mixed, and different keys may share one: whoever finds two equal ones looks at the keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lakeport.catalog.arrow import Array

Fingerprints: TypeAlias = npt.NDArray[np.uint64]

_WORD = 8
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_OTHER_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_FIRST_BYTES = np.array([(1 << (8 * count)) - 1 for count in range(_WORD + 1)], np.uint64)


def fingerprints(columns: Sequence[Array]) -> Fingerprints:
    """Of rows whose columns are these: plain numbers, booleans, texts or bytes, none of them NULL."""
    first, *others = columns
    found = _words(first)
    for column in others:
        found = _mixed(found, _words(column))
    return found


def _words(array: Array) -> Fingerprints:
    kind = array.type
    if pa.types.is_boolean(kind):
        return _words(array.cast(pa.uint8()))
    if pa.types.is_integer(kind):
        numbers: Any = array.to_numpy(zero_copy_only=False)
        return numbers.astype(np.int64 if numbers.dtype.kind == "i" else np.uint64).view(np.uint64)  # type: ignore[no-any-return]
    if pa.types.is_fixed_size_binary(kind):
        width = kind.byte_width
        starts = (np.arange(len(array), dtype=np.int64) + array.offset) * width
        return _of_bytes(array.buffers()[1], starts, np.full(len(array), width, np.int64))
    offsets = _offsets(array)
    return _of_bytes(array.buffers()[2], offsets[:-1], np.diff(offsets))


def _offsets(array: Array) -> npt.NDArray[np.int64]:
    wide = pa.types.is_large_binary(array.type) or pa.types.is_large_string(array.type)
    buffer: Any = array.buffers()[1]
    if buffer is None or not len(array):
        return np.zeros(len(array) + 1, np.int64)
    found: Any = np.frombuffer(buffer, np.int64 if wide else np.int32)
    return found[array.offset : array.offset + len(array) + 1].astype(np.int64)  # type: ignore[no-any-return]


def _of_bytes(
    data: pa.Buffer | None, starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> Fingerprints:
    """Eight bytes of every value at a time, for as long as some value has more."""
    found = lengths.astype(np.uint64) * _OTHER_FACTOR
    end = int((starts + lengths).max(initial=0))
    if data is None or not end:
        return found
    words = _readable_anywhere(data, end)
    left = np.flatnonzero(lengths)
    done = 0
    while len(left):
        rest = lengths[left] - done
        word = words[starts[left] + done] & _FIRST_BYTES[np.minimum(rest, _WORD)]
        found[left] = _mixed(found[left], word)
        done += _WORD
        left = left[rest > _WORD]
    return found


def _readable_anywhere(data: Any, end: int) -> Fingerprints:
    """The eight bytes that begin at each of the first `end` ones; there are zeros after the last."""
    padded = np.zeros(end + _WORD, np.uint8)
    padded[:end] = np.frombuffer(data, np.uint8, end)
    return np.ndarray((end,), np.dtype("<u8"), padded, strides=(1,))


def _mixed(found: Fingerprints, words: Fingerprints) -> Fingerprints:
    """What was found is scrambled first: small numbers must not cancel each other out."""
    scrambled = found * _FACTOR
    scrambled ^= scrambled >> _HALF
    scrambled *= _OTHER_FACTOR
    scrambled ^= scrambled >> _HALF
    return scrambled ^ words

"""Maps from field id to bounds, which are most of a manifest, in tiny pieces.

Slicing is quicker than asking the decoder for each piece, and cannot leave the data. Files of a table
are alike: the bounds of most have the ids and lengths that those of the file before had. Such a *shape*
is checked and cut in two calls, whatever the number of columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeAlias

from lakeport.catalog.iceberg.manifests.container import Records, read_number, refuse

BoundMap: TypeAlias = tuple[list[int], tuple[bytes, ...]]


@dataclass(frozen=True, slots=True)
class _Shape:
    """Where `count` values are in `size` bytes, and the ids and lengths (`heads`) around them."""

    count: int
    size: int
    keys: list[int]
    heads: tuple[int, ...]
    heads_of: Callable[[bytes], Any]
    values_of: Callable[[bytes], Any]


@dataclass(slots=True)
class _Seen:
    """The shape of the map before, and how often it was met again."""

    shape: _Shape | None = None
    met: int = 0
    missed: int = 0


def read_bounds(ident: int, records: Records) -> BoundMap:
    """The ids and the values. `ident` tells one kind of map from another."""
    keys: list[int] = []
    values: tuple[bytes, ...] = ()
    while count := records.elements():
        found, more = _block(records, count, records.memory.setdefault(ident, _Seen()))
        keys, values = (keys + found, values + more) if keys else (found, more)
    return keys, values


def _block(records: Records, count: int, seen: _Seen) -> BoundMap:
    data, start = records.data, records.decoder.tell()
    shape = seen.shape
    if shape is not None and shape.count == count and start + shape.size <= records.end:
        block = data[start : start + shape.size]
        if shape.heads_of(block) == shape.heads:
            seen.met += 1
            records.decoder.skip(shape.size)
            return shape.keys, shape.values_of(block)
    keys, values, end = _cut(data, start, count)
    if end > records.end:
        refuse()
    records.decoder.skip(end - start)
    seen.missed += 1
    # To learn a shape takes as long as to cut a few maps: not for files that are all different.
    if count > 1 and seen.missed <= seen.met + _TRIES:
        seen.shape = _shape(data, start, count)
    return keys, values


_TRIES = 4


def _cut(data: bytes, at: int, count: int) -> tuple[list[int], tuple[bytes, ...], int]:
    """So many ids and values from there, and where they end."""
    keys: list[int] = []
    values: list[bytes] = []
    add_key, add_value = keys.append, values.append
    for _ in range(count):
        # Numbers of one byte, and ids of two: all others are rare enough for a call.
        key, more = data[at], data[at + 1]
        if key < 0x80:
            at += 1
        elif more < 0x80:
            key, at = key & 0x7F | more << 7, at + 2
        else:
            number, at = read_number(data, at)
            key = 2 * number
        length = data[at]
        if length & 0x81:
            size, start = read_number(data, at)
            if size < 0:
                refuse()
        else:
            size, start = length >> 1, at + 1
        at = start + size
        add_key(key >> 1)
        add_value(data[start:at])
    return keys, tuple(values), at


def _shape(data: bytes, start: int, count: int) -> _Shape:
    """Of a map that was cut before, so it is whole."""
    keys: list[int] = []
    heads: list[int] = []
    values: list[slice] = []
    at = start
    for _ in range(count):
        head = at
        key, at = read_number(data, at)
        length, at = read_number(data, at)
        keys.append(key)
        heads.extend(range(head - start, at - start))
        values.append(slice(at - start, at - start + length))
        at += length
    heads_of = itemgetter(*heads)
    return _Shape(count, at - start, keys, heads_of(data[start:at]), heads_of, itemgetter(*values))

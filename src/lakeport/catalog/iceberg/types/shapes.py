"""Lists, structs, maps and unions: their children turned one by one, and the container put around them.

A container whose children need nothing and whose Arrow type is the stored one goes through untouched.
A union is stored as a struct of a tag and its members; members that do not count are stored as NULL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.containers import (
    Parts,
    has_even_lengths,
    nulls,
    put_together,
    take_apart,
)
from lakeport.catalog.arrays.selection import take_array
from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types.codec import Codec, MisfitError, Turn

_arrow: Any = pa


def container(stored: pa.DataType, logical: pa.DataType, children: Sequence[Codec]) -> Codec:
    """The same children in the same order, in another kind of container or under other names."""
    if stored.equals(logical, check_metadata=True):
        return Codec(stored, logical, ordered=False)
    return Codec(
        stored,
        logical,
        _rebuilt(logical, [child.decoded for child in children]),
        _rebuilt(stored, [child.encoded for child in children]),
        ordered=False,
    )


def fixed_size_list(stored: pa.DataType, logical: pa.DataType, element: Codec) -> Codec:
    anything = container(stored, logical, [element])
    size: int = logical.list_size  # type: ignore[attr-defined]

    def decode(array: Array) -> Array:
        if not has_even_lengths(array, size):
            message = f"a list does not have {size} elements"
            raise MisfitError(message)
        return anything.decoded(array)

    return Codec(stored, logical, decode, anything.encode, ordered=False)


def union(
    stored: pa.DataType, logical: pa.DataType, members: Sequence[Codec], places: Sequence[int]
) -> Codec:
    """`places` are where the struct has its tag and its members."""
    codes = np.array(_codes(logical), dtype=np.int8)

    def decode(array: Array) -> Array:
        parts = take_apart(array)
        tag, *stored_members = (parts.children[place] for place in places)
        children = tuple(
            codec.decoded(child) for codec, child in zip(members, stored_members, strict=True)
        )
        return put_together(
            Parts(len(array), None, children, codes=_tags(array, tag, codes)), logical
        )

    def encode(array: Array) -> Array:
        parts = take_apart(array)
        found: Any = parts.codes
        whole: list[Array] = [pa.array(found.astype(np.int32))]
        for code, codec, child in zip(codes, members, parts.children, strict=True):
            whole.append(_member(found == code, child, codec))
        ordered = [child for _, child in sorted(zip(places, whole, strict=True), key=_first)]
        return put_together(Parts(len(array), None, tuple(ordered)), stored)

    return Codec(stored, logical, decode, encode, ordered=False)


def _rebuilt(to: pa.DataType, turns: Sequence[Turn]) -> Turn:
    def turn(array: Array) -> Array:
        parts = take_apart(array)
        children = (
            _turned(turn, child, parts) for turn, child in zip(turns, parts.children, strict=True)
        )
        return put_together(parts.with_children(*children), to)

    return turn


def _turned(turn: Turn, child: Array, parts: Parts) -> Array:
    """A child turned, whatever stands where its parent is NULL: that may be no value at all."""
    try:
        return turn(child)
    except (MisfitError, pa.ArrowInvalid):
        if parts.valid is None:
            raise
        flags: Any = pa.Array.from_buffers(pa.bool_(), parts.length, [None, parts.valid])
        shown = flags.to_numpy(zero_copy_only=False)
        if parts.offsets is not None:
            shown = np.repeat(shown, np.diff(parts.offsets))
        return turn(_only(shown, child))


def _only(shown: Any, child: Array) -> Array:
    """The child with one of the values that count wherever one does not."""
    (places,) = np.nonzero(shown)
    if not len(places):
        return nulls(len(child), child.type)
    positions = np.where(shown, np.arange(len(child)), places[0])
    return take_array(child, pa.array(positions, pa.int64()))


def _tags(array: Array, tag: Array, codes: Any) -> Any:
    tags = tag.fill_null(int(codes[0])).to_numpy(zero_copy_only=False)
    if array.null_count:
        # Arrow has no NULL union: one that another engine wrote is the first member, which is NULL.
        # What the tag says there means nothing: a required field has no NULL to be read as.
        tags = np.where(array.is_valid().to_numpy(zero_copy_only=False), tags, codes[0])
    if not np.isin(tags, codes).all():
        message = "a union's tag belongs to none of its members"
        raise MisfitError(message)
    return tags.astype(np.int8)


def _member(counts: Any, child: Array, codec: Codec) -> Array:
    """What to store of a member: its values in the rows that count, NULL in the others."""
    if counts.all():
        return codec.encoded(child)
    try:
        stored = codec.encoded(child)
    except (MisfitError, pa.ArrowInvalid):
        stored = codec.encoded(_only(counts, child))
    positions: Any = pa.array(np.arange(len(child)), mask=~counts)
    return stored.take(positions)


def _codes(logical: pa.DataType) -> list[int]:
    codes: list[int] = logical.type_codes  # type: ignore[attr-defined]
    return codes


def _first(pair: tuple[int, Array]) -> int:
    return pair[0]

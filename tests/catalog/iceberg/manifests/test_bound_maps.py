"""Maps of bounds are read back whatever their ids and lengths, alike or not, in one block or several."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.avro.decoder import new_decoder
from pyiceberg.avro.encoder import BinaryEncoder

from lakeport.catalog.iceberg.manifests.bound_maps import read_bounds
from lakeport.catalog.iceberg.manifests.container import DamagedError, Records

Items: TypeAlias = list[tuple[int, bytes]]

IDS = st.integers(0, 200) | st.integers(0, 2**31 - 1)
MAPS = st.lists(st.tuples(IDS, st.binary(max_size=8) | st.binary(min_size=60, max_size=70)))


def encoded(blocks: Sequence[Items], *, with_sizes: bool) -> bytes:
    """As Avro does: a count before each block, negative if the size in bytes follows."""
    stream = io.BytesIO()
    encoder = BinaryEncoder(stream)
    for block in blocks:
        if not block:
            continue
        body = io.BytesIO()
        items = BinaryEncoder(body)
        for key, value in block:
            items.write_int(key)
            items.write_bytes(value)
        encoder.write_int(-len(block) if with_sizes else len(block))
        if with_sizes:
            encoder.write_int(len(body.getvalue()))
        stream.write(body.getvalue())
    encoder.write_int(0)
    return stream.getvalue()


def records(data: bytes) -> Records:
    padded = data + bytes(1 << 16)
    return Records({}, 0, padded, new_decoder(padded), len(data))


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    maps=st.lists(st.lists(MAPS, max_size=2), max_size=6),
    repeats=st.integers(1, 4),
    with_sizes=st.booleans(),
)
def test_every_map_is_read_back(maps: list[list[Items]], repeats: int, *, with_sizes: bool) -> None:
    maps = [blocks for blocks in maps for _ in range(repeats)]
    found = records(b"".join(encoded(blocks, with_sizes=with_sizes) for blocks in maps))
    for blocks in maps:
        keys, values = read_bounds(1, found)
        assert list(zip(keys, values, strict=True)) == [item for block in blocks for item in block]
    assert found.left() == 0


def test_maps_of_one_shape_keep_their_own_values() -> None:
    maps = [[(1, bytes([number]) * 8), (2, b"ab")] for number in range(5)]
    found = records(b"".join(encoded([items], with_sizes=False) for items in maps))
    assert [read_bounds(1, found)[1] for _ in maps] == [
        tuple(value for _, value in items) for items in maps
    ]


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_map_that_is_cut_off_is_noticed(cut: int) -> None:
    """Also where a shape is known and the data is just too short for it."""
    whole = encoded([[(1, b"abc"), (2, b"defg")]], with_sizes=False)
    found = records(whole + whole[: len(whole) - cut])
    read_bounds(1, found)
    assert is_refused(found) or found.left() < 0


def is_refused(found: Records) -> bool:
    try:
        read_bounds(1, found)
    except (DamagedError, IndexError):
        return True
    return False


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(DamagedError):
        read_bounds(1, records(b"\x02\x02\x01\x00"))

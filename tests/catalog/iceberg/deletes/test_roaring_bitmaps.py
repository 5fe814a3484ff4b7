"""Roaring bitmaps: the same values as the reference implementation writes, and no others."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from lakeport.catalog.iceberg.deletes.roaring import decode_positions
from tests.strategies import seeded

PIECE = 1 << 32
MANY = 1 << 40


def encoded(values: set[int], *, runs: bool = False) -> bytes:
    pieces: dict[int, BitMap] = {}
    for value in sorted(values):
        pieces.setdefault(value // PIECE, BitMap()).add(value % PIECE)
    found = [struct.pack("<Q", len(pieces))]
    for key, piece in pieces.items():
        if runs:
            piece.run_optimize()
        found.append(struct.pack("<I", key) + piece.serialize())
    return b"".join(found)


def spread(seed: int) -> set[int]:
    """Every kind of container: sparse, dense, runs, at the edges of containers and pieces."""
    rng = seeded(seed)
    values: set[int] = set()
    for _ in range(rng.randint(0, 6)):
        start = rng.choice([0, 65_530, 200_000, PIECE - 5, PIECE + 70_000, 5 * PIECE])
        match rng.randrange(3):
            case 0:
                values.update(range(start, start + rng.randint(1, 70_000)))
            case 1:
                values.update(start + rng.randrange(65_536) for _ in range(rng.randint(1, 200)))
            case _:
                values.update(range(start, start + 65_536, rng.randint(2, 9)))
    return values


@settings(derandomize=True, deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), runs=st.booleans())
def test_all_values_are_found_in_order(seed: int, runs: bool) -> None:  # noqa: FBT001 - hypothesis
    values = spread(seed)
    found = decode_positions(encoded(values, runs=runs), MANY)
    assert found.dtype == np.int64
    assert found.tolist() == sorted(values)


def test_a_bitmap_of_nothing() -> None:
    assert decode_positions(encoded(set()), 0).tolist() == []


def test_more_values_than_announced_are_refused_before_they_are_made() -> None:
    # A few bytes of runs that stand for a million values.
    everything = BitMap(range(1 << 20))
    everything.run_optimize()
    data = struct.pack("<QI", 1, 0) + everything.serialize()
    with pytest.raises(ValueError, match="more rows than the metadata says"):
        decode_positions(data, 1000)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "too early"),
        (struct.pack("<Q", 1), "too early"),
        (struct.pack("<QI", 1, 0), "too early"),
        (struct.pack("<QII", 1, 0, 99), "no Roaring bitmap"),
        (struct.pack("<QIII", 1, 0, 12346, 70_000), "too many containers"),
        (encoded({1, 2, 3})[:-1], "too early"),
        (encoded({1, 2, 3}) + b"\0", "longer than it says"),
        (struct.pack("<Q", 2) + 2 * encoded({1})[8:], "keys are out of order"),
        (struct.pack("<QI", 1, 1 << 31) + encoded({1})[12:], "keys are out of order"),
    ],
)
def test_malformed_bitmaps_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        decode_positions(data, MANY)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(seed=st.integers(0, 10_000))
def test_damaged_bitmaps_are_refused_or_still_ascend(seed: int) -> None:
    rng = seeded(seed)
    data = bytearray(encoded(spread(seed % 40), runs=seed % 2 == 0))
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    try:
        found = decode_positions(bytes(data[: rng.randint(0, len(data))]), 1 << 22)
    except ValueError:
        return
    assert np.all(np.diff(found) > 0)

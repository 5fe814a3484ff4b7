from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeport.catalog.rows.rowid import (
    GENERATIONS,
    MAX_ROWS,
    decode,
    encode,
    encode_at,
    generation,
    newest_of,
)
from lakeport.core.errors import InvalidRequestError, LimitError


def test_an_id_is_the_version_and_the_ordinal() -> None:
    assert encode(3, 10, 2).to_pylist() == [(3 << 40) + 10, (3 << 40) + 11]


@given(version=st.integers(0, 2**40), start=st.integers(0, MAX_ROWS - 5), count=st.integers(0, 5))
def test_decoding_gives_back_what_was_encoded(version: int, start: int, count: int) -> None:
    found = decode(encode(version, start, count))
    assert found.ordinals.tolist() == list(range(start, start + count))
    assert found.generations.tolist() == [generation(version)] * count


def test_ids_of_scattered_rows_keep_their_order() -> None:
    ordinals = np.array([7, 0, MAX_ROWS - 1], dtype=np.int64)
    assert decode(encode_at(1, ordinals)).ordinals.tolist() == ordinals.tolist()


def test_the_largest_id_is_not_negative() -> None:
    largest = encode(GENERATIONS - 1, MAX_ROWS - 1, 1)
    assert largest.to_pylist() == [2**63 - 1]


@given(newest=st.integers(0, 2**30), back=st.integers(0, GENERATIONS - 1))
def test_a_generation_finds_its_newest_version(newest: int, back: int) -> None:
    version = newest - back
    found = newest_of(generation(version), newest)
    assert found == (version if version >= 0 else None)


def test_a_snapshot_with_too_many_rows_has_no_ids() -> None:
    with pytest.raises(LimitError):
        encode(1, MAX_ROWS - 1, 2)


@pytest.mark.parametrize(
    "row_ids",
    [
        pa.array([1, None], pa.int64()),
        pa.array([5, -1], pa.int64()),
        pa.array([1], pa.int32()),
    ],
    ids=["null", "negative", "another type"],
)
def test_what_never_was_an_id_is_refused(row_ids: pa.Int64Array) -> None:
    with pytest.raises(InvalidRequestError):
        decode(row_ids)


def test_slices_are_decoded_at_their_own_place() -> None:
    assert decode(encode(1, 0, 9).slice(4, 2)).ordinals.tolist() == [4, 5]

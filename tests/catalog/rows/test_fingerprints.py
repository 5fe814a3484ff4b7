"""One integer per key: the same for equal ones, and hardly ever for others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.arrow import Array
from lakeport.catalog.rows.fingerprints import fingerprints

ROWS = st.lists(st.tuples(st.binary(max_size=20), st.integers(-(2**63), 2**63 - 1)), max_size=20)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(rows=ROWS, start=st.integers(0, 3))
def test_keys_are_told_apart_wherever_they_lie(rows: list[tuple[bytes, int]], start: int) -> None:
    texts: Array = pa.array([text for text, _ in rows], pa.binary())
    numbers: Array = pa.array([number for _, number in rows], pa.int64())
    wide: Array = texts.cast(pa.large_binary())
    found = fingerprints([texts.slice(start), numbers.slice(start)])
    assert fingerprints([wide.slice(start), numbers.slice(start)]).tolist() == found.tolist()
    kept = rows[start:]
    assert len(found) == len(kept)
    by_key = dict(zip(kept, found.tolist(), strict=True))
    assert [by_key[row] for row in kept] == found.tolist()
    assert len(set(by_key.values())) == len(by_key)


def test_small_numbers_do_not_cancel_each_other_out() -> None:
    first, second = (part.ravel() for part in np.meshgrid(np.arange(300), np.arange(300)))
    assert len(np.unique(fingerprints([pa.array(first), pa.array(second)]))) == 90_000


def test_bytes_after_the_last_value_do_not_matter() -> None:
    one, two = (pa.array([b"ab" + more]).slice(0) for more in (b"", b""))
    longer: Array = pa.array([b"ab", b"zzzzzzzz"]).slice(0, 1)
    assert fingerprints([one]) == fingerprints([two]) == fingerprints([longer])


def test_a_number_is_its_own_fingerprint() -> None:
    numbers = [0, 1, 2**63 - 1, -1]
    assert fingerprints([pa.array(numbers)]).view(np.int64).tolist() == numbers
    assert fingerprints([pa.array([2**64 - 1], pa.uint64())]).tolist() == [2**64 - 1]
    assert fingerprints([pa.array([True, False])]).tolist() == [1, 0]

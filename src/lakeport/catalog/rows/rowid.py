"""Row ids: where a row stood in the snapshot it was read from, as one int64.

    (version of the snapshot, mod 2^23) · 2^40 + ordinal of the row in that snapshot

An id is good for that snapshot alone: a later one counts its rows anew. The version is kept modulo
2^23 (its *generation*), so a reader of ids looks for a snapshot of that generation and nothing else
is stored anywhere. What an ordinal means is the table's business; here is only the arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lakeport.catalog.arrow import Array
from lakeport.core.errors import InvalidRequestError, LimitError

ORDINAL_BITS = 40
GENERATION_BITS = 23
MAX_ROWS = 1 << ORDINAL_BITS
GENERATIONS = 1 << GENERATION_BITS

Numbers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RowIds:
    """Decoded ids, one entry per id in both arrays."""

    generations: Numbers
    ordinals: Numbers


def generation(version: int) -> int:
    """What of a version is kept in a row id."""
    return version % GENERATIONS


def newest_of(generation: int, newest: int) -> int | None:
    """The newest version of that generation which is not above `newest`, if there is one."""
    version = newest - (newest - generation) % GENERATIONS
    return version if version >= 0 else None


def encode(version: int, start: int, count: int) -> pa.Int64Array:
    """The ids of `count` rows that follow each other from ordinal `start`."""
    return encode_at(version, np.arange(start, start + count, dtype=np.int64))


def encode_at(version: int, ordinals: Numbers) -> pa.Int64Array:
    """The ids of rows at any ordinals."""
    if version < 0:
        message = f"version {version} is negative"
        raise ValueError(message)
    if len(ordinals) and (int(ordinals.min()) < 0 or int(ordinals.max()) >= MAX_ROWS):
        raise LimitError(f"a snapshot of more than 2^{ORDINAL_BITS} rows has no row ids")
    return pa.array(ordinals + (generation(version) << ORDINAL_BITS), type=pa.int64())


def decode(row_ids: Array) -> RowIds:
    """Takes an id apart; `InvalidRequestError` for what can never have been one of ours."""
    if row_ids.type != pa.int64():
        raise InvalidRequestError(f"row ids are of the type int64, not {row_ids.type}")
    if row_ids.null_count:
        raise InvalidRequestError(
            "a row id is NULL", hint="row ids come from a scan of the same table"
        )
    numbers: Numbers = row_ids.to_numpy(zero_copy_only=False)
    if len(numbers) and int(numbers.min()) < 0:
        raise InvalidRequestError(
            f"{int(numbers.min())} is no row id", hint="row ids come from a scan of the same table"
        )
    return RowIds(numbers >> ORDINAL_BITS, numbers & (MAX_ROWS - 1))

"""Rows that are numbers without a NULL, as numpy has them: what a function over numpy arrays takes and gives.

Between such a function and a message of numbers Arrow has nothing to do. Everything else is a batch.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrow import Array

Vector: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_NUMBERS: dict[pa.DataType, np.dtype[Any]] = {
    pa.int8(): np.dtype(np.int8),
    pa.int16(): np.dtype(np.int16),
    pa.int32(): np.dtype(np.int32),
    pa.int64(): np.dtype(np.int64),
    pa.uint8(): np.dtype(np.uint8),
    pa.uint16(): np.dtype(np.uint16),
    pa.uint32(): np.dtype(np.uint32),
    pa.uint64(): np.dtype(np.uint64),
    pa.float32(): np.dtype(np.float32),
    pa.float64(): np.dtype(np.float64),
}
"""Those of which every bit pattern is a value, so that there is nothing to validate."""


class Vectors(NamedTuple):
    """One for each column, all of so many rows."""

    columns: tuple[Vector, ...]
    rows: int

    def batch(self, schema: pa.Schema) -> pa.RecordBatch:
        arrays: list[Array] = [pa.array(column) for column in self.columns]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


def number_type(kind: pa.DataType) -> np.dtype[Any] | None:
    """What numpy calls a type of numbers; None for all others."""
    return _NUMBERS.get(kind)


def number_types(schema: pa.Schema) -> tuple[np.dtype[Any], ...] | None:
    """Of each column; None where one is no number, or where there is no column."""
    found = tuple(_NUMBERS[each.type] for each in schema if each.type in _NUMBERS)
    return found if found and len(found) == len(schema) else None


def is_vector(value: object, kind: np.dtype[Any], rows: int) -> bool:
    """Whether it goes as it is: exactly of this type, one value after the other. No class made of ndarray."""
    return (
        type(value) is np.ndarray
        and value.dtype == kind
        and value.shape == (rows,)
        and value.flags.c_contiguous
    )

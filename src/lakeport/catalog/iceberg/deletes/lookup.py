"""Finds rows among many others by their values, a column at a time and never row by row.

A row becomes one number: its place among the distinct rows of the set, first by its first column, then
by the first two, and so on. NULL equals NULL. The specification wants no floating point numbers here;
those of writers that do it anyway are compared as Java does: NaN equals NaN, and 0.0 is not -0.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrow import Array
from lakeport.catalog.rows.rowid import Numbers


@dataclass(frozen=True, slots=True)
class _Column:
    """The distinct values of one column, and the pairs of (row so far, value) that there are."""

    values: Array
    pairs: Numbers


class RowSet:
    """`columns` have the same length: one row each of them at every index."""

    def __init__(self, columns: Sequence[Array]) -> None:
        self.size = len(columns[0])
        self._columns: list[_Column] = []
        so_far = np.zeros(self.size, np.int64)
        for column in columns:
            comparable = _comparable(column)
            values = pc.unique(comparable)
            pair = so_far * len(values) + _places(comparable, values)
            pairs, so_far = np.unique(pair, return_inverse=True)
            self._columns.append(_Column(values, pairs))

    def holds(self, columns: Sequence[Array]) -> npt.NDArray[np.bool_]:
        """Which of these rows are in the set."""
        count = len(columns[0])
        so_far = np.zeros(count, np.int64)
        found = np.full(count, fill_value=self.size > 0)
        for known, column in zip(self._columns, columns, strict=True):
            if not found.any():
                break
            places = _places(_comparable(column), known.values)
            pair = so_far * len(known.values) + places
            so_far = np.searchsorted(known.pairs, pair)
            so_far[so_far == len(known.pairs)] = 0
            found &= (places >= 0) & (known.pairs[so_far] == pair)
        return found


def _comparable(column: Array) -> Array:
    """The same values, equal where they count as equal."""
    if isinstance(column, pa.ExtensionArray):
        return _comparable(column.storage)
    if pa.types.is_floating(column.type):
        same: Array = pc.if_else(pc.is_nan(column), pa.scalar(float("nan"), column.type), column)
        return same
    return column


def _places(column: Array, values: Array) -> Numbers:
    """Where each value stands among the distinct ones, -1 if it does not."""
    found: Array = pc.index_in(column, value_set=values)
    places: Numbers = found.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return places

"""Columns of one repeated value: a DEFAULT, or NULL.

A DEFAULT is a constant, so it is worked out once per expression and type, not once per batch: DuckDB's
client sends batches of 2,048 rows.
"""

from __future__ import annotations

from functools import lru_cache

import pyarrow as pa

from lakeport.catalog.arrays.containers import nulls
from lakeport.catalog.arrays.selection import take_array
from lakeport.catalog.arrow import Array
from lakeport.catalog.expressions import default_array
from lakeport.catalog.rows.convert import convert


def filled(expression: str | None, to: pa.DataType, rows: int) -> Array:
    """The DEFAULT in every row, or NULL when there is none."""
    if expression is None:
        return nulls(rows, to)
    return take_array(_value(expression, to), pa.repeat(pa.scalar(0, pa.int64()), rows))


@lru_cache(maxsize=256)
def _value(expression: str, to: pa.DataType) -> Array:
    return convert(default_array(expression, to, 1), to)

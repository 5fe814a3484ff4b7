"""Which columns of a file get a dictionary: those whose values repeat, as a sample of them shows.

Parquet's writer tries one for every column. Where nearly every value is different that only costs time,
and the file comes out larger: 20 % of both for lineitem. In small files it never pays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.iceberg.types.scalars import storage_of

SAMPLE = 1_024
"""Rows; with fewer there is no dictionary at all."""

_MOSTLY_DIFFERENT = 0.98

_compute: Any = pc


def with_dictionary(rows: pa.Table) -> list[str]:
    """Paths of the columns in the file's own schema."""
    if rows.num_rows < SAMPLE:
        return []
    places = np.linspace(0, rows.num_rows - 1, SAMPLE, dtype=np.int64)
    return [
        path
        for field, column in zip(rows.schema, rows.columns, strict=True)
        for path in _leaves(field.type, field.name)
        if pa.types.is_nested(field.type) or _repeats(column.take(places))
    ]


def _repeats(sample: Any) -> bool:
    array = storage_of(sample.combine_chunks())
    known = len(array) - array.null_count
    return bool(_compute.count_distinct(array).as_py() < _MOSTLY_DIFFERENT * known or not known)


def _leaves(kind: Any, path: str) -> Iterator[str]:
    if pa.types.is_struct(kind):
        for child in kind.fields:
            yield from _leaves(child.type, f"{path}.{child.name}")
    elif pa.types.is_map(kind):
        yield from _leaves(kind.key_type, f"{path}.key_value.key")
        yield from _leaves(kind.item_type, f"{path}.key_value.value")
    elif pa.types.is_list(kind):
        yield from _leaves(kind.value_type, f"{path}.list.element")
    else:
        yield path

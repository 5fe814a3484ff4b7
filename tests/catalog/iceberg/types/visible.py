"""What can be seen of an array: values under a NULL, or in members that do not count, become NULL.

Such values mean nothing and Parquet does not keep them, but Arrow's text rendering shows them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.containers import (
    is_list,
    nulls,
    put_together,
    take_apart,
)
from lakeport.catalog.arrays.selection import take_array
from lakeport.catalog.arrow import Array


def visible(array: Array) -> Array:
    kind: Any = array.type
    if isinstance(array, pa.ExtensionArray):
        built: Array = pa.ExtensionArray.from_storage(kind, visible(array.storage))
        return built
    if not (pa.types.is_nested(kind) or is_list(kind)) or pa.types.is_run_end_encoded(kind):
        return array
    parts = take_apart(array)
    if parts.codes is not None:
        shown = [parts.codes == code for code in kind.type_codes]
    elif parts.offsets is None:
        shown = [_valid(array)] * kind.num_fields
    else:
        shown = [np.repeat(_valid(array), np.diff(parts.offsets))] * len(parts.children)
    children = [
        _where(mask, visible(child)) for mask, child in zip(shown, parts.children, strict=True)
    ]
    return put_together(parts.with_children(*children), kind)


def visible_table(table: pa.Table) -> pa.Table:
    return pa.Table.from_batches(
        [
            pa.RecordBatch.from_arrays(
                [visible(column) for column in batch.columns], schema=table.schema
            )
            for batch in table.to_batches()
        ],
        table.schema,
    )


def _valid(array: Array) -> Any:
    return array.is_valid().to_numpy(zero_copy_only=False)


def _where(mask: Any, child: Any) -> Array:
    if mask.all():
        return child  # type: ignore[no-any-return] # an array of any class
    if isinstance(child.type, pa.UnionType):
        # It has no NULL of its own: a hidden one is the first member, NULL.
        parts = take_apart(child)
        tags: Any = parts.codes
        codes = np.where(mask, tags, child.type.type_codes[0]).astype(np.int8)
        members = [_where(mask, member) for member in parts.children]
        return put_together(replace(parts, children=tuple(members), codes=codes), child.type)
    kind: Any = child.type
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(
            _where(mask, child.indices), child.dictionary, ordered=kind.ordered
        )
    if len(child) == 0:
        return nulls(0, kind)
    rows = np.arange(len(child), dtype=np.int64)
    return take_array(child, pa.array(rows, mask=~mask))

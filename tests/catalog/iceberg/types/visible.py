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
    if isinstance(array, pa.DictionaryArray):
        return _canonical(array)
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


def _canonical(array: Any) -> Array:
    """Its values in the order in which they occur, each once."""
    kind = array.type
    order = array.indices.drop_null().unique().cast(pa.int64())
    values = take_array(array.dictionary, order)
    texts = [str(values.slice(at, 1)) for at in range(len(values))]
    first = {text: at for at, text in reversed(list(enumerate(texts)))}
    renumbered = {code: first[text] for code, text in zip(order.to_pylist(), texts, strict=True)}
    indices = [None if code is None else renumbered[code] for code in array.indices.to_pylist()]
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, kind.index_type), values, ordered=kind.ordered
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
    # A NULL to point at: not every type can be taken from with NULL as a position.
    longer = pa.concat_arrays([child, nulls(1, kind)])
    return take_array(longer, pa.array(np.where(mask, np.arange(len(child)), len(child))))

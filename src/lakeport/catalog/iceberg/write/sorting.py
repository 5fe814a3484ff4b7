"""Rows in the order that a table asks for: by stored values, as Iceberg compares them.

Floating-point numbers are ordered by their bits, so that −0.0 comes before 0.0 and NaN after infinity:
Arrow's own order would put NaN beside NULL. An order that cannot be worked out here is not claimed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.sorting import NullOrder, SortDirection, SortField, SortOrder
from pyiceberg.transforms import UnknownTransform, VoidTransform

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types import stored_type
from lakeport.catalog.iceberg.types.scalars import storage_of
from lakeport.catalog.iceberg.write.transforms import source_of, transformed, transformed_values

_compute: Any = pc


def order_of(metadata: TableMetadata) -> SortOrder | None:
    """The order that new files should have, if there is one that we can give them."""
    order = metadata.sort_order_by_id(metadata.default_sort_order_id)
    if order is None or order.is_unsorted:
        return None
    known = metadata.schema()._lazy_id_to_field  # noqa: SLF001  `find_field` raises instead
    for field in order.fields:
        if isinstance(field.transform, UnknownTransform) or field.source_id not in known:
            return None
    return order


def sorted_places(
    rows: pa.RecordBatch, order: SortOrder, schema: Schema
) -> npt.NDArray[np.uint64] | None:
    """Where the first, the second… row of the order is now; None when all are in place."""
    names, columns, terms = [], [], []
    for at, field in enumerate(order.fields):
        if isinstance(field.transform, VoidTransform):
            continue
        names.append(str(at))
        columns.append(_key(rows, field, schema))
        descends = field.direction is SortDirection.DESC
        nulls_first = field.null_order is NullOrder.NULLS_FIRST
        terms.append(
            (
                str(at),
                "descending" if descends else "ascending",
                "at_start" if nulls_first else "at_end",
            )
        )
    if not columns:
        return None
    keys = pa.table(columns, names)
    places: npt.NDArray[np.uint64] = _compute.sort_indices(keys, sort_keys=terms).to_numpy()
    return None if (places[1:] > places[:-1]).all() else places


def _key(rows: pa.RecordBatch, field: SortField, schema: Schema) -> Array:
    found = source_of(rows, field.source_id, schema)
    if found is None:
        message = f"field {field.source_id} of the sort order is not in the schema"
        raise LookupError(message)
    source, kind = found
    whole = transformed(source, kind, field.transform)
    if whole is not None:
        return _ordered(whole)
    encoded = _compute.dictionary_encode(source, null_encoding="encode")
    values = transformed_values(encoded.dictionary.to_pylist(), kind, field.transform)
    result = stored_type(field.transform.result_type(kind))
    return _ordered(storage_of(pa.array(values, result)).take(encoded.indices))


def _ordered(array: Array) -> Array:
    if not pa.types.is_floating(array.type):
        return array
    width = pa.int32() if array.type.bit_width == 32 else pa.int64()
    bits: Any = array.view(width)
    # Of negative numbers all bits but the sign count backwards.
    turned = _compute.bit_wise_xor(bits, pa.scalar(2 ** (width.bit_width - 1) - 1, width))
    ordered: Array = _compute.if_else(_compute.less(bits, 0), turned, bits)
    return ordered

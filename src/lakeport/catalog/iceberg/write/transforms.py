"""Iceberg's transforms on whole columns: what rows are partitioned and sorted by.

Times and buckets of numbers are worked out on the column, the others once per different value by
PyIceberg. Values are the stored ones, with times as the integers they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    YearTransform,
)
from pyiceberg.types import DateType, IcebergType, NestedField, StructType

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types.scalars import storage_of
from lakeport.catalog.iceberg.write.buckets import bucketed

_compute: Any = pc
_UNITS = {YearTransform: "Y", MonthTransform: "M", DayTransform: "D", HourTransform: "h"}


def source_of(
    rows: pa.RecordBatch, field_id: int, schema: Schema
) -> tuple[Array, IcebergType] | None:
    """The stored values of a column, or of a field in it; None when the schema has no such field."""
    for at, column in enumerate(schema.fields):
        path = _path(column, field_id)
        if path is not None:
            array: Any = rows.column(at)
            kind: IcebergType = column.field_type
            for place, child in path:
                array = _compute.struct_field(array, place)
                kind = child
            return _plain(storage_of(array)), kind
    return None


def transformed(array: Array, kind: IcebergType, transform: Transform[Any, Any]) -> Array | None:
    """The transform of a whole column, where that can be worked out so."""
    if isinstance(transform, IdentityTransform):
        return array
    unit = _UNITS.get(type(transform))
    if unit is not None:
        # Years, months, days or hours since 1970; rounded down, also before it.
        counts = moments(array, kind).astype(f"datetime64[{unit}]").astype(np.int32)
    elif isinstance(transform, BucketTransform) and pa.types.is_integer(array.type):
        counts = bucketed(_numbers(array), transform.num_buckets)
    else:
        return None
    built: Array = pa.array(counts)
    if not array.null_count:
        return built
    masked: Array = _compute.if_else(array.is_valid(), built, pa.scalar(None, pa.int32()))
    return masked


def transformed_values(
    values: Sequence[Any], kind: IcebergType, transform: Transform[Any, Any]
) -> list[Any]:
    work_out = transform.transform(kind)
    return [work_out(value) for value in values]


def moments(array: Array, kind: IcebergType) -> Any:
    """Dates or timestamps as numpy has them."""
    return _numbers(array).astype(
        "datetime64[D]" if isinstance(kind, DateType) else "datetime64[us]"
    )


def _numbers(array: Array) -> Any:
    return array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)


def _plain(array: Array) -> Array:
    if pa.types.is_date32(array.type):
        return array.view(pa.int32())
    return array.view(pa.int64()) if pa.types.is_temporal(array.type) else array


def _path(field: NestedField, field_id: int) -> Sequence[tuple[int, IcebergType]] | None:
    if field.field_id == field_id:
        return []
    if isinstance(field.field_type, StructType):
        for at, child in enumerate(field.field_type.fields):
            rest = _path(child, field_id)
            if rest is not None:
                return [(at, child.field_type), *rest]
    return None

"""Rows of one batch by the partition they belong to.

Transforms of time and buckets of numbers are worked out on whole columns, the others once per different
value by PyIceberg. What has no partition that others could read is refused.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.conversions import to_bytes
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    UnknownTransform,
    VoidTransform,
    YearTransform,
)
from pyiceberg.types import (
    DateType,
    DecimalType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StructType,
    TimestampType,
    TimestamptzType,
)

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types.scalars import storage_of
from lakeport.catalog.iceberg.write.buckets import bucketed
from lakeport.core.errors import InvalidRequestError, UnsupportedError

PartitionValues: TypeAlias = tuple[Any, ...]

_compute: Any = pc
_UNITS = {YearTransform: "Y", MonthTransform: "M", DayTransform: "D", HourTransform: "h"}
_SHOWN_AS_DATES = (IdentityTransform, DayTransform, HourTransform)
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31


def partitioned(
    rows: pa.RecordBatch, spec: PartitionSpec, schema: Schema
) -> Iterator[tuple[PartitionValues, pa.RecordBatch]]:
    """Stored rows, one batch per partition that occurs."""
    if spec.is_unpartitioned() or not rows.num_rows:
        yield (), rows
        return
    keys = [_values(rows, field, schema) for field in spec.fields]
    codes = np.zeros(rows.num_rows, dtype=np.int64)
    for values, places in keys:
        _, codes = np.unique(codes * len(values) + places, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for positions in np.split(order, starts[1:]):
        found = tuple(values[int(places[positions[0]])] for values, places in keys)
        whole = len(positions) == rows.num_rows
        yield found, rows if whole else rows.take(positions)


def _values(
    rows: pa.RecordBatch, field: PartitionField, schema: Schema
) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """The different values of a partition field, and which of them each row has."""
    source, kind = _source(rows, field.source_id, schema)
    if isinstance(field.transform, VoidTransform):
        return [None], np.zeros(len(source), dtype=np.int64)
    if isinstance(field.transform, UnknownTransform):
        raise UnsupportedError(
            f"the table is partitioned by {field.transform}, which this version cannot work out",
            hint="write with the engine that chose it",
        )
    if isinstance(field.transform, _SHOWN_AS_DATES):
        _check_years(source, kind)
    whole = _whole(source, kind, field.transform)
    encoded = _compute.dictionary_encode(source if whole is None else whole, null_encoding="encode")
    values: list[Any] = encoded.dictionary.to_pylist()
    if whole is None:
        transform = field.transform.transform(kind)
        values = [transform(value) for value in values]
        if isinstance(field.transform, TruncateTransform):
            _check_range(values, kind)
    return _merged(values, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))


def _merged(
    values: list[Any], places: npt.NDArray[np.int64]
) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """Values that a transform made equal become one."""
    ordinals: dict[Any, int] = {}
    renumbered = np.array(
        [ordinals.setdefault((type(value), repr(value)), len(ordinals)) for value in values],
        dtype=np.int64,
    )
    different: list[Any] = [None] * len(ordinals)
    for value, ordinal in zip(values, renumbered, strict=True):
        different[ordinal] = value
    return different, renumbered[places]


def _source(rows: pa.RecordBatch, field_id: int, schema: Schema) -> tuple[Array, IcebergType]:
    """The stored values of a column, or of a field in it, as integers where they are times."""
    for at, column in enumerate(schema.fields):
        path = _path(column, field_id)
        if path is not None:
            array: Any = rows.column(at)
            kind: IcebergType = column.field_type
            for name, child in path:
                array = _compute.struct_field(array, name)
                kind = child
            return _plain(storage_of(array)), kind
    message = f"field {field_id} of the partition spec is not in the schema"
    raise LookupError(message)


def _path(field: NestedField, field_id: int) -> Sequence[tuple[int, IcebergType]] | None:
    if field.field_id == field_id:
        return []
    if isinstance(field.field_type, StructType):
        for at, child in enumerate(field.field_type.fields):
            rest = _path(child, field_id)
            if rest is not None:
                return [(at, child.field_type), *rest]
    return None


def _plain(array: Array) -> Array:
    if pa.types.is_date32(array.type):
        return array.view(pa.int32())
    return array.view(pa.int64()) if pa.types.is_temporal(array.type) else array


def _whole(array: Array, kind: IcebergType, transform: Transform[Any, Any]) -> Array | None:
    """The transform of a whole column, where that can be worked out so."""
    unit = _UNITS.get(type(transform))
    if unit is not None:
        # Years, months, days or hours since 1970; rounded down, also before it.
        counts = _moments(array, kind).astype(f"datetime64[{unit}]").astype(np.int32)
    elif isinstance(transform, BucketTransform) and pa.types.is_integer(array.type):
        counts = bucketed(_numbers(array), transform.num_buckets)
    else:
        return None
    built: Array = pa.array(counts)
    if not array.null_count:
        return built
    masked: Array = _compute.if_else(array.is_valid(), built, pa.scalar(None, pa.int32()))
    return masked


def _numbers(array: Array) -> Any:
    return array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)


def _moments(array: Array, kind: IcebergType) -> Any:
    return _numbers(array).astype(
        "datetime64[D]" if isinstance(kind, DateType) else "datetime64[us]"
    )


def _check_years(array: Array, kind: IcebergType) -> None:
    """Catalogs write such partitions as dates, which end with the year 9999 in most of them."""
    if not isinstance(kind, DateType | TimestampType | TimestamptzType):
        return
    days = _moments(array, kind).astype("datetime64[D]").astype(np.int64)
    if ((days < _FIRST_DAY) | (days > _LAST_DAY)).any():
        raise InvalidRequestError(
            "a date that is infinite, or not within the years 1 to 9999, cannot be a partition",
            hint="partition by month, year or bucket",
        )


def _check_range(values: list[Any], kind: IcebergType) -> None:
    """Truncating rounds down, and the least numbers have nothing below them."""
    for value in values:
        try:
            if value is not None and isinstance(kind, IntegerType | LongType | DecimalType):
                to_bytes(kind, value)
        except (ValueError, struct.error) as error:
            raise InvalidRequestError(
                f"the number {value} is outside of the column's range, so it cannot be a partition",
                hint="truncate to fewer digits",
            ) from error

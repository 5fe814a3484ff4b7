"""Rows of one batch by the partition they belong to.

What has no partition that others could read is refused: dates beyond the years that catalogs can write,
numbers that a truncation would carry out of their range.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.conversions import to_bytes
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import (
    DayTransform,
    HourTransform,
    IdentityTransform,
    TruncateTransform,
    UnknownTransform,
    VoidTransform,
)
from pyiceberg.types import (
    DateType,
    DecimalType,
    IcebergType,
    IntegerType,
    LongType,
    TimestampType,
    TimestamptzType,
)

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.write.transforms import (
    moments,
    source_of,
    transformed,
    transformed_values,
)
from lakeport.core.errors import InvalidRequestError, PreconditionError, UnsupportedError
from lakeport.core.names import quoted

PartitionValues: TypeAlias = tuple[Any, ...]

_compute: Any = pc
_SHOWN_AS_DATES = (IdentityTransform, DayTransform, HourTransform)
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31
_SHORT = 1 << 16


def partitioned(
    rows: pa.RecordBatch, spec: PartitionSpec, schema: Schema
) -> Iterator[tuple[PartitionValues, pa.RecordBatch]]:
    """Stored rows, one batch per partition that occurs; they all share one batch's memory."""
    if spec.is_unpartitioned() or not rows.num_rows:
        yield (), rows
        return
    keys = [_values(rows, field, schema) for field in spec.fields]
    codes = _codes(keys)
    order = np.argsort(codes, kind="stable")
    starts = [0, *(np.flatnonzero(np.diff(codes[order])) + 1).tolist()]
    # One copy of all rows: a small one for each partition takes three times as long.
    arranged = rows if len(starts) == 1 else rows.take(order)
    for start, end in zip(starts, [*starts[1:], rows.num_rows], strict=True):
        first = order[start]
        found = tuple(values[int(places[first])] for values, places in keys)
        yield found, arranged.slice(start, end - start)


def partition_key(values: PartitionValues) -> PartitionValues:
    """What is equal for one partition and for no other: Python's zeros are equal, its NaNs are not."""
    return tuple(repr(value) if isinstance(value, float) else value for value in values)


def _codes(keys: list[tuple[list[Any], npt.NDArray[np.int64]]]) -> Any:
    """One number per row for its partition; a short one if possible, which sorts by far the fastest."""
    codes = np.zeros(len(keys[0][1]), dtype=np.int64)
    most = 1
    for values, places in keys:
        if most * len(values) > 2**62:
            _, codes = np.unique(codes, return_inverse=True)
            most = len(codes)
        codes = codes * len(values) + places
        most *= len(values)
    return codes.astype(np.uint16) if most <= _SHORT else codes


def _values(
    rows: pa.RecordBatch, field: PartitionField, schema: Schema
) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """The different values of a partition field, and which of them each row has."""
    if isinstance(field.transform, VoidTransform):
        return [None], np.zeros(rows.num_rows, dtype=np.int64)
    if isinstance(field.transform, UnknownTransform):
        raise UnsupportedError(
            f"the table is partitioned by {field.transform}, which this version cannot work out",
            hint="write with the engine that chose it",
        )
    found = source_of(rows, field.source_id, schema)
    if found is None:
        raise PreconditionError(
            f"the table is partitioned by {quoted(field.name)}, whose column is gone",
            hint="take it out of the partition spec with the engine that dropped the column",
        )
    source, kind = found
    if isinstance(field.transform, _SHOWN_AS_DATES):
        _check_years(source, kind)
    whole = transformed(source, kind, field.transform)
    encoded = _compute.dictionary_encode(source if whole is None else whole, null_encoding="encode")
    values: list[Any] = encoded.dictionary.to_pylist()
    if whole is None:
        values = transformed_values(values, kind, field.transform)
        if isinstance(field.transform, TruncateTransform):
            _check_range(values, kind)
    return _merged(values, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))


def _merged(
    values: list[Any], places: npt.NDArray[np.int64]
) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """Values that a transform made equal become one."""
    ordinals: dict[Any, int] = {}
    renumbered = np.array(
        [ordinals.setdefault(partition_key((value,)), len(ordinals)) for value in values],
        dtype=np.int64,
    )
    different: list[Any] = [None] * len(ordinals)
    for value, ordinal in zip(values, renumbered, strict=True):
        different[ordinal] = value
    return different, renumbered[places]


def _check_years(array: Array, kind: IcebergType) -> None:
    """Catalogs write such partitions as dates, which end with the year 9999 in most of them."""
    if not isinstance(kind, DateType | TimestampType | TimestamptzType):
        return
    days = moments(array, kind).astype("datetime64[D]").astype(np.int64)
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

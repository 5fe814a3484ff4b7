"""Iceberg's types as the Arrow types that our files give and take.

The same as PyIceberg's own choice, except that texts, bytes and lists have 32-bit offsets, because a
batch is a few megabytes, and that no field carries metadata.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    GeographyType,
    GeometryType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)

from lakeport.catalog.arrow import Field
from lakeport.core.errors import UnsupportedError

_arrow: Any = pa

_PRIMITIVES: dict[type[IcebergType], pa.DataType] = {
    BooleanType: pa.bool_(),
    IntegerType: pa.int32(),
    LongType: pa.int64(),
    FloatType: pa.float32(),
    DoubleType: pa.float64(),
    DateType: pa.date32(),
    TimeType: pa.time64("us"),
    TimestampType: pa.timestamp("us"),
    TimestamptzType: pa.timestamp("us", "UTC"),
    TimestampNanoType: pa.timestamp("ns"),
    TimestamptzNanoType: pa.timestamp("ns", "UTC"),
    StringType: pa.string(),
    BinaryType: pa.binary(),
    UUIDType: pa.uuid(),
    UnknownType: pa.null(),
    GeometryType: pa.binary(),
    GeographyType: pa.binary(),
}


def stored_type(found: IcebergType) -> pa.DataType:
    """`UnsupportedError` for a type that is newer than this reader."""
    built: pa.DataType
    match found:
        case StructType():
            built = pa.struct([stored_field(field) for field in found.fields])
        case ListType():
            built = _arrow.list_(stored_field(found.element_field))
        case MapType():
            built = _arrow.map_(stored_field(found.key_field), stored_field(found.value_field))
        case DecimalType():
            built = pa.decimal128(found.precision, found.scale)
        case FixedType():
            built = pa.binary(len(found))
        case _ if type(found) in _PRIMITIVES:
            built = _PRIMITIVES[type(found)]
        case _:
            raise UnsupportedError(
                f"columns of the Iceberg type {found} cannot be read",
                hint="choose the other columns",
            )
    return built


def stored_field(field: NestedField) -> Field:
    return pa.field(field.name, stored_type(field.field_type), nullable=field.optional)

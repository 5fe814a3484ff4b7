"""The Arrow type in which values of an Iceberg type are read: one for each, whatever wrote the file.

As PyIceberg's, but with 32-bit offsets: batches are small, and half of the offsets' bytes would be
zeros on the wire. No field carries metadata, so that two schemas with the same columns are equal.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pyarrow as pa
from pyiceberg.schema import Schema
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
    UUIDType: pa.uuid(),
    BinaryType: pa.binary(),
    GeometryType: pa.binary(),
    GeographyType: pa.binary(),
    UnknownType: pa.null(),
}


@lru_cache(maxsize=4096)
def storage_type(found: IcebergType) -> pa.DataType:
    match found:
        case StructType():
            return pa.struct([storage_field(field) for field in found.fields])
        case ListType():
            return _arrow.list_(storage_field(found.element_field))  # type: ignore[no-any-return]
        case MapType():
            entry = storage_field(found.key_field), storage_field(found.value_field)
            return _arrow.map_(*entry)  # type: ignore[no-any-return]
        case DecimalType():
            return pa.decimal128(found.precision, found.scale)
        case FixedType():
            return pa.binary(len(found))
    data_type = _PRIMITIVES.get(type(found))
    if data_type is None:
        raise UnsupportedError(
            f"columns of the type `{found}` cannot be read", hint="leave the column out"
        )
    return data_type


def storage_field(field: NestedField) -> Field:
    return pa.field(field.name, storage_type(field.field_type), nullable=field.optional)


def storage_schema(schema: Schema) -> pa.Schema:
    return pa.schema([storage_field(field) for field in schema.fields])

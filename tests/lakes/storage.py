"""Iceberg types as Arrow types, and rows of one schema as rows of another.

Written from the specification and independent of the product: a field is known by its id, a missing
one is its default or NULL, and a widened one is cast.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
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

# The stubs have one class per type; ours are known at run time only.
Array: TypeAlias = Any
_arrow: Any = pa
Field: TypeAlias = Any

_PLAIN: dict[type[IcebergType], pa.DataType] = {
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
}


def arrow_schema(schema: Schema, *, ids: bool = False) -> pa.Schema:
    """With `ids`, every field carries its id the way pyarrow writes it to Parquet."""
    return pa.schema([arrow_field(field, ids=ids) for field in schema.fields])


def arrow_field(field: NestedField, *, ids: bool = False) -> Field:
    metadata = {"PARQUET:field_id": str(field.field_id)} if ids else None
    kind = arrow_type(field.field_type, ids=ids)
    return pa.field(field.name, kind, nullable=not field.required, metadata=metadata)


def arrow_type(kind: IcebergType, *, ids: bool = False) -> pa.DataType:
    match kind:
        case StructType():
            return pa.struct([arrow_field(field, ids=ids) for field in kind.fields])
        case ListType():
            return pa.list_(arrow_field(kind.element_field, ids=ids))
        case MapType():
            return pa.map_(
                arrow_field(kind.key_field, ids=ids), arrow_field(kind.value_field, ids=ids)
            )
        case DecimalType():
            return pa.decimal128(kind.precision, kind.scale)
        case FixedType():
            return pa.binary(len(kind))
    return _PLAIN[type(kind)]


# -- from one schema to another ------------------------------------------------------------------


def project_rows(rows: pa.Table, written: Schema, wanted: Schema) -> pa.Table:
    """The rows as a reader with the schema `wanted` must see them."""
    batch = rows.combine_chunks().to_batches()
    if not batch:
        return pa.Table.from_batches([], arrow_schema(wanted))
    held = {field.field_id: at for at, field in enumerate(written.fields)}
    arrays = [
        _child(
            wanted_field,
            None if (at := held.get(wanted_field.field_id)) is None else batch[0].column(at),
            None if at is None else written.fields[at],
            rows.num_rows,
        )
        for wanted_field in wanted.fields
    ]
    return pa.Table.from_arrays(arrays, schema=arrow_schema(wanted))


def _child(wanted: NestedField, array: Array, written: NestedField | None, rows: int) -> Array:
    if written is None:
        return default_array(wanted, rows)
    return project_array(array, written.field_type, wanted.field_type)


def default_array(field: NestedField, rows: int) -> Array:
    kind = arrow_type(field.field_type)
    if field.initial_default is None:
        return _arrow.nulls(rows, kind)
    value = field.initial_default
    if isinstance(kind, pa.BaseExtensionType):
        storage = pa.array([value.bytes] * rows, kind.storage_type)
        return pa.ExtensionArray.from_storage(kind, storage)
    if pa.types.is_temporal(kind) and isinstance(value, int):
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        return pa.array([value] * rows, width).view(kind)
    return pa.array([value] * rows, kind)


def project_array(array: Array, written: IcebergType, wanted: IcebergType) -> Array:
    kind = arrow_type(wanted)
    if isinstance(wanted, StructType) and isinstance(written, StructType):
        held = {field.field_id: at for at, field in enumerate(written.fields)}
        fields = [arrow_field(field) for field in wanted.fields]
        children = []
        for field in wanted.fields:
            at = held.get(field.field_id)
            child = None if at is None else array.field(at).slice(0, len(array))
            source = None if at is None else written.fields[at]
            children.append(_child(field, child, source, len(array)))
        return pa.StructArray.from_arrays(children, fields=fields, mask=array.is_null())
    if isinstance(wanted, ListType) and isinstance(written, ListType):
        values = project_array(array.values, written.element_type, wanted.element_type)
        return _whole(pa.ListArray.from_arrays, array, [values], kind)
    if isinstance(wanted, MapType) and isinstance(written, MapType):
        keys = project_array(array.keys, written.key_type, wanted.key_type)
        items = project_array(array.items, written.value_type, wanted.value_type)
        return _whole(pa.MapArray.from_arrays, array, [keys, items], kind)
    return array.cast(kind) if array.type != kind else array


def _whole(make: Any, array: Array, children: list[Array], kind: pa.DataType) -> Array:
    # A mask and sliced offsets exclude each other; offsets that are NULL say the same.
    offsets = array.offsets.to_pylist()
    missing = [*array.is_null().to_pylist(), False]
    marked = [None if gone else at for at, gone in zip(offsets, missing, strict=True)]
    return make(pa.array(marked, pa.int32()), *children, type=kind)


# -- leaves and values ---------------------------------------------------------------------------


def leaves(schema: Schema) -> Iterator[tuple[NestedField, tuple[int, ...]]]:
    """Fields that are neither list, map nor inside one, with the way to them through structs."""
    yield from _leaves(schema.fields, ())


def _leaves(
    fields: tuple[NestedField, ...], above: tuple[int, ...]
) -> Iterator[tuple[NestedField, tuple[int, ...]]]:
    for at, field in enumerate(fields):
        if isinstance(field.field_type, StructType):
            yield from _leaves(field.field_type.fields, (*above, at))
        elif not isinstance(field.field_type, ListType | MapType):
            yield field, (*above, at)


def leaf_array(rows: pa.Table, way: tuple[int, ...]) -> Array:
    """One leaf column; NULL where a struct around it is."""
    array = rows.column(way[0]).combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # no rows at all
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.nulls(0, array.type)
    for at in way[1:]:
        array = pc.struct_field(array, at)
    return array


def plain_values(array: Array) -> list[Any]:
    """Values as the specification's single-value form sees them: times are integers."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return list(array.to_pylist())
    if pa.types.is_temporal(kind):
        return list(array.view(pa.int32() if kind.bit_width == 32 else pa.int64()).to_pylist())
    return list(array.to_pylist())

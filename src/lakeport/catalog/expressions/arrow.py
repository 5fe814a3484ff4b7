"""Arrow batches as DuckDB can read them, and its results as the rest of Lakeport knows them.

DuckDB would take a dictionary for an ENUM (and read it wrongly inside a list), while its client sees
text; it knows no half floats; and with lossless conversion on it answers booleans as `arrow.bool8`.
All three are put right here. Values are never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import pyarrow as pa

from lakeport.catalog.arrow import Array, Field


def table_of(rows: pa.RecordBatch | pa.Table, columns: Collection[str]) -> pa.Table:
    """The named columns, readable by DuckDB. Without any, one column that only counts the rows."""
    table = rows if isinstance(rows, pa.Table) else pa.Table.from_batches([rows])
    if not columns:
        return pa.table({"rows": pa.nulls(table.num_rows)})
    chosen = table.select([name for name in table.column_names if name in columns])
    readable = pa.schema(
        [_with_type(column, readable_type(column.type)) for column in chosen.schema]
    )
    return chosen if readable.equals(chosen.schema) else chosen.cast(readable)


def no_rows(schema: pa.Schema) -> pa.RecordBatch:
    """An empty batch; Arrow's own `empty_table` cannot make unions."""
    return pa.RecordBatch.from_arrays(
        [pa.nulls(0, column.type) for column in schema], schema=schema
    )


def readable_type(data_type: pa.DataType) -> pa.DataType:
    if isinstance(data_type, pa.DictionaryType):
        return readable_type(data_type.value_type)
    if pa.types.is_float16(data_type):
        return pa.float32()
    return _rebuilt(data_type, readable_type)


def plain_type(data_type: pa.DataType) -> pa.DataType:
    """The type without `arrow.bool8`, at any depth."""
    if isinstance(data_type, pa.Bool8Type):
        return pa.bool_()
    return _rebuilt(data_type, plain_type)


def plain(array: Array) -> Array:
    wanted = plain_type(array.type)
    return array if wanted.equals(array.type) else array.cast(wanted)


def _rebuilt(data_type: pa.DataType, change: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """`data_type` with `change` applied to the types directly inside it."""
    if isinstance(data_type, pa.StructType):
        return pa.struct([_with_type(field, change(field.type)) for field in data_type])
    if isinstance(data_type, pa.MapType):
        key, item = data_type.key_field, data_type.item_field
        return pa.map_(change(key.type), _with_type(item, change(item.type)))  # type: ignore[no-any-return,call-overload]  # the stubs lack the form that keeps nullability
    if isinstance(data_type, pa.FixedSizeListType):
        element = data_type.value_field
        return pa.list_(_with_type(element, change(element.type)), data_type.list_size)
    if isinstance(data_type, pa.LargeListType):
        return pa.large_list(_with_type(data_type.value_field, change(data_type.value_type)))
    if isinstance(data_type, pa.ListType):
        return pa.list_(_with_type(data_type.value_field, change(data_type.value_type)))
    return data_type


def _with_type(field: Field, data_type: pa.DataType) -> Field:
    return field if data_type.equals(field.type) else field.with_type(data_type)

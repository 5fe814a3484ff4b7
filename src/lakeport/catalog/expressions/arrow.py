"""Arrow batches as DuckDB can read them, and its results as the rest of Lakeport knows them.

DuckDB takes a dictionary for an ENUM (and reads it wrongly inside a list), while its client sees text;
it knows no half floats; it reads slices of unions, and of structs in structs, from another row on;
and with lossless conversion it answers booleans as `arrow.bool8`. All of that is put right here, in
every depth. Only representations change, values never do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lakeport.catalog.arrays.containers import (
    child_fields,
    is_nested,
    put_together,
    take_apart,
    with_child_fields,
)
from lakeport.catalog.arrow import Array, Field

_compute: Any = pc  # the stubs lack dictionaries and run ends


def table_of(batch: pa.RecordBatch, columns: Collection[str]) -> pa.Table:
    """The named columns, readable by DuckDB. Without any, one column that only counts the rows."""
    if not columns:
        return pa.table({"rows": pa.nulls(batch.num_rows)})
    fields, arrays = [], []
    for column, array in zip(batch.schema, batch.columns, strict=True):
        if column.name in columns:
            wanted = readable_type(column.type)
            fields.append(column.with_type(wanted).with_nullable(nullable=True))
            arrays.append(shaped(array, wanted))
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    return _unsliced(table) if any(_is_misread(field.type) for field in fields) else table


def no_rows(schema: pa.Schema) -> pa.RecordBatch:
    """An empty batch; Arrow's own `empty_table` cannot make unions."""
    return pa.RecordBatch.from_arrays(
        [pa.nulls(0, column.type) for column in schema], schema=schema
    )


def readable_type(data_type: pa.DataType) -> pa.DataType:
    if isinstance(data_type, pa.DictionaryType | pa.RunEndEncodedType):
        return readable_type(data_type.value_type)
    if pa.types.is_float16(data_type):
        return pa.float32()
    return _inside(data_type, readable_type)


def plain_type(data_type: pa.DataType) -> pa.DataType:
    """The type with `bool` for `arrow.bool8`."""
    return pa.bool_() if isinstance(data_type, pa.Bool8Type) else _inside(data_type, plain_type)


def plain(array: Array) -> Array:
    wanted = plain_type(array.type)
    return array if wanted.equals(array.type) else shaped(array, wanted)


def shaped(array: Array, wanted: pa.DataType) -> Array:
    """The same values in another type that means the same to DuckDB."""
    if array.type.equals(wanted):
        return array
    if isinstance(array, pa.RunEndEncodedArray):
        return shaped(_compute.run_end_decode(array), wanted)
    if isinstance(wanted, pa.DictionaryType):
        encoded = _compute.dictionary_encode(shaped(array, wanted.value_type))
        indices = encoded.indices.cast(wanted.index_type)
        return pa.DictionaryArray.from_arrays(indices, encoded.dictionary, ordered=wanted.ordered)
    if isinstance(array, pa.DictionaryArray):
        return shaped(_compute.dictionary_decode(array), wanted)
    if isinstance(array, pa.ExtensionArray):
        return shaped(array.storage, wanted)
    if isinstance(wanted, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(wanted, shaped(array, wanted.storage_type))
    if is_nested(wanted):
        parts = take_apart(array)
        pairs = zip(parts.children, child_fields(wanted), strict=True)
        return put_together(
            parts.with_children(*(shaped(child, field.type) for child, field in pairs)), wanted
        )
    return array.cast(wanted)


def _is_misread(data_type: pa.DataType) -> bool:
    """Whether DuckDB 1.5.5 reads slices of it wrongly: unions, and structs directly inside structs."""
    if pa.types.is_union(data_type):
        return True
    if not is_nested(data_type):
        return False
    inner = [field.type for field in child_fields(data_type)]
    in_struct = pa.types.is_struct(data_type) and any(map(pa.types.is_struct, inner))
    return in_struct or any(map(_is_misread, inner))


def _unsliced(table: pa.Table) -> pa.Table:
    """The same rows in arrays without offsets, as Arrow writes them to a stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def _inside(data_type: pa.DataType, change: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """`data_type` with `change` applied to the types directly inside it."""
    if not is_nested(data_type):
        return data_type
    fields = child_fields(data_type)
    changed = tuple(_with_type(field, change(field.type)) for field in fields)
    return data_type if changed == fields else with_child_fields(data_type, changed)


def _with_type(field: Field, data_type: pa.DataType) -> Field:
    return field if data_type.equals(field.type) else field.with_type(data_type)

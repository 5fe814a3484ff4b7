"""The fields asked for as columns to read: nested ones are reached through the column above them.

Only equality deletes ask for a field within a struct; it comes back as a column of its own, NULL
wherever a struct above it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema, prune_columns
from pyiceberg.types import NestedField, StructType

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.files.wanted import Wanted
from lakeport.catalog.iceberg.types.stored import stored_field
from lakeport.core.errors import UnsupportedError

_compute: Any = pc
_Path: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """`paths` lead from the columns to each wanted field: a column's place, then places in structs."""

    columns: tuple[NestedField, ...]
    paths: tuple[_Path, ...]
    schema: pa.Schema
    is_flat: bool

    def batch(self, columns: tuple[Array, ...], rows: int) -> pa.RecordBatch:
        """The wanted fields from the columns, which have as many rows."""
        if not self.paths:
            empty: Any = pa.Array.from_buffers(pa.struct([]), rows, [None])
            return pa.RecordBatch.from_struct_array(empty)
        if not self.is_flat:
            columns = tuple(_follow(columns[path[0]], path[1:]) for path in self.paths)
        return pa.RecordBatch.from_arrays(list(columns), schema=self.schema)


def request_of(wanted: Wanted) -> Request:
    fields = wanted.fields
    known = wanted.schema.field_ids
    top = {field.field_id for field in wanted.schema.fields}
    if all(field.field_id in top or field.field_id not in known for field in fields):
        columns = fields
    else:
        strays = tuple(field for field in fields if field.field_id not in known)
        whole = Schema(*wanted.schema.fields, *strays)
        columns = prune_columns(whole, {field.field_id for field in fields}).fields
    held = {field.field_id: (path, field) for path, field in _reached(columns)}
    found = [_find(held, field) for field in fields]
    paths = tuple(path for path, _ in found)
    shown = [
        stored_field(field).with_nullable(field.optional or len(path) > 1) for path, field in found
    ]
    flat = tuple((place,) for place in range(len(columns)))
    return Request(columns, paths, pa.schema(shown), is_flat=paths == flat)


def _reached(
    fields: tuple[NestedField, ...], above: _Path = ()
) -> Iterator[tuple[_Path, NestedField]]:
    """Every field that structs lead to, with the way to it."""
    for place, field in enumerate(fields):
        yield (*above, place), field
        if isinstance(field.field_type, StructType):
            yield from _reached(field.field_type.fields, (*above, place))


def _find(
    held: Mapping[int, tuple[_Path, NestedField]], wanted: NestedField
) -> tuple[_Path, NestedField]:
    found = held.get(wanted.field_id)
    if found is None:
        raise UnsupportedError(
            f"the field `{wanted.name}` is part of a list or a map",
            hint="ask for the whole column",
        )
    return found


def _follow(column: Array, path: _Path) -> Array:
    found: Array = _compute.struct_field(column, list(path)) if path else column
    return found

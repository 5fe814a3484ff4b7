"""The fields that an equality delete compares, found in the table's whole past.

A field may have been dropped or renamed since, and its type may have grown after the delete or the
data was written. So each is taken in the newest type it ever had, in which all its values compare as
they did in the older ones; a field within structs brings just the structs around it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyiceberg.schema import Schema
from pyiceberg.types import NestedField, StructType

from lakeport.catalog.iceberg.parts import Source


def compared_fields(
    source: Source, field_ids: Sequence[int]
) -> tuple[Schema, tuple[NestedField, ...]] | None:
    """A schema with these fields and the structs around them; None if one was never in the table."""
    columns: dict[int, NestedField] = {}
    fields = []
    for field_id in field_ids:
        path = _newest_path(source, field_id)
        if path is None:
            return None
        fields.append(_optional(path[-1]))
        _graft(columns, path)
    return Schema(*columns.values()), tuple(fields)


def _newest_path(source: Source, field_id: int) -> tuple[NestedField, ...] | None:
    newest_first = sorted(source.metadata.schemas, key=lambda schema: -schema.schema_id)
    for schema in newest_first:
        path = _path(schema.fields, field_id)
        if path is not None:
            return path
    return None


def _path(fields: Sequence[NestedField], field_id: int) -> tuple[NestedField, ...] | None:
    for field in fields:
        if field.field_id == field_id:
            return (field,)
        if isinstance(field.field_type, StructType):
            below = _path(field.field_type.fields, field_id)
            if below is not None:
                return (field, *below)
    return None


def _graft(fields: dict[int, NestedField], path: Sequence[NestedField]) -> None:
    """Adds a path, keeping of each struct on it only what was asked for."""
    field, below = path[0], path[1:]
    if below:
        inner: dict[int, NestedField] = {}
        held = fields.get(field.field_id)
        if held is not None and isinstance(held.field_type, StructType):
            inner = {child.field_id: child for child in held.field_type.fields}
        _graft(inner, below)
        field = field.model_copy(update={"field_type": StructType(*inner.values())})
    fields[field.field_id] = _optional(field)


def _optional(field: NestedField) -> NestedField:
    """Older files may lack what is required now."""
    return field.model_copy(update={"required": False})

"""Columns of an Iceberg table as users see them, and their rows in both forms.

Field ids say what a column is in files, Arrow names what users call it; the two differ where another
engine gave two columns names that only differ in case.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyiceberg.schema import Schema
from pyiceberg.types import NestedField

from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.iceberg.types.codec import Codec, MisfitError
from lakeport.catalog.iceberg.types.fitting import (
    Annotations,
    codec_for,
    column_names,
    logical_field,
)
from lakeport.core.errors import CorruptDataError, InvalidRequestError
from lakeport.core.names import quoted


@dataclass(frozen=True, slots=True)
class Column:
    """`arrow` is the logical field; `field` is Iceberg's."""

    field: NestedField
    arrow: Field
    codec: Codec

    @property
    def stored(self) -> pa.DataType:
        return self.codec.stored


def columns_for(schema: Schema, annotations: Annotations) -> tuple[Column, ...]:
    """Every column of a schema, in order."""
    names = column_names([field.name for field in schema.fields])
    return tuple(
        _column(field, annotations, name) for field, name in zip(schema.fields, names, strict=True)
    )


def column_for(field: NestedField, annotations: Annotations) -> Column:
    """One field, which may be inside another."""
    return _column(field, annotations, field.name)


def to_logical(array: Array, column: Column) -> Array:
    """What users see of stored values; the same object where that is what is stored."""
    try:
        return column.codec.decoded(array)
    except (MisfitError, pa.ArrowInvalid) as error:
        raise CorruptDataError(
            f"column {quoted(column.arrow.name)} holds a value that is no {column.arrow.type}:"
            f" {_reason(error)}",
            hint="another program wrote it; give the column a wider type",
        ) from error


def from_logical(array: Array, column: Column) -> Array:
    """What to store of values that have exactly the column's type."""
    try:
        return column.codec.encoded(array)
    except (MisfitError, pa.ArrowInvalid) as error:
        raise InvalidRequestError(
            f"column {quoted(column.arrow.name)} cannot store a value: {_reason(error)}",
            hint="give the column a wider type",
        ) from error


def _column(field: NestedField, annotations: Annotations, name: str) -> Column:
    codec = codec_for(field, annotations)
    return Column(field, logical_field(field, codec, name), codec)


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0]

"""Carrying staged values over a change of the table that another statement made in the meantime.

Columns are followed by field id: a renamed one is found, one that was dropped and added again under the
same name is not the same. A schema id says too little: types, DEFAULTs and constraints of ours are
properties, which change without it.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lakeport.catalog.definition import Definition
from lakeport.catalog.iceberg.definition import columns_of, definition_of
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.types import Column
from lakeport.core.errors import ConflictError
from lakeport.core.names import quoted


def fits_still(columns: Sequence[Column], definition: Definition, source: Source) -> bool:
    """Whether rows that were checked against these columns and this definition may go in as they are."""
    schema = source.metadata.schema()
    now = definition_of(source, schema)
    if now is definition:
        return True
    return (
        now.schema.equals(definition.schema, check_metadata=True)
        and now.constraints == definition.constraints
        and [column.field.field_id for column in columns_of(source, schema)]
        == [column.field.field_id for column in columns]
    )


def follow(values: pa.RecordBatch, since: Sequence[Column], source: Source) -> pa.RecordBatch:
    """The same values under today's names; `ConflictError` when a column is gone or retyped.

    `since` are the columns that the values, some of them, were called by.
    """
    ids = {column.arrow.name: column.field.field_id for column in since}
    now = {column.field.field_id: column for column in columns_of(source, source.metadata.schema())}
    names = []
    for field in values.schema:
        column = now.get(ids[field.name])
        if column is None or not column.arrow.type.equals(field.type, check_metadata=True):
            raise altered(source)
        names.append(column.arrow.name)
    return values.rename_columns(names)


def altered(source: Source) -> ConflictError:
    return ConflictError(
        f"table {quoted(str(source.name))} was altered while the statement ran",
        hint="run the statement again",
    )

"""What a table is, read from its Iceberg metadata: columns, constraints, comment, layout.

Properties of ours are not shown as the user's, nor are the ones we set for every new table. Columns and
definition are worked out once per schema and set of properties, since clients ask for them all the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from pyiceberg.conversions import to_json
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.types import BinaryType, FixedType, NestedField, PrimitiveType

from lakeport.catalog.arrow import Field
from lakeport.catalog.definition import Definition, with_default
from lakeport.catalog.evolution.rules import CONSTRAINTS
from lakeport.catalog.iceberg.layout import partition_terms, sort_terms
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.rules import (
    DEFAULTS,
    read_constraints,
    read_defaults,
)
from lakeport.catalog.iceberg.travel import Moment
from lakeport.catalog.iceberg.types import (
    PAST,
    TYPES,
    Column,
    columns_for,
    read_annotations,
    types_at,
)

__all__ = [
    "COMMENT",
    "OWN",
    "USUAL",
    "Column",
    "Described",
    "as_of",
    "columns_of",
    "definition_of",
    "described",
]

OWN = "lakeport."
"""Properties that start with this are Lakeport's."""

COMMENT = "comment"
"""Where Spark and Trino keep a table's comment."""

USUAL: Mapping[str, str] = {
    "write.parquet.compression-codec": "zstd",
    "write.parquet.row-group-limit": "122880",
    "write.metadata.delete-after-commit.enabled": "true",
}
"""What every table of ours starts with.

Each metadata file lists all snapshots, so those of a thousand small commits would take more room than
the rows. The last hundred stay; time travel needs none of them.
"""

_BYTES_PER_COLUMN = 700  # measured: 550 with short names


@dataclass(frozen=True, slots=True)
class Described:
    columns: tuple[Column, ...]
    definition: Definition

    @property
    def nbytes(self) -> int:
        return _BYTES_PER_COLUMN * (len(self.columns) + 1)


def columns_of(source: Source, schema: Schema) -> tuple[Column, ...]:
    """The columns of one of the table's schemas."""
    return _described(source, schema).columns


def definition_of(source: Source, schema: Schema) -> Definition:
    return _described(source, schema).definition


def as_of(source: Source, moment: Moment) -> Source:
    """The source in which columns are what they were at that moment, not what they became."""
    properties = source.metadata.properties
    if moment.version is None or PAST not in properties:
        return source
    types = types_at(properties.get(TYPES), properties[PAST], moment.version)
    if types == properties.get(TYPES):
        return source
    then = {**properties, TYPES: types or "{}"}
    return replace(source, metadata=source.metadata.model_copy(update={"properties": then}))


def _described(source: Source, schema: Schema) -> Described:
    metadata = source.metadata
    # Schemas never change under their id; properties can, and layouts are chosen by id.
    key = (
        metadata.table_uuid,
        schema.schema_id,
        metadata.default_spec_id,
        metadata.default_sort_order_id,
        tuple(sorted(metadata.properties.items())),
    )
    return source.caches.described.get(key, lambda: described(metadata, schema))


def described(metadata: TableMetadata, schema: Schema) -> Described:
    properties = metadata.properties
    columns = columns_for(schema, read_annotations(properties.get(TYPES)))
    defaults = read_defaults(properties.get(DEFAULTS))
    definition = Definition(
        pa.schema([_with_default(column, defaults) for column in columns]),
        read_constraints(
            properties.get(CONSTRAINTS),
            columns,
            is_current=schema.schema_id == metadata.current_schema_id,
        ),
        properties.get(COMMENT),
        partition_terms(metadata.spec(), columns),
        sort_terms(_sort_order(metadata), columns),
        _shown(properties),
    )
    return Described(columns, definition)


def _sort_order(metadata: TableMetadata) -> Any:
    found = metadata.sort_order_by_id(metadata.default_sort_order_id)
    return UNSORTED_SORT_ORDER if found is None else found


def _shown(properties: Mapping[str, str]) -> dict[str, str]:
    return {
        key: value
        for key, value in properties.items()
        if not key.startswith(OWN) and key != COMMENT and USUAL.get(key) != value
    }


def _with_default(column: Column, defaults: Mapping[int, str]) -> Field:
    ours = defaults.get(column.field.field_id)
    if ours is None and column.field.write_default is None:
        return column.arrow
    return with_default(column.arrow, ours if ours is not None else _constant(column.field))


def _constant(field: NestedField) -> str:
    """A default of format 3 as SQL: what its JSON form says, which is readable for every type."""
    kind = field.field_type
    if not isinstance(kind, PrimitiveType):
        return "NULL"  # the specification allows no other default for it
    value = to_json(kind, field.write_default)
    if isinstance(kind, BinaryType | FixedType):
        digits = str(value)
        pairs = (digits[at : at + 2] for at in range(0, len(digits), 2))
        return "'" + "".join(f"\\x{pair.upper()}" for pair in pairs) + "'::BLOB"
    match value:
        case bool():
            return str(value).upper()
        case int() | float():
            return str(value)
        case str():
            return "'" + value.replace("'", "''") + "'"
    return "NULL"

"""Logical types: every Arrow type on Iceberg's few, and back exactly.

`describe` says how new columns are stored, `columns_for` what the columns of a table are, `to_logical`
and `from_logical` turn rows. The words that keep what Iceberg's types cannot say are `property.TYPES`.
"""

from __future__ import annotations

from lakeport.catalog.iceberg.types.bounds import logical_bounds, prunable
from lakeport.catalog.iceberg.types.columns import (
    Column,
    column_for,
    columns_for,
    from_logical,
    to_logical,
)
from lakeport.catalog.iceberg.types.describe import Description, describe
from lakeport.catalog.iceberg.types.property import (
    PAST,
    TYPES,
    read_annotations,
    remember_types,
    types_at,
    write_annotations,
)
from lakeport.catalog.iceberg.types.stored import stored_field, stored_type

__all__ = [
    "PAST",
    "TYPES",
    "Column",
    "Description",
    "column_for",
    "columns_for",
    "describe",
    "from_logical",
    "logical_bounds",
    "prunable",
    "read_annotations",
    "remember_types",
    "stored_field",
    "stored_type",
    "to_logical",
    "types_at",
    "write_annotations",
]

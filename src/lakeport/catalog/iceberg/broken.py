"""Constraints that nobody can keep any more, because another engine changed what they are about.

Whatever is written through us is refused while there is one; this says which, and why.
"""

from __future__ import annotations

from pyiceberg.table.metadata import TableMetadata

from lakeport.catalog.definition import Check, Constraint, Definition, PrimaryKey, require_column
from lakeport.catalog.evolution.define import checked_condition
from lakeport.catalog.iceberg.definition import described
from lakeport.catalog.rows.keys import check_key_type
from lakeport.core.errors import LakeportError
from lakeport.core.names import quoted


def broken_rules(metadata: TableMetadata) -> list[tuple[Constraint, str]]:
    """Each constraint of the table that cannot be checked today, with the reason."""
    definition = described(metadata, metadata.schema()).definition
    reasons = ((rule, _why_broken(rule, definition)) for rule in definition.constraints)
    return [(rule, reason) for rule, reason in reasons if reason is not None]


def _why_broken(rule: Constraint, definition: Definition) -> str | None:
    schema = definition.schema
    try:
        if isinstance(rule, Check):
            checked_condition(rule.expression, schema)
            return None
        for name in rule.columns:
            column = schema.field(require_column(schema, name))
            check_key_type(column)
            if isinstance(rule, PrimaryKey) and column.nullable:
                return f"column {quoted(column.name)} is no longer NOT NULL"
    except LakeportError as error:
        return error.message
    return None

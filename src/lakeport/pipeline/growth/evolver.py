"""The contract's evolver: names and types in, columns added, True out. It never drops.

What applies the additions is a port, so that this stays free of any catalog's library. A name that the
table has already is no addition; it is refused only if the column there cannot hold the type asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Protocol

from lakeport.catalog.changes import Growth
from lakeport.core.errors import InvalidRequestError, UnsupportedError
from lakeport.core.names import NameMap, TableName, quoted
from lakeport.pipeline.growth.changes import changes
from lakeport.pipeline.growth.model import Field, Schema
from lakeport.pipeline.growth.plan import Plan, dotted
from lakeport.pipeline.growth.planner import plan_growth
from lakeport.pipeline.growth.policy import Policy
from lakeport.pipeline.growth.spark_words import type_from_text

_log = logging.getLogger(__name__)


class GrowingTables(Protocol):
    """What holds the tables. Its `grow` has no way to be asked for less than there is."""

    def columns(self, table: TableName) -> Schema:
        """The table's columns as they are now, from the catalog itself."""
        ...

    def grow(self, table: TableName, additions: Sequence[Growth]) -> None:
        """All of them in one commit, or none and an error."""
        ...


def evolve_schema(
    relation: TableName,
    add_columns: Sequence[Mapping[str, str]] | None = None,
    drop_columns: Sequence[str] | None = None,
    *,
    through: GrowingTables,
) -> bool:
    """Add columns given as `{"name": …, "type": …}`; a failure is raised before any row is written.

    A non-empty `drop_columns` is refused: a column that left a model may still be read by others, so
    it stays and new rows are NULL in it.
    """
    if drop_columns:
        raise UnsupportedError(
            f"columns of {quoted(str(relation))} are never dropped by a run:"
            f" {', '.join(quoted(name) for name in drop_columns)} would lose the rows' values",
            hint="leave drop_columns empty: new rows get NULL there;"
            " a person with the ddl grant can drop a column with ALTER TABLE",
        )
    if not add_columns:
        return True
    additions = tuple(_field(column) for column in add_columns)
    plan = _planned(through.columns(relation), additions)
    plan.require(relation)
    log_unmapped(plan, relation)
    if plan.changes_schema:
        through.grow(relation, changes(plan))
    return True


def log_unmapped(plan: Plan, table: TableName) -> None:
    """The contract's warning: a type without a mapping becomes a string column."""
    for found in plan.unmapped:
        _log.warning(
            "growth.stored_as_string",
            extra={"table": str(table), "column": dotted(found.path), "type": found.text},
        )


def _planned(held: Schema, additions: Schema) -> Plan:
    # With the table's other columns beside the additions nothing is missing, so nothing is padded.
    named = NameMap((field.name, field) for field in additions)
    others = tuple(field for field in held if field.name not in named)
    return plan_growth(held, (*others, *additions), Policy(on_type_change="fail"))


def _field(column: Mapping[str, str]) -> Field:
    missing = {"name", "type"} - column.keys()
    if missing:
        raise InvalidRequestError(
            f"a column to add lacks its {' and its '.join(sorted(missing))}",
            hint='give {"name": …, "type": …}',
        )
    return Field(column["name"], type_from_text(column["type"]))

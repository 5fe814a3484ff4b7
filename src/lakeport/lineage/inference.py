"""Backward inference: what the use of a table says about its columns.

The names go to the registry for the rest of the workload. They never make a list complete, so a
star over them stays approximate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.identifier_clause import is_dynamic
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import dotted

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Relation


def _report_dynamic(binder: Binder, relation: Relation) -> None:
    """A name that a variable gives: a place for the table, and nothing to remember of it."""
    relation.metadata["placeholder"] = True
    relation.resolution = "unknown"
    binder.report(
        IssueCode.DYNAMIC_SQL,
        f"the table name `{relation.label}` is computed at run time",
        extent=relation.span,
        relation=relation,
        hint="render the variable before the analysis",
    )


def learn(binder: Binder) -> None:
    """Store the columns this statement used of tables nobody defined."""
    registry = binder.registry
    for relation in binder.relations:
        if is_dynamic(relation.label):
            _report_dynamic(binder, relation)
            continue
        external = "external" in relation.metadata or "metadataTable" in relation.metadata
        if (
            relation.local_kind is not None
            or relation.kind == "output"
            or relation.complete
            or external
        ):
            continue
        if relation.entry is not None and relation.entry.origin == "imported":
            continue
        columns = [
            (column.name, column.key)
            for column in relation.columns
            # The name that an engine gives to what has none says nothing about the table.
            if column.inferred
            and not column.generated
            and column.key not in binder.dialect.pseudo_columns
        ]
        known = registry.implied.get(relation.name)
        if not columns or (known is None and relation.name in registry.imported):
            continue
        # Said once of a table, whatever later statements add to what is known of it.
        first = known is None or not (known.deduced or {key for _, key in columns} <= known.keys())
        shown = (*relation.name[:-1], relation.label)
        registry.infer(relation.name, columns, shown)
        if first and registry.allow_implied:
            names = ", ".join(name for name, _ in columns[:12])
            binder.report(
                IssueCode.INFERRED_SCHEMA,
                f"columns of `{dotted(relation.name)}` are deduced from their use: {names}",
                relation=relation,
                hint="add the table to schema.tables to make them certain",
            )

"""Queries as relations of a FROM clause, and columns renamed by the list behind an alias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.engine_names import tell_apart
from lakeport.lineage.bind.scope import Column, Ref, Relation, Scope, Source, copied
from lakeport.lineage.issues import IssueCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakeport.lineage.bind.binder import Binder


def renamed_copy(binder: Binder, relation: Relation, names: list[exp.Expr], label: str) -> Relation:
    """A relation under an alias with a column list: renamed by position."""
    renamed = binder.derived(label, local_kind="derived")
    for position, column in enumerate(relation.known()):
        made = copied(column)
        if position < len(names):
            made.name, made.key = names[position].name, binder.key(names[position])
            made.span = binder.span(names[position])
        renamed.add(made)
    if not relation.complete:
        for identifier in names[len(renamed.columns) :]:
            # By position into an unknown list: which column it is nobody can say.
            made = Column(identifier.name, binder.key(identifier))
            made.refs = [Ref(relation, approximate=True)]
            made.approximate = True
            renamed.add(made)
        renamed.complete = True
    return renamed


def add_derived(
    binder: Binder,
    query: exp.Expr,
    alias: exp.Expr | None,
    scope: Scope,
    parent: Scope | None,
) -> None:
    identifier = alias.this if alias is not None else None
    relation = binder.derived(
        identifier.name if identifier is not None else None, local_kind="derived"
    )
    if identifier is not None:
        relation.span = binder.span(identifier)
    ctes = scope.ctes
    if isinstance(query, exp.Subquery):
        # The parentheses' own clauses (PIVOT, joins) belong to the FROM item, not to the query.
        ctes, query = binder.ctes(query, parent, ctes), query.this
    output = binder.query(query, parent, ctes)
    relation.receive(output)
    if relation.duplicates and binder.dialect.name == "duckdb":
        tell_apart(relation)
    if identifier is None and "|>" in binder.text:
        relation.carried = _handed_on(binder, query, output.inputs)
    rename_columns(binder, relation, alias.args.get("columns") if alias is not None else None)
    key = binder.key(identifier) if isinstance(identifier, exp.Identifier) else relation.label
    scope.sources.append(Source(key, relation))


def _handed_on(binder: Binder, query: exp.Expr, inputs: list[Relation]) -> dict[str, Relation]:
    """The names that a pipe of joined relations leaves to the next: all, where it shows all."""
    items = query.expressions if isinstance(query, exp.Select) else []
    origin = query.args.get("from_")
    if not items or not isinstance(items[0], exp.Star) or origin is None:
        return {}
    nodes = [origin.this, *(join.this for join in query.args.get("joins") or ())]
    if len(nodes) != len(inputs):
        return {}
    found: dict[str, Relation] = {}
    for node, relation in zip(nodes, inputs, strict=True):
        found.update(relation.carried)
        if name := node.alias_or_name:
            found[binder.folding.column(name)] = relation
    return found


def rename_columns(binder: Binder, relation: Relation, names: Sequence[exp.Expr] | None) -> None:
    """A column alias list: by position, exact up to the first open tail."""
    if not names:
        return
    if relation.tails and len(relation.columns) < len(names):
        for identifier in names[len(relation.columns) :]:
            made = Column(identifier.name, binder.key(identifier))
            made.refs = [Ref(tail.relation, approximate=True) for tail in relation.tails]
            made.approximate = True
            relation.columns.append(made)
            made.relation = relation
        relation.tails, relation.complete = (), True
    elif relation.complete and len(names) > len(relation.columns) and relation.columns:
        binder.report(
            IssueCode.COLUMN_COUNT_MISMATCH,
            f"`{relation.label}` lists {len(names)} column names for {len(relation.columns)} columns",
            at=names[-1],
            relation=relation,
        )
    for column, identifier in zip(relation.columns, names, strict=False):
        target = identifier.this if isinstance(identifier, exp.ColumnDef) else identifier
        column.name, column.key = target.name, binder.key(target)
        column.span, column.generated = binder.span(target), False
    columns, relation.columns, relation.index, relation.duplicates = relation.columns, [], {}, set()
    for column in columns:
        relation.add(column)

"""Tables that are changed through queries: T-SQL's `WITH d AS (SELECT … FROM t) DELETE FROM d`, and Oracle's
`UPDATE (SELECT t.a, s.b FROM t JOIN s ON …) SET a = b`.

What the statement names is what it reads; what it writes is the table behind it, and of that the
columns that are copied unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Column, Relation, Scope
from lakeport.lineage.statements.targets import target_column

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def changed_query(binder: Binder, table: exp.Expr, scope: Scope) -> Relation | None:
    """The query that a target is, or the CTE that its name means; elsewhere it means the stored table."""
    if isinstance(table, exp.Subquery):
        return binder.source(table, scope)[0]
    if binder.dialect.parser not in {"tsql", "fabric"} or not scope.ctes:
        return None
    if not isinstance(table.this, exp.Identifier) or table.args.get("db") is not None:
        return None
    if binder.key(table.this) not in scope.ctes:
        return None
    return binder.source(table, scope)[0]


def table_behind(relation: Relation) -> Relation:
    """The table whose rows change; several in a join are told apart by the columns alone."""
    seen = [relation]
    while relation.local_kind is not None:
        inner = next((i for i in relation.inputs if not any(i is s for s in seen)), None)
        if inner is None:
            return relation
        seen.append(inner)
        relation = inner
    return relation


def changed_column(binder: Binder, relation: Relation, identifier: exp.Expr) -> Column:
    """The column of a stored table that an assignment to a column of the relation changes."""
    if relation.local_kind is None:
        return target_column(binder, relation, identifier)
    key = binder.key(identifier)
    column = relation.find(key)
    if column is None and not relation.complete:
        column = binder.inferred(relation, identifier.name, key)
    behind = _copied(column) if column is not None else None
    return behind or target_column(binder, table_behind(relation), identifier)


def _copied(column: Column) -> Column | None:
    while column.relation is not None and column.relation.local_kind is not None:
        origin = column.refs[0].origin if column.identity and len(column.refs) == 1 else None
        if not isinstance(origin, Column):
            return None
        column = origin
    return column

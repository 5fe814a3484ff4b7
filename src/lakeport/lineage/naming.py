"""How each engine calls an output column that has no alias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Column
from lakeport.lineage.spark_names import spark_name

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Item, Scope


def output_name(
    binder: Binder,
    node: exp.Expr,
    scope: Scope,
    tokens: list[Token] | None,
    items: list[Item],
) -> str:
    """The name of an unaliased expression; `items` are the select items before it."""
    naming = binder.dialect.naming
    if naming == "spark":
        return _spark_name(binder, node, scope, tokens)
    if naming == "postgres":
        return _postgres_name(node)
    if naming == "bigquery":
        unnamed = sum(1 for item in items if isinstance(item, Column) and item.generated)
        return f"f{unnamed}_"
    if naming == "duckdb":
        return binder.slice(tokens) if tokens else binder.sql(node)
    return f"_col_{len(items)}"


def _spark_name(binder: Binder, node: exp.Expr, scope: Scope, tokens: list[Token] | None) -> str:
    def is_relation(name: str) -> bool:
        key = binder.folding.column(name)
        return any(
            source.alias == key or source.relation.name[0] == key for source in scope.sources
        )

    def window(name: str) -> list[Token]:
        return binder.fragments.window(select, name) if isinstance(select, exp.Select) else []

    select = node.find_ancestor(exp.Select)

    def star(name: str) -> str:
        key = binder.folding.column(name)
        chosen = [source.relation for source in scope.sources if not name or source.alias == key]
        return ", ".join(
            column.name for relation in chosen for column in binder.column_names(relation)
        )

    outer = iter([binder.outer_names.get(id(_inner(query)), []) for query in _subqueries(node)])
    printed = spark_name(tokens, is_relation, outer, window, star) if tokens else None
    return printed if printed is not None else binder.sql(node)


def _subqueries(node: exp.Expr) -> list[exp.Expr]:
    """The outermost subqueries of an expression, in document order."""
    found: list[exp.Expr] = []
    for child in node.walk(bfs=False, prune=lambda n: isinstance(n, exp.Query)):
        if isinstance(child, exp.Query):
            found.append(child)
    return found


def _inner(query: exp.Expr) -> exp.Expr:
    while isinstance(query, exp.Subquery):
        query = query.this
    return query


def _postgres_name(node: exp.Expr) -> str:
    """The function's name, the cast's inner name, `case`, or `?column?`."""
    current = node
    while isinstance(current, exp.Paren | exp.Cast | exp.Window | exp.Filter | exp.WithinGroup):
        if isinstance(current, exp.Cast) and not isinstance(
            current.this, exp.Column | exp.Func | exp.Paren
        ):
            return str(current.to.sql("postgres")).lower()
        current = current.this
    if isinstance(current, exp.Column):
        return str(current.name)
    if isinstance(current, exp.Case):
        return "case"
    if isinstance(current, exp.Exists):
        return "exists"
    if isinstance(current, exp.Subquery):
        selected = current.this.expressions if isinstance(current.this, exp.Select) else []
        if len(selected) == 1:
            return selected[0].alias_or_name or _postgres_name(selected[0])
    if isinstance(current, exp.Anonymous):
        return str(current.name).lower()
    if isinstance(current, exp.Func) and not isinstance(current, exp.Connector | exp.Binary):
        return current.sql_name().lower()
    return "?column?"

"""How each engine calls an output column that has no alias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Column
from lakeport.lineage.spark_names import spark_name

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Item, Scope


def output_name(
    binder: Binder, node: exp.Expr, scope: Scope, text: str | None, items: list[Item]
) -> str:
    """The name of an unaliased expression; `items` are the select items before it."""
    naming = binder.dialect.naming
    if naming == "spark":
        return spark_name(binder, node, scope)
    if naming == "postgres":
        return _postgres_name(node)
    if naming == "bigquery":
        unnamed = sum(1 for item in items if isinstance(item, Column) and item.generated)
        return f"f{unnamed}_"
    if naming == "duckdb":
        return text if text is not None else binder.sql(node)
    return f"_col_{len(items)}"


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

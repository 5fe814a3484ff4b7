"""RETURNING and OUTPUT: a data change that yields rows has an output like a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Output, Relation, Scope, Source

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def bind_returning(
    binder: Binder,
    node: exp.Expr,
    target: Relation,
    ctes: dict[str, Relation],
    sources: list[Source],
) -> Output:
    """The rows a data change returns; nothing without RETURNING."""
    clause = node.args.get("returning")
    if not isinstance(clause, exp.Expr) or not clause.expressions:
        return Output([], [], [])
    scope = Scope(None, ctes)
    label = _called(binder, node, target)
    scope.sources = [Source(label, target)]
    if not binder.dialect.returns_target:
        scope.sources += sources
    aliases = {"inserted", "deleted", "new", "old"}
    # T-SQL's INSERTED and DELETED are two states of the target's rows.
    hidden = [Source(alias, target, visible=False) for alias in sorted(aliases - {label})]
    scope.sources += hidden
    return binder.select(exp.Select(expressions=clause.expressions), scope)


def _called(binder: Binder, node: exp.Expr, target: Relation) -> str:
    """The target's alias, if it has one: that hides its name."""
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    alias = table.args.get("alias") if isinstance(table, exp.Table) else None
    identifier = alias.this if isinstance(alias, exp.TableAlias) else None
    if isinstance(identifier, exp.Identifier):
        return binder.key(identifier)
    return binder.folding.column(target.label)

"""What HAVING and ORDER BY may name once rows are grouped, where Spark is the engine.

Behind a grouping only its keys, the outputs and aggregates are left. Spark calls every other column
unresolved; engines that answer with "must be grouped" instead are not judged here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from lakeport.lineage.bind.scope import Column
from lakeport.lineage.issues import IssueCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Item, Scope

_COMMUTATIVE = (exp.Add, exp.Mul, exp.And, exp.Or, exp.EQ)
_SORTS = ("order", "sort", "cluster", "distribute")


class _Left(NamedTuple):
    """What is left of a grouped row: columns with their paths, and whole expressions."""

    columns: set[tuple[int, str | None]]
    expressions: set[str]
    # What those expressions are, so that only their like is written out to be compared.
    classes: set[type]


def check_grouped(binder: Binder, node: exp.Select, scope: Scope, items: list[Item]) -> None:
    """Report columns of the sources that the grouping took away."""
    having = node.args.get("having")
    later = [having.this] if having is not None else []
    for name in _SORTS:
        clause = node.args.get(name)
        later += clause.expressions if clause is not None else []
    if not later or binder.dialect.naming != "spark":
        return
    if having is None and node.args.get("group") is None and not _aggregates(node):
        return
    left = _left(binder, node, items)
    for expression in later:
        for column in _taken_away(binder, expression, scope, left):
            binder.report(
                IssueCode.UNKNOWN_COLUMN,
                f"column `{column.name}` is neither grouped nor aggregated, so it is gone here",
                at=column.this,
                column=column.name,
                hint="add it to GROUP BY, or aggregate it",
            )


def _aggregates(node: exp.Select) -> bool:
    return any(
        isinstance(part, exp.AggFunc) for item in node.expressions for part in _own_parts(item)
    )


def _own_parts(root: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes of an expression but for subqueries; of windows the keys, not the function."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Query):
            continue
        yield node
        children = list(node.iter_expressions())
        if isinstance(node, exp.Window):
            function = node.this
            children.remove(function)
            while isinstance(function, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
                function = function.this
            children += function.iter_expressions()
        stack += children


def _left(binder: Binder, node: exp.Select, items: list[Item]) -> _Left:
    left = _Left(set(), set(), set())
    group = node.args.get("group")
    keys = list(group.expressions) if group is not None else []
    for name in ("grouping_sets", "cube", "rollup"):
        keys += (group.args.get(name) or []) if group is not None else []
    while keys:
        key = keys.pop()
        if isinstance(key, exp.Tuple | exp.Paren | exp.Cube | exp.Rollup | exp.GroupingSets):
            keys += key.iter_expressions()
        _keep(binder, key, left)
    for item in items:
        if isinstance(item, Column):
            if item.expression is not None:
                _keep(binder, item.expression, left)
            if item.identity:
                left.columns.update((id(ref.origin), ref.path) for ref in item.refs)
    return left


def _keep(binder: Binder, key: exp.Expr, left: _Left) -> None:
    ref = binder.bound.get(id(key))
    if ref is not None:
        left.columns.add((id(ref.origin), ref.path))
    if key.__class__ is not exp.Column:
        left.expressions.add(_text(key))
        left.classes.add(key.__class__)


def _text(node: exp.Expr) -> str:
    """Equal texts are equal keys; the order of a sum's terms does not matter."""
    if isinstance(node, _COMMUTATIVE):
        first, second = sorted((_text(node.this), _text(node.expression)))
        return f"{type(node).__name__}({first}, {second})"
    return node.sql(comments=False).lower()


def _taken_away(binder: Binder, root: exp.Expr, scope: Scope, left: _Left) -> Iterator[exp.Column]:
    """The columns of the sources in an expression, outside aggregates, that are not left."""
    sources = {id(source.relation) for source in scope.sources}
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.AggFunc | exp.Query | exp.Anonymous | exp.Lambda):
            # A function we do not know may aggregate.
            continue
        if node.__class__ is not exp.Column:
            if node.__class__ not in left.classes or _text(node) not in left.expressions:
                stack += node.iter_expressions()
            continue
        ref = binder.bound.get(id(node))
        origin = ref.origin if ref is not None else None
        if ref is None or not isinstance(origin, Column) or id(origin.relation) not in sources:
            continue
        outer = node.args.get("db") or node.args.get("table") or node.this
        named = binder.key(outer) in scope.projection or binder.key(outer) in scope.aliases
        kept = {(id(origin), ref.path), (id(origin), None)} & left.columns
        if not (origin.inferred or named or kept):
            yield node

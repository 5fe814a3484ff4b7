"""What HAVING and ORDER BY may name once rows are grouped, where Spark is the engine.

Behind a grouping only its keys, the outputs and aggregates are left. Spark calls every other column
unresolved; engines that answer with "must be grouped" instead are not judged here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp

from lakeport.lineage.bind.scope import Column
from lakeport.lineage.issues import IssueCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Item, Scope

_COMMUTATIVE = (exp.Add, exp.Mul, exp.And, exp.Or, exp.EQ)
_SORTS = ("order", "sort", "cluster", "distribute")


_Place: TypeAlias = "tuple[int, str | None]"


def check_grouped(binder: Binder, node: exp.Select, scope: Scope, items: list[Item]) -> None:
    """Report columns of the sources that the grouping took away."""
    having = node.args.get("having")
    later = [having.this] if having is not None else []
    for name in _SORTS:
        clause = node.args.get(name)
        if clause is not None:
            later += clause.expressions
    if not later or binder.dialect.naming != "spark":
        return
    if having is None and node.args.get("group") is None and not _aggregates(node):
        return
    keys = _keys(node)
    left = _columns_left(binder, keys, items)
    # Writing expressions out to compare them costs; most queries sort by what they show.
    if not any(_taken_away(binder, expression, scope, left, {}) for expression in later):
        return
    shown = [item.expression for item in items if isinstance(item, Column) and item.expression]
    texts: dict[type, set[str]] = {}
    for key in (*keys, *shown):
        if key.__class__ is not exp.Column:
            texts.setdefault(key.__class__, set()).add(_text(key))
    for expression in later:
        for column in _taken_away(binder, expression, scope, left, texts):
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


def _keys(node: exp.Select) -> list[exp.Expr]:
    """Every expression rows are grouped by, those of grouping sets one by one."""
    group = node.args.get("group")
    pending = list(group.expressions) if group is not None else []
    for name in ("grouping_sets", "cube", "rollup"):
        pending += (group.args.get(name) or []) if group is not None else []
    found: list[exp.Expr] = []
    while pending:
        key = pending.pop()
        if isinstance(key, exp.Tuple | exp.Paren | exp.Cube | exp.Rollup | exp.GroupingSets):
            pending += key.iter_expressions()
        found.append(key)
    return found


def _columns_left(binder: Binder, keys: list[exp.Expr], items: list[Item]) -> set[_Place]:
    left: set[_Place] = set()
    for key in keys:
        ref = binder.bound.get(id(key))
        if ref is not None:
            left.add((id(ref.origin), ref.path))
    for item in items:
        if isinstance(item, Column) and item.identity:
            left.update((id(ref.origin), ref.path) for ref in item.refs)
    return left


def _text(node: exp.Expr) -> str:
    """Equal texts are equal keys; the order of a sum's terms does not matter."""
    if isinstance(node, _COMMUTATIVE):
        first, second = sorted((_text(node.this), _text(node.expression)))
        return f"{type(node).__name__}({first}, {second})"
    return node.sql(comments=False).lower()


def _taken_away(
    binder: Binder, root: exp.Expr, scope: Scope, left: set[_Place], texts: dict[type, set[str]]
) -> list[exp.Expr]:
    """The columns of the sources in an expression, outside aggregates, that are not left."""
    found: list[exp.Expr] = []
    sources = {id(source.relation) for source in scope.sources}
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.AggFunc | exp.Query | exp.Anonymous | exp.Lambda):
            # A function we do not know may aggregate.
            continue
        if node.__class__ is not exp.Column:
            alike = texts.get(node.__class__)
            if alike is None or _text(node) not in alike:
                stack += node.iter_expressions()
            continue
        ref = binder.bound.get(id(node))
        origin = ref.origin if ref is not None else None
        if ref is None or not isinstance(origin, Column) or id(origin.relation) not in sources:
            continue
        outer = binder.key(node.args.get("db") or node.args.get("table") or node.this)
        named = outer in scope.projection or outer in scope.aliases
        kept = (id(origin), ref.path) in left or (id(origin), None) in left
        if not (origin.inferred or named or kept):
            found.append(node)
    return found

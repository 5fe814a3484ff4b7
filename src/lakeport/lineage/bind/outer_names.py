"""The outer columns a subquery mentions, in the order of Spark's plan.

Spark's generated names show nothing else of a subquery: `scalarsubquery(a, b)`. Its plan is read
from the top: select list, HAVING, WHERE, then the sources with the last join first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Scope, Source

_CLAUSES = (
    "order",
    "sort",
    "qualify",
    "having",
    "group",
    "expressions",
    "where",
    "laterals",
    "with_",
)


def subqueries(node: exp.Expr) -> list[exp.Expr]:
    """The outermost subqueries of an expression, in document order."""
    nodes = node.walk(bfs=False, prune=lambda inner: isinstance(inner, exp.Query))
    return [child for child in nodes if isinstance(child, exp.Query)]


def outer_names(binder: Binder, query: exp.Expr, scope: Scope) -> list[str]:
    """The columns of `scope` that the subquery reads, as often as it reads them."""
    outside = {id(source.relation) for source in scope.sources}
    found: list[str] = []
    for column in _columns(query):
        if column.this.__class__ is exp.Star:
            found += _of_star(binder, column, scope)
            continue
        ref = binder.types.bound.get(id(column))
        origin = ref.origin if ref is not None else None
        if isinstance(origin, Column) and id(origin.relation) in outside:
            found.append(origin.name)
    return found


def _of_star(binder: Binder, star: exp.Expr, scope: Scope) -> list[str]:
    """`t.*` and `t.s.*`, if `t` is a relation of `scope` and none of the subquery's own."""
    names = [star.args.get(part) for part in ("catalog", "db", "table")]
    parts = [name for name in names if isinstance(name, exp.Identifier)]
    inner = star.find_ancestor(exp.Select)
    aliases = [source.alias_or_name for source in _sources(inner)] if inner is not None else []
    keys = [binder.key(part) for part in parts]
    if not keys or keys[0] in map(binder.folding.column, aliases):
        return []
    relation = scope.relation(keys[0])
    if relation is None:
        return []
    known = [column.name for column in binder.column_names(relation)]
    if len(parts) == 1:
        return known
    return [name for name in known if binder.folding.column(name) == keys[1]]


def _sources(select: exp.Expr) -> list[exp.Expr]:
    source = select.args.get("from_")
    joined = [join.this for join in select.args.get("joins") or []]
    return [source.this, *joined] if source is not None else joined


def outer_reference(binder: Binder, parts: list[str], scope: Scope) -> str | None:
    """How Spark prints a column of an outer query: `outer(spark_catalog.default.t.c)`.

    None if the name means something of its own query, or nothing at all.
    """
    level = scope.parent
    if level is None or _meant(binder, parts, scope) is not None:
        return None
    found = _meant(binder, parts, level)
    if found is None:
        return None
    source, rest = found
    relation = source.relation
    shown = [source.alias]
    stored = relation.kind in {"table", "view"} and "temporary" not in relation.metadata
    if stored and relation.name[-1] == source.alias:
        shown = binder.registry.namespaces.full_name(list(relation.name))
    return f"outer({'.'.join([*shown, rest[0]])}){''.join(f'.{part}' for part in rest[1:])}"


def _meant(binder: Binder, parts: list[str], scope: Scope) -> tuple[Source, list[str]] | None:
    """The source of a scope whose column a dotted name starts with, and the name without the source."""
    keys = [binder.folding.column(part) for part in parts]
    for source in scope.sources:
        qualified = len(parts) > 1 and source.alias == keys[0]
        key = keys[1] if qualified else keys[0]
        relation = source.relation
        known = relation.entry.find(key) if relation.entry is not None else relation.find(key)
        if known is not None:
            return source, parts[1:] if qualified else parts
    return None


def _columns(query: exp.Expr) -> Iterator[exp.Expr]:
    stack: list[exp.Expr] = [query]
    while stack:
        node = stack.pop()
        if node.__class__ is exp.Column:
            yield node
        stack += reversed(list(_parts(node)))


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    if not isinstance(node, exp.Select):
        yield from node.iter_expressions()
        return
    for name in _CLAUSES:
        value = node.args.get(name)
        if isinstance(value, list):
            yield from value
        elif isinstance(value, exp.Expr):
            yield value
    joins = node.args.get("joins") or []
    for join in reversed(joins):
        condition = join.args.get("on")
        if condition is not None:
            yield condition
    source = node.args.get("from_")
    if source is not None:
        yield source
    for join in joins:
        yield join.this

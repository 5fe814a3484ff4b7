"""Queries: SELECT, set operations, VALUES, bound once, bottom-up, into an `Output`.

What a query holds is bound by the modules beside this one; here is the order its clauses mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.clauses import bind_clauses, sorting
from lakeport.lineage.bind.ctes import bind_ctes
from lakeport.lineage.bind.descriptions import bind_description
from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.filters import bind_filter
from lakeport.lineage.bind.pivot_statements import bind_pivot
from lakeport.lineage.bind.projections import bind_projections
from lakeport.lineage.bind.scope import FILTER, Column, Item, Output, Ref, Relation, Scope, Tail
from lakeport.lineage.bind.setops import bind_set_operation
from lakeport.lineage.bind.sources import bind_sources
from lakeport.lineage.bind.stars import expand_star
from lakeport.lineage.bind.values import values_columns

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder

_WRAPPERS = (exp.Subquery, exp.Paren)
_BEFORE_THE_LIST = frozenset({"with_", "group", "windows"})
_SETS = (exp.Cube, exp.Rollup, exp.GroupingSets)
_TIME_WINDOWS = frozenset({"window", "session_window"})


def bind_query(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """The output of any query expression."""
    if node.__class__ is exp.Select:
        # As most are.
        return bind_select(binder, node, Scope(parent, bind_ctes(binder, node, parent, ctes)))
    while isinstance(node, _WRAPPERS):
        ctes = bind_ctes(binder, node, parent, ctes)
        if node.args.get("pivots") or node.args.get("joins"):
            return _bind_wrapped(binder, node, parent, ctes)
        if node.args.get("order") is not None and binder.wants_indirect:
            output = bind_query(binder, node.this, parent, ctes)
            return replace(output, indirect=output.indirect + sorting(binder, node, output.items))
        node = node.this
    if isinstance(node, exp.SetOperation):
        return bind_set_operation(binder, node, parent, ctes)
    ctes = bind_ctes(binder, node, parent, ctes)
    if isinstance(node, exp.Select):
        return bind_select(binder, node, Scope(parent, ctes))
    if isinstance(node, exp.Values):
        return _bind_values(binder, node, Scope(parent, ctes))
    return _bind_other(binder, node, parent, ctes)


def _bind_other(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """What some dialects take for a query."""
    if isinstance(node, exp.Table):
        scope = Scope(parent, ctes)
        binder.source(node, scope)
        return Output(
            expand_star(binder, exp.Star(), scope), [], [s.relation for s in scope.sources]
        )
    if isinstance(node, exp.Pivot):
        return bind_pivot(binder, node, parent, ctes)
    if isinstance(node, exp.Summarize | exp.Describe):
        return bind_description(binder, node, parent, ctes)
    if isinstance(node, exp.DML):
        return binder.data_change(node, parent, ctes)
    binder.unsupported(node, "this kind of query has no lineage rule")
    # Its columns are those that are used of it.
    unknown = binder.derived(None, local_kind="derived")
    unknown.complete = False
    return Output([Tail(unknown, told=False)], [], [unknown])


def _bind_values(binder: Binder, node: exp.Values, scope: Scope) -> Output:
    """VALUES as a query; Spark lets it carry an alias with column names."""
    alias = node.args.get("alias")
    names = alias.args.get("columns") if alias is not None else None
    items: list[Item] = []
    for position, column in enumerate(values_columns(binder, node, scope)):
        made = _value(binder, *column)
        made.identity = bool(made.refs) and _is_copied(node, position)
        if names and position < len(names):
            made.name, made.key, made.generated = (
                names[position].name,
                binder.key(names[position]),
                False,
            )
        items.append(made)
    return Output(items, [], [])


def _is_copied(node: exp.Values, position: int) -> bool:
    """A column of VALUES that holds nothing but names copies what they name: a loop's row, an outer one."""
    for row in node.expressions:
        cells = row.expressions if isinstance(row, exp.Tuple) else [row]
        if position < len(cells) and cells[position].__class__ is not exp.Column:
            return False
    return True


def _bind_wrapped(
    binder: Binder, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation]
) -> Output:
    """`(SELECT …) PIVOT …` used as a query."""
    scope = Scope(parent, ctes)
    binder.source(node, scope)
    return Output(expand_star(binder, exp.Star(), scope), [], [s.relation for s in scope.sources])


def _value(binder: Binder, name: str, refs: list[Ref], kind: object) -> Column:
    column = Column(name, binder.folding.column(name))
    column.refs = refs
    column.generated = True
    column.type, column.typed = kind, True  # type: ignore[assignment] # a SqlType or None
    return column


def bind_select(binder: Binder, node: exp.Select, scope: Scope) -> Output:
    """One SELECT, in the order its clauses mean."""
    bind_sources(binder, node, scope)
    args = node.args
    if not _BEFORE_THE_LIST.isdisjoint(args):
        _bind_early(binder, node, scope)
    late = binder.dialect.where_aliases
    if not late and "where" in args:
        _bind_where(binder, node, scope)
    if "connect" in args and (connect := args["connect"]) is not None:
        scope.indirect += [(ref, "FILTER") for ref in collect(binder, connect, scope, FILTER)]
    items = bind_projections(binder, node, scope)
    if late:
        scope.late_aliases = True
        _bind_where(binder, node, scope)
        scope.late_aliases = False
    bind_clauses(binder, node, scope, items)
    if scope.correlated and scope.parent is not None:
        # What a correlated subquery reads of the outer row decides about the outer row's values.
        scope.parent.indirect += [(replace(ref, role=FILTER), "FILTER") for ref in scope.correlated]
    return Output(items, scope.indirect, [source.relation for source in scope.sources])


def _bind_early(binder: Binder, node: exp.Select, scope: Scope) -> None:
    """What gives names to the select list and to the clauses around it."""
    args = node.args
    if args.get("with_") is not None:
        _bind_scalars(binder, node, scope)
    if args.get("group") is not None:
        _bind_time_windows(binder, node, scope)
    for window in args.get("windows") or ():
        scope.windows[window.name.lower()] = window


def _bind_scalars(binder: Binder, node: exp.Select, scope: Scope) -> None:
    """ClickHouse's `WITH sum(x) AS total`: a name for an expression, seen by the whole SELECT."""
    for cte in node.args["with_"].expressions:
        if cte.args.get("scalar"):
            identifier = cte.args["alias"].this
            column = Column(identifier.name, binder.key(identifier))
            column.refs, column.expression = collect(binder, cte.this, scope), cte.this
            scope.aliases[column.key] = column


def _bind_time_windows(binder: Binder, node: exp.Select, scope: Scope) -> None:
    """Spark's `GROUP BY window(ts, …)` makes a column of that name, a struct of two moments."""
    if binder.dialect.naming != "spark":
        return
    group = node.args["group"]
    held = [key for key in group.expressions if isinstance(key, _SETS)]
    for key in [
        *group.expressions,
        *(call for keys in held for call in keys.find_all(exp.Anonymous)),
    ]:
        if key.__class__ is exp.Anonymous and key.name.lower() in _TIME_WINDOWS:
            column = Column(key.name.lower(), key.name.lower())
            column.refs, column.expression = collect(binder, key, scope), key
            scope.aliases[column.key] = column


def _bind_where(binder: Binder, node: exp.Select, scope: Scope) -> None:
    where = node.args.get("where")
    if where is not None:
        texts = binder.fragments.conjuncts(node, "WHERE")
        bind_filter(binder, where.this, scope, "WHERE", texts)

"""FROM clauses: tables, CTEs, derived tables, joins. Each becomes a relation in the scope.

A CTE is one relation however often it is read; a table is one instance per occurrence, so that a
self-join keeps its two sides apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.derived import add_derived, rename_columns, renamed_copy
from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.filters import bind_filter
from lakeport.lineage.bind.generators import (
    add_array_join,
    add_elements,
    add_lateral,
    add_unnest,
)
from lakeport.lineage.bind.join_kinds import join_type
from lakeport.lineage.bind.matches import match_rows
from lakeport.lineage.bind.merging import common_keys, merge
from lakeport.lineage.bind.pivots import pivoted
from lakeport.lineage.bind.scope import Relation, Scope, Source
from lakeport.lineage.bind.table_functions import (
    add_rows_from,
    add_table_function,
    add_table_of,
)
from lakeport.lineage.bind.tables import bind_table
from lakeport.lineage.bind.values import add_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakeport.lineage.bind.binder import Binder


def bind_sources(binder: Binder, select: exp.Expr, scope: Scope) -> None:
    """Everything in FROM, JOIN and LATERAL, left to right."""
    args = select.args
    origin = args.get("from_")
    if origin is not None and (first := origin.args.get("this")) is not None:
        add_source(binder, first, scope)
    if "match" in args and args["match"] is not None and scope.sources:
        scope.sources.append(match_rows(binder, args["match"], scope.sources.pop(), scope))
    if "joins" in args:
        ordinal = 0
        for join in args["joins"] or ():
            ordinal = _add_join(binder, join, scope, select, ordinal)
    if "laterals" in args:
        for lateral in args["laterals"] or ():
            add_source(binder, lateral, scope)


def add_source(binder: Binder, node: exp.Expr, scope: Scope) -> list[Relation]:
    """One item of a FROM clause; several relations when it is a parenthesised join."""
    first = len(scope.sources)
    args = node.args
    if node.__class__ is exp.Table:
        if args.get("this").__class__ is exp.Identifier and "rows_from" not in args:
            _add_table(binder, node, scope)
        else:
            _add_named(binder, node, scope)
    else:
        _add_unlike_table(binder, node, scope)
    if not _MORE.isdisjoint(args):
        _add_more(binder, node, scope, first)
    sources = scope.sources
    if len(sources) == first + 1:
        return [sources[first].relation]
    return [source.relation for source in sources[first:]]


_MORE = frozenset({"pivots", "joins", "laterals"})


def _add_more(binder: Binder, node: exp.Expr, scope: Scope, first: int) -> None:
    """What a FROM item carries along: pivots, and joins of its own."""
    args = node.args
    if args.get("pivots"):
        _apply_pivots(binder, node, scope, first)
    ordinal = 0
    around, scope.start = scope.start, first
    for join in args.get("joins") or ():
        ordinal = _add_join(binder, join, scope, None, ordinal)
    scope.start = around
    for lateral in args.get("laterals") or ():
        add_source(binder, lateral, scope)


def _add_unlike_table(binder: Binder, node: exp.Expr, scope: Scope) -> None:
    for kinds, add in _SOURCES:
        if isinstance(node, kinds):
            add(binder, node, scope)
            return
    binder.unsupported(node, "this kind of source has no lineage rule")
    collect(binder, node, scope)


def _add_named(binder: Binder, node: exp.Table, scope: Scope) -> None:
    name = node.args.get("this")
    if node.args.get("rows_from"):
        add_rows_from(binder, node, scope)
    elif isinstance(name, exp.SemanticView):
        _add_semantic_view(binder, node, scope)
    elif isinstance(name, exp.Func):
        add_table_function(binder, node, scope)
    else:
        _add_table(binder, node, scope)


def _add_lateral(binder: Binder, node: exp.Lateral, scope: Scope) -> None:
    inner = node.this
    # Postgres's functions are lateral with or without the word.
    alike = binder.dialect.naming == "postgres" and isinstance(inner, exp.Func)
    if alike and not isinstance(inner, exp.UDTF):
        add_table_function(binder, node, scope)
    else:
        add_lateral(binder, node, scope)


def _add_semantic_view(binder: Binder, node: exp.Table, scope: Scope) -> None:
    """Snowflake's `SEMANTIC_VIEW(v METRICS m DIMENSIONS d)`: the columns are the view's."""
    relation = binder.table(node.this.this, scope)
    alias = node.args.get("alias")
    name = alias.this if alias is not None else None
    key = binder.key(name) if isinstance(name, exp.Identifier) else relation.label
    scope.sources.append(Source(key, relation))


def _add_query(binder: Binder, node: exp.Expr, scope: Scope) -> None:
    add_derived(binder, node, None, scope, scope.parent)


def _add_inner(binder: Binder, node: exp.Expr, scope: Scope) -> None:
    """Parentheses, ClickHouse's FINAL, Databricks' STREAM: what is inside is the source."""
    if isinstance(node.this, exp.Expr):
        add_source(binder, node.this, scope)


def _apply_pivots(binder: Binder, node: exp.Expr, scope: Scope, first: int) -> None:
    """Pivots of what was added since `first`: of one relation, or of all that a join made of several."""
    if len(scope.sources) == first:
        return
    joined = None
    if len(scope.sources) > first + 1:
        joined = _joined(scope, first)
        _gather(binder, joined, scope, first, None)
    source = scope.sources.pop()
    for pivot in node.args["pivots"]:
        source = pivoted(binder, pivot, source, scope, joined)
        if joined is not None and pivot.args.get("alias") is None:
            # Without a name of its own, the columns it leaves alone are still theirs.
            source.relation.carried = {held.alias: held.relation for held in joined.sources}
        joined = None
    scope.sources.append(source)


def _joined(scope: Scope, first: int) -> Scope:
    """The sources since `first` in a scope of their own."""
    inner = Scope(scope.parent, scope.ctes)
    inner.sources = scope.sources[first:]
    inner.merged = {
        key: held._replace(start=held.start - first)
        for key, held in scope.merged.items()
        if held.start >= first
    }
    inner.hidden = scope.hidden
    return inner


def _gather(
    binder: Binder, inner: Scope, scope: Scope, first: int, alias: exp.Expr | None
) -> Relation:
    """Put one relation with the columns of all in place of the sources since `first`."""
    relation = binder.derived(alias.name if alias is not None else None, local_kind="derived")
    relation.adopt(binder.star(inner))
    relation.inputs += [source.relation for source in inner.sources]
    del scope.sources[first:]
    scope.merged = {key: held for key, held in scope.merged.items() if held.start < first}
    key = binder.key(alias) if isinstance(alias, exp.Identifier) else relation.label
    scope.sources.append(Source(key, relation))
    return relation


def _add_table(binder: Binder, node: exp.Table, scope: Scope) -> None:
    args = node.args
    if "db" in args and scope.parent is not None and binder.dialect.naming == "bigquery":
        array = _outer_array(binder, node, scope)
        if array is not None:
            add_unnest(binder, array, scope)
            return
    relation = bind_table(binder, node, scope)
    name, columns = args["this"], None
    if "alias" in args and (alias := args["alias"]) is not None:
        facts = alias.args
        name, columns = facts.get("this") or name, facts.get("columns")
    key = (
        binder.key(name)
        if name.__class__ is exp.Identifier
        else binder.folding.column(relation.label)
    )
    if columns:
        relation = renamed_copy(binder, relation, columns, name.name)
    scope.sources.append(Source(key, relation))


def _outer_array(binder: Binder, node: exp.Table, scope: Scope) -> exp.Unnest | None:
    """BigQuery's `FROM t.list` in a subquery, where `t` is a relation of a query around it."""
    first, *path = node.parts
    key = binder.key(first)
    outer = scope.parent
    while outer is not None and outer.relation(key) is None:
        outer = outer.parent
    if outer is None or not path or scope.relation(key) is not None:
        return None
    array: exp.Expr = exp.Column(this=path[0], table=first)
    for field in path[1:]:
        array = exp.Dot(this=array, expression=field)
    alias = node.args.get("alias")
    named = alias.this if alias is not None and alias.this is not None else path[-1]
    return exp.Unnest(expressions=[array], alias=exp.TableAlias(columns=[named]))


def _add_subquery(binder: Binder, node: exp.Subquery, scope: Scope) -> None:
    inner = node.this
    alias = node.args.get("alias")
    if isinstance(inner, exp.Table | exp.Subquery) and not (
        isinstance(inner, exp.Subquery) and alias is not None and alias.this is not None
    ):
        # `(a JOIN b ON …)` or `((SELECT …))`: parentheses only, unless they carry an alias.
        added = add_source(binder, inner, scope)
        if alias is not None and alias.this is not None:
            _alias_parentheses(binder, alias, added, scope)
        return
    # DuckDB's are lateral with or without the word.
    parent = scope if binder.dialect.name == "duckdb" and scope.sources else scope.parent
    add_derived(binder, node, alias, scope, parent)


def _alias_parentheses(
    binder: Binder, alias: exp.Expr, added: list[Relation], scope: Scope
) -> None:
    """`(a JOIN b) AS t (x, y)`: from outside, one relation with all their columns."""
    if len(added) == 1 and not alias.args.get("columns"):
        scope.sources[-1] = replace(scope.sources[-1], alias=binder.key(alias.this))
        return
    first = len(scope.sources) - len(added)
    relation = _gather(binder, _joined(scope, first), scope, first, alias.this)
    rename_columns(binder, relation, alias.args.get("columns"))


# -- joins -------------------------------------------------------------------------------------


def _add_join(  # noqa: C901 - once per table, in one piece on purpose
    binder: Binder, join: exp.Expr, scope: Scope, select: exp.Expr | None, ordinal: int
) -> int:
    """One join; returns how many ON clauses of the SELECT have been seen."""
    args = join.args
    node = args.get("this")
    if node is None:
        return ordinal
    if len(args) <= 2:
        _begin(binder, args, scope)
    if len(args) == 2 and node.__class__ is exp.Table and args.get("kind") == "CROSS":
        # A comma.
        added = add_source(binder, node, scope)
        binder.joins.append("CROSS")
        for relation in added:
            relation.join_type = relation.join_type or "CROSS"
        return ordinal
    if args.get("kind") and args["kind"].upper() == "ARRAY":
        add_array_join(binder, [node, *join.expressions], scope)
        return ordinal
    before = len(scope.sources)
    added = add_source(binder, node, scope)
    kind = join_type(join)
    binder.joins.append(kind)
    condition = args.get("on")
    names = args.get("using") or []
    if args.get("method") and args["method"].upper() == "NATURAL":
        merge(binder, scope, before, common_keys(scope, before), kind)
    elif names:
        identifiers = [name.this if isinstance(name, exp.Column) else name for name in names]
        merged = [(identifier, binder.key(identifier)) for identifier in identifiers]
        merge(binder, scope, before, merged, kind)
    text = f"USING ({', '.join(name.name for name in names)})" if names else None
    if condition is not None:
        texts = None
        if isinstance(select, exp.Select):
            texts = binder.fragments.conjuncts(select, "ON", ordinal)
        bind_filter(binder, condition, scope, "JOIN_ON", texts, joined=added)
        text = " AND ".join(texts) if texts else binder.sql(condition)
        ordinal += 1
    for relation in added:
        relation.join_type = relation.join_type or kind
        relation.join_condition = relation.join_condition or text
    # In ClickHouse both sides of such a join are shown.
    if kind in _ONE_SIDED and binder.dialect.name != "clickhouse":
        _hide(scope, before, kind)
    if args.get("pivots"):
        # Behind the condition it is the whole join that is pivoted.
        _apply_pivots(binder, join, scope, 0)
    return ordinal


def _begin(binder: Binder, args: dict[str, Any], scope: Scope) -> None:
    """A comma begins another join, but in BigQuery, where it is a join like any other."""
    comma = "pivots" not in args and args.get("kind") in {None, "CROSS"}
    if comma and binder.dialect.naming != "bigquery":
        scope.start = len(scope.sources)


_ONE_SIDED = frozenset({"LEFT_SEMI", "LEFT_ANTI", "RIGHT_SEMI", "RIGHT_ANTI"})


def _hide(scope: Scope, before: int, kind: str) -> None:
    """Semi and anti joins show one side only, which the other has no name in."""
    hidden = slice(None, before) if kind.startswith("RIGHT") else slice(before, None)
    unseen = [replace(source, alias="", visible=False) for source in scope.sources[hidden]]
    scope.sources[hidden] = unseen
    scope.remembered.clear()  # names are known as of the last source, which may be the same still


_SOURCES: tuple[
    tuple[type[exp.Expr] | tuple[type[exp.Expr], ...], Callable[[Binder, Any, Scope], None]], ...
] = (
    (exp.Subquery, _add_subquery),
    (exp.Values, add_values),
    (exp.Unnest, add_unnest),
    (exp.Lateral, _add_lateral),
    (exp.TableFromRows, add_table_of),
    (exp.Query, _add_query),
    ((exp.Paren, exp.Alias, exp.Final, exp.Stream), _add_inner),
    ((exp.AtIndex, exp.Pivot), add_elements),
)

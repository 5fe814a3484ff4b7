"""DuckDB's `query_table('t')` and `query('SELECT …')`: tables and queries that are given as values."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.errors import SqlglotError

from lakeport.lineage.bind.written_names import table_named
from lakeport.lineage.engines import tokens_of, tree_of

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def given_rows(binder: Binder, function: exp.Expr) -> exp.Expr | None:
    """What such a function stands for in a FROM clause; None for any other, or one with unknown values."""
    if binder.dialect.name != "duckdb" or not isinstance(function, exp.Anonymous):
        return None
    given = function.expressions
    if function.name.lower() == "query_table" and given:
        return _tables(given[0], by_name=_is_true(given[1:]))
    if function.name.lower() == "query" and given:
        return _query(binder, given[0])
    return None


def _tables(given: exp.Expr, *, by_name: bool) -> exp.Expr | None:
    """One table, or several, one below the other."""
    if _is_text(given):
        return table_named(given.name)
    names = given.expressions if isinstance(given, exp.Array) else []
    if not names or not all(map(_is_text, names)):
        return None
    queries: list[exp.Query] = [
        exp.Select(expressions=[exp.Star()], from_=exp.From(this=table_named(name.name)))
        for name in names
    ]
    whole = reduce(
        lambda left, right: exp.Union(this=left, expression=right, distinct=False, by_name=by_name),
        queries,
    )
    return exp.Subquery(this=whole)


def _query(binder: Binder, given: exp.Expr) -> exp.Expr | None:
    if not _is_text(given):
        return None
    parser = binder.dialect.parser
    try:
        tree = tree_of(tokens_of(given.name, parser), given.name, parser)
    except (SqlglotError, RecursionError, ValueError):
        return None
    if not isinstance(tree, exp.Query):
        return None
    for node in tree.walk():
        # Its places are those of another text.
        node.meta.clear()
    return exp.Subquery(this=tree)


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


def _is_true(nodes: list[exp.Expr]) -> bool:
    """Also in `by_name := true`."""
    node = nodes[0] if nodes else None
    value = node.expression if isinstance(node, exp.PropertyEQ | exp.Kwarg) else node
    return isinstance(value, exp.Boolean) and bool(value.this)

"""The least an analyzer on sqlglot's trees can do: where the limit of Python is, measured, not claimed.

It binds names to the columns of tables, CTEs and subqueries, and writes the nodes and edges of that
as JSON. It knows no types, spans, texts, issues, filters, dialects, DDL, nor a graph of the workload,
trusts every query to be right, and handles what the measured queries contain and no more.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import msgspec
import sqlglot
from sqlglot import exp

from lakeport.lineage.analyze import Undisturbed
from lakeport.lineage.graph import edge_id, node_id


class Column(msgspec.Struct):
    """A column and the columns it is made of; without a node while it is only an output."""

    name: str
    inputs: list[Column]
    node: str = ""


class Relation(NamedTuple):
    """What stands in a FROM clause; the columns of tables are made when they are named."""

    node: str
    columns: dict[str, Column]
    known: tuple[str, ...] = ()


Sources: TypeAlias = dict[str, Relation]

_LEAVES = frozenset({exp.Literal, exp.Identifier, exp.DataType, exp.Null, exp.Star, exp.Boolean})


class Floor:
    """Binds one query at a time against tables that are known before."""

    def __init__(self, tables: dict[str, tuple[str, ...]]) -> None:
        self._tables = tables
        self._nodes: list[tuple[str, str, str]] = []
        self._edges: list[tuple[str, str, str, str]] = []

    def answer_json(self, sql: str, dialect: str) -> bytes:
        """The graph of one query."""
        self._nodes, self._edges = [], []
        with Undisturbed():
            tree = sqlglot.parse_one(sql, read=dialect)
            self._relation("output", "output", self._query(tree, {}, ()))
        return msgspec.json.encode((self._nodes, self._edges))

    # -- nodes and edges ---------------------------------------------------------------------

    def _relation(self, kind: str, name: str, columns: list[Column]) -> Relation:
        owner = node_id(kind, name, str(len(self._nodes)))
        self._nodes.append((owner, kind, name))
        made = {column.name: self._column(owner, column.name, column.inputs) for column in columns}
        return Relation(owner, made)

    def _column(self, owner: str, name: str, inputs: list[Column]) -> Column:
        node = node_id("column", owner, name)
        self._nodes.append((node, "column", name))
        self._edges.append((edge_id(owner, node, "ownership"), owner, node, "ownership"))
        for source in dict.fromkeys([column.node for column in inputs]):
            self._edges.append((edge_id(source, node, "data_flow"), source, node, "data_flow"))
        return Column(name, inputs, node)

    # -- queries -----------------------------------------------------------------------------

    def _query(self, node: Any, ctes: Sources, outer: tuple[Sources, ...]) -> list[Column]:
        while node.__class__ is exp.Subquery:
            node = node.args["this"]
        args = node.args
        clause = args.get("with_")
        if clause is not None:
            ctes = dict(ctes)
            for cte in clause.args["expressions"]:
                name = _alias(cte)
                ctes[name] = self._relation("cte", name, self._query(cte.args["this"], ctes, outer))
        if node.__class__ is exp.Select:
            return self._select(args, ctes, outer)
        left = self._query(args["this"], ctes, outer)
        right = self._query(args["expression"], ctes, outer)
        return [
            Column(one.name, [*one.inputs, *other.inputs])
            for one, other in zip(left, right, strict=True)
        ]

    def _select(
        self, args: dict[str, Any], ctes: Sources, outer: tuple[Sources, ...]
    ) -> list[Column]:
        sources: Sources = {}
        scopes = (sources, *outer)
        self._source(args["from_"].args["this"], sources, ctes, outer)
        for join in args.get("joins") or ():
            self._source(join.args["this"], sources, ctes, outer)
            if join.args.get("on") is not None:
                self._inputs(join.args["on"], scopes, ctes, {})
        if args.get("where") is not None:
            self._inputs(args["where"], scopes, ctes, {})
        found = self._projections(args["expressions"], scopes, ctes)
        named = {column.name: column for column in found}
        for name in ("group", "having", "order"):
            if args.get(name) is not None:
                self._inputs(args[name], scopes, ctes, named)
        return found

    def _source(
        self, node: Any, sources: Sources, ctes: Sources, outer: tuple[Sources, ...]
    ) -> None:
        alias = _alias(node)
        if node.__class__ is exp.Subquery:
            sources[alias] = self._relation("cte", alias, self._query(node, ctes, outer))
            return
        name = node.args["this"].args["this"]
        found = ctes.get(name)
        if found is None:
            found = self._relation("table", name, [])._replace(known=self._tables[name])
        sources[alias or name] = found

    def _projections(
        self, items: list[Any], scopes: tuple[Sources, ...], ctes: Sources
    ) -> list[Column]:
        found: list[Column] = []
        for item in items:
            if item.__class__ is exp.Star:
                for relation in scopes[0].values():
                    for name in relation.known or list(relation.columns):
                        column = self._of(relation, name)
                        found += [Column(name, [column])] if column is not None else []
                continue
            inputs = self._inputs(item, scopes, ctes, {})
            found.append(Column(item.alias_or_name or f"_{len(found)}", inputs))
        return found

    # -- expressions -------------------------------------------------------------------------

    def _inputs(
        self, root: Any, scopes: tuple[Sources, ...], ctes: Sources, named: dict[str, Column]
    ) -> list[Column]:
        """The columns of an expression; a subquery in it gives what it is made of."""
        found: list[Column] = []
        stack = [root]
        while stack:
            node = stack.pop()
            cls = node.__class__
            if cls is exp.Column:
                column = self._bound(node.args, scopes, named)
                if column is not None:
                    found.append(column)
            elif cls is exp.Select or cls is exp.Subquery:
                for column in self._query(node, ctes, scopes):
                    found += column.inputs
            elif cls not in _LEAVES:
                for value in node.args.values():
                    if value.__class__ is list:
                        stack += value
                    elif isinstance(value, exp.Expr):
                        stack.append(value)
        return found

    def _bound(
        self, args: dict[str, Any], scopes: tuple[Sources, ...], named: dict[str, Column]
    ) -> Column | None:
        name = args["this"].args["this"]
        table = args.get("table")
        if table is not None:
            alias = table.args["this"]
            scope = next(scope for scope in scopes if alias in scope)
            return self._of(scope[alias], name)
        if name in named:
            return named[name]
        for scope in scopes:
            for relation in scope.values():
                column = self._of(relation, name)
                if column is not None:
                    return column
        return None

    def _of(self, relation: Relation, name: str) -> Column | None:
        column = relation.columns.get(name)
        if column is None and name in relation.known:
            column = relation.columns[name] = self._column(relation.node, name, [])
        return column


def _alias(node: Any) -> str:
    alias = node.args.get("alias")
    return alias.args["this"].args["this"] if alias is not None else ""

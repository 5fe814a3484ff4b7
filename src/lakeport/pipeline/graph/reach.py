"""Whom a change of columns reaches: columns that are made of them, and rows that they decide about.

A column that a later model only filters, joins, groups or orders by is in none of its columns, and still
it is the one that empties a table. Rows are told where they are decided about; whoever reads them further
down reads those.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeAlias, get_args

from lakeport.core.names import TableName, fold
from lakeport.lineage.models import RowUse
from lakeport.pipeline.graph.model import (
    AffectedColumn,
    AffectedRows,
    ColumnEdge,
    Node,
    RowEdge,
)

Changed: TypeAlias = Mapping[TableName, Collection[str]]
_Key: TypeAlias = tuple[tuple[str, str], str]
_USES: tuple[RowUse, ...] = get_args(RowUse)


class Reach:
    """`nodes` in the order of the graph, in which answers come."""

    def __init__(
        self, nodes: Sequence[Node], edges: Sequence[ColumnEdge], row_edges: Sequence[RowEdge]
    ) -> None:
        self._nodes = nodes
        self._order = {node.name.folded: position for position, node in enumerate(nodes)}
        self._edges: dict[_Key, list[ColumnEdge]] = {}
        for edge in edges:
            self._edges.setdefault(_key(edge.source, edge.source_column), []).append(edge)
        self._row_edges: dict[_Key, list[RowEdge]] = {}
        for row_edge in row_edges:
            key = _key(row_edge.source, row_edge.source_column)
            self._row_edges.setdefault(key, []).append(row_edge)

    def columns(self, changed: Changed) -> tuple[AffectedColumn, ...]:
        through: dict[_Key, list[ColumnEdge]] = {}
        approximate: dict[_Key, bool] = {}
        pending = [
            (_key(table, column), False) for table, names in changed.items() for column in names
        ]
        seen: set[tuple[_Key, bool]] = set(pending)
        while pending:
            key, guessed = pending.pop()
            for edge in self._edges.get(key, ()):
                target = _key(edge.target, edge.target_column)
                step = (target, guessed or edge.approximate)
                approximate[target] = approximate.get(target, True) and step[1]
                held = through.setdefault(target, [])
                if edge not in held:
                    held.append(edge)
                if step not in seen:
                    seen.add(step)
                    pending.append(step)
        reached = [
            AffectedColumn(
                edges[0].target,
                edges[0].target_column,
                tuple(dict.fromkeys((edge.source, edge.source_column) for edge in edges)),
                approximate[target],
            )
            for target, edges in through.items()
        ]
        return tuple(sorted(reached, key=lambda one: (self._at(one.table), fold(one.column))))

    def rows(self, changed: Changed) -> tuple[AffectedRows, ...]:
        known: dict[tuple[str, str], list[tuple[RowEdge, bool]]] = {}
        told = list(self._told(changed))
        for table, column, guessed in told:
            for edge in self._row_edges.get(_key(table, column), ()):
                ways = known.setdefault(edge.target.folded, [])
                ways.append((edge, guessed or edge.approximate))
        reached = [
            AffectedRows(
                ways[0][0].target,
                tuple(use for use in _USES if any(edge.use == use for edge, _ in ways)),
                tuple(dict.fromkeys((edge.source, edge.source_column) for edge, _ in ways)),
                all(guessed for _, guessed in ways),
            )
            for ways in known.values()
        ]
        reached += self._unseen(told)
        return tuple(sorted(reached, key=lambda one: self._at(one.table)))

    def _told(self, changed: Changed) -> Iterator[tuple[TableName, str, bool]]:
        """What changes, and what is made of it; whether that is a guess."""
        yield from ((table, column, False) for table, names in changed.items() for column in names)
        for each in self.columns(changed):
            yield each.table, each.column, each.approximate

    def _unseen(self, told: list[tuple[TableName, str, bool]]) -> Iterator[AffectedRows]:
        """Models that name what they read instead of showing what they do with it."""
        for node in self._nodes:
            read = {one.table.folded for one in node.declared if one.kind == "model"}
            through = [(table, column) for table, column, _ in told if table.folded in read]
            if through:
                yield AffectedRows(node.name, (), tuple(dict.fromkeys(through)), approximate=True)

    def _at(self, table: TableName) -> int:
        return self._order.get(table.folded, -1)


def _key(table: TableName, column: str) -> _Key:
    return table.folded, fold(column)

"""Questions to a finished graph: what feeds this table or column, and what does it feed?

The answer is an ordinary result with the rest of the graph left out, so that every format can show
it. Walks are iterative: a chain of ten thousand views is no deeper than one.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from lakeport.core.errors import NotFoundError
from lakeport.lineage.bypass import bypass
from lakeport.lineage.labels import column_owners, labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lakeport.lineage.result import (
        AnalyzeResult,
        GlobalEdge,
        GlobalLineage,
        GlobalNode,
        StatementLineage,
    )

_VALUES = frozenset({"data_flow", "derivation"})
_BETWEEN_STATEMENTS = frozenset({"ownership", "cross_statement"})


@dataclass(frozen=True, slots=True)
class Question:
    """Names are `relation`, `relation.column`, or for `column` also a column's name alone. What
    comes first in a relation's name, such as the catalog, may be left out.

    `column` asks for both directions. Several questions widen the answer. `expand_views` looks
    through the views that the workload itself defines, to the tables behind them.
    """

    upstream: tuple[str, ...] = ()
    downstream: tuple[str, ...] = ()
    column: tuple[str, ...] = ()
    expand_views: bool = False

    @property
    def asks_nothing(self) -> bool:
        return not (self.upstream or self.downstream or self.column)


def focus(result: AnalyzeResult, question: Question) -> AnalyzeResult:
    """The part of the result that answers the question; all of it when nothing is asked."""
    if question.expand_views:
        result = _without_views(result)
    if question.asks_nothing:
        return result
    graph = _Graph(result.global_lineage)
    kept: set[str] = set()
    for name in question.upstream:
        kept |= graph.reach(graph.named(name), graph.incoming)
    for name in question.downstream:
        kept |= graph.reach(graph.named(name), graph.outgoing)
    for name in question.column:
        start = graph.columns_named(name)
        kept |= graph.reach(start, graph.incoming) | graph.reach(start, graph.outgoing)
    return _restricted(result, graph.with_owners(kept))


def _without_views(result: AnalyzeResult) -> AnalyzeResult:
    """The global graph alone: inside a statement a view is what is read, and stays so."""
    lineage = result.global_lineage
    owners = column_owners(lineage)
    fed = {owners.get(e.target, e.target) for e in lineage.edges if e.edge_type in _VALUES}
    views = {node.id for node in lineage.nodes if node.node_type == "view" and node.id in fed}
    nodes, edges = bypass(lineage.nodes, lineage.edges, views)
    return msgspec.structs.replace(
        result, global_lineage=msgspec.structs.replace(lineage, nodes=nodes, edges=edges)
    )


class _Graph:
    """Neighbours by id; a relation's neighbours are also those of its columns."""

    def __init__(self, lineage: GlobalLineage) -> None:
        self.nodes: dict[str, GlobalNode] = {node.id: node for node in lineage.nodes}
        self._names = labels(lineage)
        self.incoming: dict[str, list[str]] = defaultdict(list)
        self.outgoing: dict[str, list[str]] = defaultdict(list)
        self._owner: dict[str, str] = {}
        self._owned: dict[str, list[str]] = defaultdict(list)
        for edge in lineage.edges:
            self._add(edge)

    def _add(self, edge: GlobalEdge) -> None:
        if edge.edge_type == "ownership":
            self._owner[edge.target] = edge.source
            self._owned[edge.source].append(edge.target)
        elif edge.edge_type not in _BETWEEN_STATEMENTS:
            self.outgoing[edge.source].append(edge.target)
            self.incoming[edge.target].append(edge.source)

    def named(self, name: str) -> set[str]:
        """A relation with its columns, or one column, by name without regard to case."""
        wanted = name.casefold()
        names = {node_id: known.casefold() for node_id, known in self._names.items()}
        found = {node_id for node_id, known in names.items() if known == wanted}
        found |= found or {n for n, known in names.items() if known.endswith(f".{wanted}")}
        if not found:
            raise NotFoundError.among("relation or column", name, set(self._names.values()))
        return found | {column for node_id in found for column in self._owned.get(node_id, ())}

    def columns_named(self, name: str) -> set[str]:
        wanted = name.casefold()
        columns = [node for node in self.nodes.values() if node.node_type == "column"]
        names = {node.id: self._names[node.id].casefold() for node in columns}
        found = {
            node.id for node in columns if wanted in {node.label.casefold(), names[node.id]}
        } or {node_id for node_id, known in names.items() if known.endswith(f".{wanted}")}
        if not found:
            known = {self._names[node.id] if "." in name else node.label for node in columns}
            raise NotFoundError.among("column", name, known)
        return found

    @staticmethod
    def reach(start: Iterable[str], neighbours: Mapping[str, list[str]]) -> set[str]:
        seen = set(start)
        pending = list(seen)
        while pending:
            for neighbour in neighbours.get(pending.pop(), ()):
                if neighbour not in seen:
                    seen.add(neighbour)
                    pending.append(neighbour)
        return seen

    def with_owners(self, kept: set[str]) -> set[str]:
        """A column is nothing without its relation (a struct's field: nor without its column)."""
        pending = list(kept)
        while pending:
            owner = self._owner.get(pending.pop())
            if owner is not None and owner not in kept:
                kept.add(owner)
                pending.append(owner)
        return kept


def _restricted(result: AnalyzeResult, kept: set[str]) -> AnalyzeResult:
    lineage = result.global_lineage
    nodes = [node for node in lineage.nodes if node.id in kept]
    edges = [edge for edge in lineage.edges if edge.source in kept and edge.target in kept]
    local: dict[int, set[str]] = defaultdict(set)
    for node in nodes:
        for reference in node.statement_refs:
            local[reference.statement_index].add(reference.node_id or node.id)
    statements = [
        _cut(statement, local.get(statement.statement_index, set()))
        for statement in result.statements
    ]
    return msgspec.structs.replace(
        result,
        global_lineage=msgspec.structs.replace(lineage, nodes=nodes, edges=edges),
        statements=[statement for statement in statements if statement.nodes],
        issues=[issue for issue in result.issues if issue.statement_index in {None, *local}],
    )


def _cut(statement: StatementLineage, kept: set[str]) -> StatementLineage:
    return msgspec.structs.replace(
        statement,
        nodes=[node for node in statement.nodes if node.id in kept],
        edges=[edge for edge in statement.edges if edge.source in kept and edge.target in kept],
    )

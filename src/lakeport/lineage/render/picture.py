"""The global graph as people see it: relations with their columns, and arrows between them.

Every drawing (Mermaid, DOT, HTML) and every listing (CSV, the CLI's table) starts here, so they all
agree on names and on what an arrow means. Order is that of the result: deterministic.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from lakeport.lineage.labels import column_name, column_owners, labels

if TYPE_CHECKING:
    from lakeport.lineage.result import AnalyzeResult, GlobalNode

Level: TypeAlias = Literal["table", "column"]
VALUE_EDGES = frozenset({"data_flow", "derivation"})
_SHOWN_BETWEEN_RELATIONS = VALUE_EDGES | {"join_dependency", "indirect_dependency"}


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one node id to another."""

    source: str
    target: str
    kind: str
    approximate: bool
    # How a value is made or a condition decides, in OpenLineage's words.
    role: str = ""


@dataclass(slots=True)
class Relation:
    """A table, view, CTE or output, with its columns as (node id, name)."""

    id: str
    name: str
    kind: str
    resolution: str | None
    statements: tuple[int, ...]
    columns: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Picture:
    """What there is to draw. `owner` maps a column's id to its relation's id, `names` to its name."""

    relations: dict[str, Relation]
    owner: dict[str, str]
    names: dict[str, str]
    column_arrows: tuple[Arrow, ...]
    relation_arrows: tuple[Arrow, ...]
    # From columns to the relations whose rows they decide about, where that was asked for.
    conditions: tuple[Arrow, ...]

    def name(self, node_id: str) -> str:
        """`relation.column` for a column, the relation's name for a relation."""
        if node_id in self.relations:
            return self.relations[node_id].name
        return f"{self.relations[self.owner[node_id]].name}.{self.names[node_id]}"

    def home(self, node_id: str) -> str:
        """The relation a node belongs to; a relation belongs to itself."""
        return self.owner.get(node_id, node_id)

    def arrows(self, level: Level) -> tuple[Arrow, ...]:
        """At column level, relations without a column arrow between them keep their own arrow:
        a star nobody could expand, a join that only filters.
        """
        if level == "table":
            return self.relation_arrows
        return (*self.column_arrows, *self._apart_from(self.column_arrows))

    def listed(self) -> tuple[Arrow, ...]:
        """The same as a list, in which a condition has a line of its own."""
        told = (*self.column_arrows, *self.conditions)
        return (*self.column_arrows, *self._apart_from(told), *self.conditions)

    def _apart_from(self, arrows: tuple[Arrow, ...]) -> list[Arrow]:
        """The arrows between relations that none of these joins."""
        covered = {(self.home(arrow.source), self.home(arrow.target)) for arrow in arrows}
        return [a for a in self.relation_arrows if (a.source, a.target) not in covered]


def picture_of(result: AnalyzeResult) -> Picture:
    graph = result.global_lineage
    nodes = {node.id: node for node in graph.nodes}
    known = labels(graph)
    relations = {
        node.id: _relation(node, known[node.id])
        for node in graph.nodes
        if node.node_type != "column"
    }
    owner = column_owners(graph)
    names = {column: column_name(nodes[column]) for column in owner}
    for column, relation in owner.items():
        relations[relation].columns.append((column, names[column]))
    values: list[Arrow] = []
    conditions: list[Arrow] = []
    between: dict[tuple[str, str], list[Arrow]] = defaultdict(list)
    for edge in graph.edges:
        if edge.edge_type not in _SHOWN_BETWEEN_RELATIONS:
            continue
        source, target = (_relation_of(end, relations, owner) for end in (edge.source, edge.target))
        if source is None or target is None:
            continue
        role = edge.metadata.get("transformation", {}).get("subtype", "")
        arrow = Arrow(edge.source, edge.target, edge.edge_type, edge.approximate, role)
        if edge.edge_type in VALUE_EDGES and edge.target in owner:
            values.append(arrow)
        elif edge.edge_type == "indirect_dependency":
            conditions.append(arrow)
        if source != target:
            between[source, target].append(arrow)
    return Picture(
        relations=relations,
        owner=owner,
        names=names,
        column_arrows=tuple(values),
        relation_arrows=tuple(_merged(*ends, arrows) for ends, arrows in between.items()),
        conditions=tuple(conditions),
    )


def _relation(node: GlobalNode, name: str) -> Relation:
    statements = tuple(dict.fromkeys(ref.statement_index for ref in node.statement_refs))
    return Relation(node.id, name, node.node_type, node.resolution_source, statements)


def _relation_of(end: str, relations: dict[str, Relation], owner: dict[str, str]) -> str | None:
    return end if end in relations else owner.get(end)


def _merged(source: str, target: str, arrows: list[Arrow]) -> Arrow:
    """One arrow for all between two relations; values say more than joins and filters do."""
    kinds = {arrow.kind for arrow in arrows}
    if kinds & VALUE_EDGES:
        kind = "derivation" if "derivation" in kinds else "data_flow"
    else:
        kind = "join_dependency" if "join_dependency" in kinds else "indirect_dependency"
    return Arrow(source, target, kind, any(arrow.approximate for arrow in arrows))

"""The global graph as people see it: relations with their columns, and arrows between them.

Every drawing (Mermaid, DOT, HTML) and every listing (CSV, the CLI's table) starts here, so they all
agree on names and on what an arrow means. Order is that of the result: deterministic.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from lakeport.lineage.result import (
        AnalyzeResult,
        CanonicalName,
        GlobalEdge,
        GlobalNode,
        ResolvedTable,
    )

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
        covered = {
            (self.home(arrow.source), self.home(arrow.target)) for arrow in self.column_arrows
        }
        rest = [a for a in self.relation_arrows if (a.source, a.target) not in covered]
        return (*self.column_arrows, *rest)


def picture_of(result: AnalyzeResult) -> Picture:
    graph = result.global_lineage
    nodes = {node.id: node for node in graph.nodes}
    relations = {node.id: _relation(node) for node in graph.nodes if node.node_type != "column"}
    owner = _owners(nodes, graph.edges)
    names = {column: nodes[column].canonical_name.column or nodes[column].label for column in owner}
    for column, relation in owner.items():
        relations[relation].columns.append((column, names[column]))
    values: list[Arrow] = []
    between: dict[tuple[str, str], list[Arrow]] = defaultdict(list)
    for edge in graph.edges:
        if edge.edge_type not in _SHOWN_BETWEEN_RELATIONS:
            continue
        source, target = (_relation_of(end, relations, owner) for end in (edge.source, edge.target))
        if source is None or target is None:
            continue
        arrow = Arrow(edge.source, edge.target, edge.edge_type, edge.approximate)
        if edge.edge_type in VALUE_EDGES and edge.target in owner:
            values.append(arrow)
        if source != target:
            between[source, target].append(arrow)
    return Picture(
        relations=relations,
        owner=owner,
        names=names,
        column_arrows=tuple(values),
        relation_arrows=tuple(_merged(*ends, arrows) for ends, arrows in between.items()),
    )


def dotted(name: CanonicalName | ResolvedTable) -> str:
    """A relation's name as people write it."""
    return ".".join(part for part in (name.catalog, name.schema, name.name) if part)


def _relation(node: GlobalNode) -> Relation:
    statements = tuple(dict.fromkeys(ref.statement_index for ref in node.statement_refs))
    name = dotted(node.canonical_name)
    if node.node_type == "output":
        name = f"output {statements[0]}" if statements else "output"
    return Relation(node.id, name, node.node_type, node.resolution_source, statements)


def _owners(nodes: dict[str, GlobalNode], edges: list[GlobalEdge]) -> dict[str, str]:
    """The relation of each column; the field of a struct belongs to its column's relation."""
    parents = {edge.target: edge.source for edge in edges if edge.edge_type == "ownership"}
    owners: dict[str, str] = {}
    for node in nodes.values():
        parent = node.id
        while parent in nodes and nodes[parent].node_type == "column":
            parent = parents.get(parent, "")
        if node.node_type == "column" and parent in nodes:
            owners[node.id] = parent
    return owners


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

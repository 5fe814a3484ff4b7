"""The graph of the whole workload: one node per canonical name, edges merged, statements linked."""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any

from lakeport.lineage.bypass import is_temporary
from lakeport.lineage.graph import PLAIN_EDGE, edge_id, node_id
from lakeport.lineage.result import (
    CanonicalName,
    GlobalEdge,
    GlobalLineage,
    GlobalNode,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from lakeport.lineage.names import Name
    from lakeport.lineage.request import Options
    from lakeport.lineage.result import Edge, Node, StatementLineage, StatementRef


# What a node over the whole workload keeps of a statement's.
_KEPT = frozenset({"temporary", "placeholder", "derived", "external", "dataType", "dataTypeOrigin"})


def workload_graph(options: Options) -> GlobalGraph:
    """An empty graph that will answer what the options ask."""
    pattern = options.collapse_pattern
    return GlobalGraph(
        (lambda node: is_temporary(node, pattern)) if options.collapse_temporary else None
    )


class GlobalGraph:
    """Grows statement by statement.

    A relation that will be collapsed is another node each time it is written anew: what its former
    rows were made of must not reach the readers of its new ones.
    """

    def __init__(self, collapses: Callable[[Node], bool] | None = None) -> None:
        self._collapses = collapses
        # How often a relation was written anew, and which of them will be collapsed.
        self._lives: dict[str, int] = {}
        self._collapsed: set[str] = set()
        self._nodes: dict[str, GlobalNode] = {}
        # By id, which says kind and ends; parallel edges of a statement are one edge here.
        self._edges: dict[str, GlobalEdge] = {}
        # Who wrote a relation since its last full rewrite.
        self._producers: dict[str, list[int]] = {}

    def add(
        self,
        statement: StatementLineage,
        names: dict[str, Name],
        owners: dict[str, str],
        renewed: Collection[str] = (),
        refs: Iterable[StatementRef | None] = repeat(None),
    ) -> None:
        """Merge one statement.

        `names` are the canonical names of its relations by node id, `owners` the relation of each
        column, `renewed` the ids of those that hold nothing but its rows afterwards, `refs` what
        points to each node; imported views belong to no statement, and have none.
        """
        # Second and later instances of a table are that table here; without any, ids are the same.
        same: dict[str, str] = {}
        for own, name in names.items():
            canonical = node_id("table", *name)
            if canonical != own:
                same[own] = canonical
        if self._collapses is not None:
            self._live(statement, names, renewed, same)
        nodes = self._nodes
        # Columns seen for the first time: those seen before have their owner already.
        fresh: set[str] = set()
        for node, ref in zip(statement.nodes, refs, strict=False):
            identifier = own = node.id
            if same:
                owner = owners.get(own)
                if owner is not None and owner in same:
                    identifier = same[own] = node_id(
                        "column", same[owner], *_column_key(node, owner, names)
                    )
                else:
                    identifier = same.get(own, own)
            held = nodes.get(identifier)
            if held is None:
                fresh.add(own)
                owner = owners.get(own)
                holder = same.get(owner, owner) if owner is not None else None
                held = nodes[identifier] = self._new_node(node, identifier, holder, names.get(own))
            elif node.node_type != "column" or node.resolution_source != held.resolution_source:
                _improve(held, node)
            if ref is not None:
                held.statement_refs.append(ref)
        self._merge_edges(statement.edges, same, fresh)

    def _live(
        self,
        statement: StatementLineage,
        names: dict[str, Name],
        renewed: Collection[str],
        same: dict[str, str],
    ) -> None:
        """Ids that tell the lives of a relation apart; a statement reads the one before its own."""
        collapses = self._collapses
        gone = {node.id for node in statement.nodes if collapses is not None and collapses(node)}
        canonical = {own: node_id("table", *name) for own, name in names.items()}
        self._collapsed.update(canonical[own] for own in gone if own in canonical)
        for own, name in names.items():
            life = self._lives.get(canonical[own], 0) + (own in renewed)
            if life and canonical[own] in self._collapsed:
                same[own] = node_id("table", *name, f"@{life}")
        for own in renewed:
            self._lives[canonical[own]] = self._lives.get(canonical[own], 0) + 1

    def _new_node(
        self, node: Node, identifier: str, holder: str | None, name: Name | None
    ) -> GlobalNode:
        if holder is None:
            canonical = _canonical(name or (node.label,))
        else:
            owner = self._nodes[holder].canonical_name
            column = node.label if owner.column is None else f"{owner.column}.{node.label}"
            canonical = _column_name(owner.catalog, owner.schema, owner.name, column)
        return GlobalNode(
            id=identifier,
            node_type=node.node_type,
            label=node.label,
            canonical_name=canonical,
            statement_refs=[],
            resolution_source=node.resolution_source,
            metadata=_kept(node.metadata),
        )

    def _merge_edges(self, edges: list[Edge], same: dict[str, str], fresh: set[str]) -> None:
        merged = self._edges
        for edge in edges:
            kind, target = edge.edge_type, edge.target
            if kind == "ownership" and target not in fresh:
                continue
            source, identifier = edge.source, edge.id
            key = identifier
            if same and (source in same or target in same):
                source, target = same.get(source, source), same.get(target, target)
                key = identifier = edge_id(source, target, kind)
            elif len(identifier) != PLAIN_EDGE:
                key = edge_id(source, target, kind)
            held = merged.get(key)
            if held is None:
                merged[key] = GlobalEdge(
                    id=identifier,
                    source=source,
                    target=target,
                    edge_type=kind,
                    approximate=edge.approximate,
                    metadata=edge.metadata,
                )
            elif kind != "ownership":
                if held.approximate and not edge.approximate:
                    held.approximate = False
                if _masks(held.metadata) and not _masks(edge.metadata):
                    held.metadata = edge.metadata

    def link(self, index: int, reads: list[str], writes: list[str], *, rewrites: bool) -> None:
        """Cross-statement edges: to the last full rewrite and everything appended since."""
        for name in reads:
            for producer in self._producers.get(name, []):
                if producer != index:
                    self._cross(name, producer, index)
        for name in writes:
            if rewrites:
                self._producers[name] = [index]
            else:
                self._producers.setdefault(name, []).append(index)

    def _cross(self, identifier: str, producer: int, consumer: int) -> None:
        edge = edge_id(identifier, identifier, "cross_statement", f"{producer}_{consumer}")
        if identifier in self._nodes and edge not in self._edges:
            self._edges[edge] = GlobalEdge(
                id=edge,
                source=identifier,
                target=identifier,
                edge_type="cross_statement",
                producer_statement=producer,
                consumer_statement=consumer,
            )

    def result(self) -> GlobalLineage:
        """Nodes and edges in order of first appearance."""
        return GlobalLineage(nodes=list(self._nodes.values()), edges=list(self._edges.values()))


def owners_of(edges: list[Edge]) -> dict[str, str]:
    """The node that each column or field belongs to."""
    return {edge.target: edge.source for edge in edges if edge.edge_type == "ownership"}


def _masks(metadata: dict[str, Any]) -> bool:
    """A value reaches its target unmasked if one statement lets it through."""
    return bool(metadata.get("transformation", {}).get("masking"))


def _canonical(name: Name) -> CanonicalName:
    if len(name) >= 3:
        return CanonicalName(catalog=".".join(name[:-2]), schema=name[-2], name=name[-1])
    if len(name) == 2:
        return CanonicalName(schema=name[0], name=name[1])
    return CanonicalName(name=name[0])


@lru_cache(maxsize=65536)
def _column_name(catalog: str | None, schema: str | None, name: str, column: str) -> CanonicalName:
    return CanonicalName(catalog=catalog, schema=schema, name=name, column=column)


def _kept(metadata: dict[str, Any]) -> dict[str, Any]:
    """Mostly all of it, and then the same map: it is never changed in place."""
    if metadata.keys() <= _KEPT:
        return metadata
    return {key: value for key, value in metadata.items() if key in _KEPT}


def _column_key(node: Node, owner: str, names: dict[str, Name]) -> tuple[str, ...]:
    """The column part of a column's identity, read back from its qualified name."""
    name = names.get(owner)
    prefix = ".".join(name) + "." if name is not None else ""
    qualified = node.qualified_name or node.label
    return (qualified.removeprefix(prefix),)


_CERTAINTY = {None: 0, "unknown": 1, "implied": 2, "imported": 3}


def _improve(held: GlobalNode, node: Node) -> None:
    """A later statement may know more: a definition beats a placeholder."""
    if _CERTAINTY[node.resolution_source] > _CERTAINTY[held.resolution_source]:
        held.resolution_source = node.resolution_source
        if "placeholder" in held.metadata:
            held.metadata = {k: v for k, v in held.metadata.items() if k != "placeholder"}
    if node.node_type == "view":
        held.node_type = "view"
    if node.metadata.get("temporary"):
        held.metadata = {**held.metadata, "temporary": True}

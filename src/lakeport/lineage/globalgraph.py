"""The graph of the whole workload: one node per canonical name, edges merged, statements linked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakeport.lineage.graph import edge_id, node_id
from lakeport.lineage.result import (
    CanonicalName,
    GlobalEdge,
    GlobalLineage,
    GlobalNode,
    StatementRef,
)

if TYPE_CHECKING:
    from lakeport.lineage.names import Name
    from lakeport.lineage.result import Edge, Node, StatementLineage


class GlobalGraph:
    """Grows statement by statement."""

    def __init__(self) -> None:
        self._nodes: dict[str, GlobalNode] = {}
        self._edges: dict[tuple[str, str, str], GlobalEdge] = {}
        # Who wrote a relation since its last full rewrite.
        self._producers: dict[str, list[int]] = {}

    def add(self, statement: StatementLineage, names: dict[str, Name]) -> None:
        """Merge one statement; `names` are the canonical names of its relations by node id."""
        same: dict[str, str] = {}
        index = statement.statement_index
        owners = {
            edge.target: edge.source for edge in statement.edges if edge.edge_type == "ownership"
        }
        for node in statement.nodes:
            same[node.id] = self._merge(node, index, names, owners, same)
        for edge in statement.edges:
            self._merge_edge(edge, same)

    def _merge(
        self,
        node: Node,
        index: int,
        names: dict[str, Name],
        owners: dict[str, str],
        same: dict[str, str],
    ) -> str:
        owner = owners.get(node.id)
        if owner is None:
            name = names.get(node.id)
            identifier = (
                node_id("table", *name)
                if name is not None and node.id.startswith("table_")
                else node.id
            )
            canonical = _canonical(name or (node.label,))
        else:
            holder = same.get(owner, owner)
            identifier = (
                node.id
                if holder == owner
                else node_id("column", holder, *_column_key(node, owner, names))
            )
            canonical = _column_name(self._nodes[holder].canonical_name, node)
        held = self._nodes.get(identifier)
        if held is None:
            held = self._nodes[identifier] = GlobalNode(
                id=identifier,
                node_type=node.node_type,
                label=node.label,
                canonical_name=canonical,
                statement_refs=[],
                resolution_source=node.resolution_source,
                metadata={
                    k: v
                    for k, v in node.metadata.items()
                    if k
                    in {
                        "temporary",
                        "placeholder",
                        "derived",
                        "external",
                        "dataType",
                        "dataTypeOrigin",
                    }
                },
            )
        else:
            _improve(held, node)
        held.statement_refs.append(StatementRef(statement_index=index, node_id=node.id))
        return identifier

    def _merge_edge(self, edge: Edge, same: dict[str, str]) -> None:
        source, target = same.get(edge.source, edge.source), same.get(edge.target, edge.target)
        key = (source, target, edge.edge_type)
        held = self._edges.get(key)
        if held is None:
            self._edges[key] = GlobalEdge(
                id=edge_id(source, target, edge.edge_type),
                source=source,
                target=target,
                edge_type=edge.edge_type,
                approximate=edge.approximate,
                metadata=edge.metadata,
            )
            return
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
        key = (f"{identifier}@{producer}", f"{identifier}@{consumer}", "cross_statement")
        if identifier in self._nodes and key not in self._edges:
            self._edges[key] = GlobalEdge(
                id=edge_id(identifier, identifier, "cross_statement", f"{producer}_{consumer}"),
                source=identifier,
                target=identifier,
                edge_type="cross_statement",
                producer_statement=producer,
                consumer_statement=consumer,
            )

    def result(self) -> GlobalLineage:
        """Nodes and edges in order of first appearance."""
        return GlobalLineage(nodes=list(self._nodes.values()), edges=list(self._edges.values()))


def _masks(metadata: dict[str, Any]) -> bool:
    """A value reaches its target unmasked if one statement lets it through."""
    return bool(metadata.get("transformation", {}).get("masking"))


def _canonical(name: Name) -> CanonicalName:
    if len(name) >= 3:
        return CanonicalName(catalog=".".join(name[:-2]), schema=name[-2], name=name[-1])
    if len(name) == 2:
        return CanonicalName(schema=name[0], name=name[1])
    return CanonicalName(name=name[0])


def _column_name(owner: CanonicalName, node: Node) -> CanonicalName:
    column = node.label if owner.column is None else f"{owner.column}.{node.label}"
    return CanonicalName(catalog=owner.catalog, schema=owner.schema, name=owner.name, column=column)


def _column_key(node: Node, owner: str, names: dict[str, Name]) -> tuple[str, ...]:
    """The column part of a column's identity, read back from its qualified name."""
    name = names.get(owner)
    prefix = ".".join(name) + "." if name is not None else ""
    qualified = node.qualified_name or node.label
    return (qualified.removeprefix(prefix),)


def _improve(held: GlobalNode, node: Node) -> None:
    """A later statement may know more: a definition beats a placeholder."""
    order = {None: 0, "unknown": 1, "implied": 2, "imported": 3}
    if order[node.resolution_source] > order[held.resolution_source]:
        held.resolution_source = node.resolution_source
        held.metadata.pop("placeholder", None)
    if node.node_type == "view":
        held.node_type = "view"
    if node.metadata.get("temporary"):
        held.metadata["temporary"] = True

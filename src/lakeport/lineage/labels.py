"""One readable name for every node of the global graph, each of them different.

A table is its dotted name. Outputs and CTEs have no name of their own in a workload: `output 3` is
that of statement 3, and a CTE says its statement when several share its name.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakeport.lineage.result import CanonicalName, GlobalLineage, GlobalNode, ResolvedTable


def dotted(name: CanonicalName | ResolvedTable) -> str:
    """A relation's name as people write it."""
    return ".".join(part for part in (name.catalog, name.schema, name.name) if part)


def column_owners(lineage: GlobalLineage) -> dict[str, str]:
    """The relation of each column; the field of a struct belongs to its column's relation."""
    kinds = {node.id: node.node_type for node in lineage.nodes}
    parents = {edge.target: edge.source for edge in lineage.edges if edge.edge_type == "ownership"}
    owners: dict[str, str] = {}
    for node in lineage.nodes:
        parent = node.id
        while kinds.get(parent) == "column":
            parent = parents.get(parent, "")
        if node.node_type == "column" and parent in kinds:
            owners[node.id] = parent
    return owners


def labels(lineage: GlobalLineage) -> dict[str, str]:
    """Node id → name. A column is `relation.column`; the second of two equal names ends in `#2`."""
    relations = [node for node in lineage.nodes if node.node_type != "column"]
    shared = Counter(dotted(node.canonical_name) for node in relations)
    named = {node.id: _relation(node, shared) for node in relations}
    owners = column_owners(lineage)
    seen: Counter[str] = Counter()
    for node in lineage.nodes:
        if node.node_type == "column":
            owner = named.get(owners.get(node.id, ""), dotted(node.canonical_name))
            name = f"{owner}.{column_name(node)}"
            seen[name] += 1
            named[node.id] = name if seen[name] == 1 else f"{name}#{seen[name]}"
    return named


def column_name(node: GlobalNode) -> str:
    return node.canonical_name.column or node.label


def _relation(node: GlobalNode, shared: Counter[str]) -> str:
    name = dotted(node.canonical_name)
    if not node.statement_refs or (node.node_type != "output" and shared[name] == 1):
        return name
    if node.node_type not in {"output", "cte"}:
        return name
    return f"{name} {node.statement_refs[0].statement_index}"

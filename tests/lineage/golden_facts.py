"""One statement's graph as short facts: names a person would write, sources traced to tables."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
VALUE_EDGES = frozenset({"data_flow", "derivation"})


@dataclass(slots=True)
class Origin:
    """How one source reaches one target, over all paths between them."""

    kinds: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    approximate: bool = False


class StatementFacts:
    """One statement's graph with nodes named the way golden lines name them."""

    def __init__(self, statement: Json) -> None:
        self.statement = statement
        self.nodes: dict[str, Json] = {node["id"]: node for node in statement["nodes"]}
        self.owner = {
            edge["target"]: edge["source"]
            for edge in statement["edges"]
            if edge["edgeType"] == "ownership"
        }
        self.incoming: dict[str, list[Json]] = defaultdict(list)
        for edge in statement["edges"]:
            self.incoming[edge["target"]].append(edge)

    def name(self, node_id: str) -> str:
        node = self.nodes[node_id]
        if node["nodeType"] == "output":
            return "out"
        if node["nodeType"] != "column":
            return str(node["label"] if self._is_local(node) else node["qualifiedName"])
        owner = self.nodes.get(self.owner.get(node_id, ""))
        if owner is None:
            return str(node["qualifiedName"])
        prefix = f"{owner.get('qualifiedName', '')}."
        qualified = str(node.get("qualifiedName", ""))
        own = qualified.removeprefix(prefix) if not self._is_local(owner) else node["label"]
        return f"{self.name(owner['id'])}.{own}"

    def origins(self, target: str) -> dict[str, Origin]:
        """Every table column (or relation) whose values reach the target."""
        found: dict[str, Origin] = defaultdict(Origin)
        stack: list[tuple[str, frozenset[str], str, bool]] = [
            (target, frozenset(), "data_flow", False)
        ]
        seen: set[tuple[str, frozenset[str], str, bool]] = set()
        while stack:
            state = stack.pop()
            if state in seen:
                continue
            seen.add(state)
            node_id, tags, kind, approximate = state
            for edge in self.incoming[node_id]:
                if edge["edgeType"] not in VALUE_EDGES:
                    continue
                step = (
                    edge["source"],
                    tags | _tags(edge),
                    "derivation" if "derivation" in (kind, edge["edgeType"]) else "data_flow",
                    approximate or bool(edge.get("approximate")),
                )
                if self.is_local_column(edge["source"]):
                    stack.append(step)
                else:
                    origin = found[self.name(edge["source"])]
                    origin.tags |= step[1]
                    origin.kinds.add(step[2])
                    origin.approximate |= step[3]
        return dict(found)

    def relation_edges(self, arrow: str) -> dict[tuple[str, str], Origin]:
        """Edges that end at a relation: joins, indirect inputs, table-level lineage."""
        wanted = {"<+": {"join_dependency"}, "<~": {"indirect_dependency"}}.get(arrow, VALUE_EDGES)
        found: dict[tuple[str, str], Origin] = defaultdict(Origin)
        for edge in self.statement["edges"]:
            if edge["edgeType"] in wanted and self.nodes[edge["target"]]["nodeType"] != "column":
                origin = found[self.name(edge["target"]), self.name(edge["source"])]
                origin.tags |= _tags(edge)
                origin.kinds.add(edge["edgeType"])
                origin.approximate |= bool(edge.get("approximate"))
        return dict(found)

    def columns(self) -> list[str]:
        return [node_id for node_id, node in self.nodes.items() if node["nodeType"] == "column"]

    def is_output_column(self, node_id: str) -> bool:
        owner = self.nodes.get(self.owner.get(node_id, ""))
        return owner is not None and owner["nodeType"] == "output"

    def is_written_column(self, node_id: str) -> bool:
        owner = self.nodes.get(self.owner.get(node_id, ""))
        if owner is None or owner["nodeType"] in {"cte", "output", "column"}:
            return False
        return any(edge["edgeType"] in VALUE_EDGES for edge in self.incoming[node_id])

    def is_local_column(self, node_id: str) -> bool:
        """Whether it belongs to a CTE or derived table, which sources are traced through."""
        owner = self.nodes.get(self.owner.get(node_id, ""))
        return owner is not None and owner["nodeType"] == "cte"

    @staticmethod
    def _is_local(node: Json) -> bool:
        return node["nodeType"] in {"cte", "output"}


def _tags(edge: Json) -> frozenset[str]:
    tags = {edge["operation"]} if "operation" in edge else set()
    transformation = edge.get("metadata", {}).get("transformation")
    if transformation:
        tags.add(transformation["subtype"])
    return frozenset(tags)


def workload_facts(lineage: Json) -> StatementFacts:
    """The global graph, seen like that of one statement."""
    parts = ("catalog", "schema", "name", "column")
    nodes = [
        {**node, "qualifiedName": ".".join(name[key] for key in parts if key in name)}
        for node in lineage["nodes"]
        for name in [node["canonicalName"]]
    ]
    return StatementFacts({"nodes": nodes, "edges": lineage["edges"]})

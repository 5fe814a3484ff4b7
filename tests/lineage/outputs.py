"""The output columns of the last statement of a workload, for tests that read like tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakeport.lineage.result import AnalyzeResult, Node


def outputs(result: AnalyzeResult) -> list[Node]:
    """The columns, in order."""
    statement = result.statements[-1]
    relations = {node.id for node in statement.nodes if node.node_type == "output"}
    owned = {
        edge.target
        for edge in statement.edges
        if edge.edge_type == "ownership" and edge.source in relations
    }
    return [node for node in statement.nodes if node.id in owned]


def output_sources(result: AnalyzeResult) -> dict[str, list[str]]:
    """Each column with those its value comes from; nothing but infos may have been said."""
    assert not [issue for issue in result.issues if issue.severity != "info"], result.issues
    statement = result.statements[-1]
    nodes = {node.id: node for node in statement.nodes}
    owner = {e.target: nodes[e.source] for e in statement.edges if e.edge_type == "ownership"}
    return {
        output.label: sorted(
            f"{owner[edge.source].label}.{nodes[edge.source].label}"
            for edge in statement.edges
            if edge.target == output.id and edge.source in owner and edge.edge_type != "ownership"
        )
        for output in outputs(result)
    }

"""Tables that a program makes out of others: no SQL tells how, but whoever wrote it says of which.

They are laid over a finished result, relation to relation. That such a table is made of others is certain;
which of their columns it uses is known to nobody, so no column has an edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from lakeport.lineage.graph import edge_id, node_id
from lakeport.lineage.labels import dotted
from lakeport.lineage.result import AnalyzeResult, CanonicalName, GlobalEdge, GlobalNode

_TABLES = frozenset({"table", "view"})


@dataclass(frozen=True, slots=True)
class Program:
    """Names in parts, without a catalog."""

    builds: tuple[str, str]
    reads: tuple[tuple[str, str], ...]


def with_programs(
    result: AnalyzeResult, programs: Sequence[Program], catalog: str | None = None
) -> AnalyzeResult:
    """`catalog` is where the tables are that are named without one."""
    if not programs:
        return result
    lineage = result.global_lineage
    known = {
        dotted(node.canonical_name).casefold(): node.id
        for node in lineage.nodes
        if node.node_type in _TABLES
    }
    nodes, edges = list(lineage.nodes), {edge.id: edge for edge in lineage.edges}

    def node(name: tuple[str, str]) -> str:
        canonical = CanonicalName(name=name[1], schema=name[0], catalog=catalog)
        label = dotted(canonical).casefold()
        if label not in known:
            known[label] = node_id("table", *label.split("."))
            nodes.append(GlobalNode(known[label], "table", name[1], canonical, []))
        return known[label]

    for program in programs:
        target = node(program.builds)
        for name in program.reads:
            source = node(name)
            identifier = edge_id(source, target, "derivation")
            edges.setdefault(identifier, GlobalEdge(identifier, source, target, "derivation"))
    return msgspec.structs.replace(
        result,
        global_lineage=msgspec.structs.replace(lineage, nodes=nodes, edges=list(edges.values())),
        summary=msgspec.structs.replace(
            result.summary,
            table_count=result.summary.table_count + len(nodes) - len(lineage.nodes),
        ),
    )

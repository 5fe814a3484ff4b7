"""Tags on a finished result: from hints and the schema, along the graph, onto every node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.tags import propagate, seeds_from_hints

if TYPE_CHECKING:
    from lakeport.lineage.request import ColumnTag
    from lakeport.lineage.result import AnalyzeResult
    from lakeport.lineage.session import Session


def classify(session: Session, result: AnalyzeResult) -> None:
    """Propagate tags over the global graph and show them on nodes and in the summary."""
    lineage = result.global_lineage
    seeds = seeds_from_hints(lineage.nodes, session.request.tag_hints, session.folding.column)
    for node in lineage.nodes:
        own = _schema_tags(session, node.canonical_name)
        if node.node_type == "column" and own:
            seeds[node.id] = [*seeds.get(node.id, []), *own]
    report = propagate(lineage.nodes, lineage.edges, seeds)
    for node in lineage.nodes:
        node.tags = list(report.tags.get(node.id, [])) or ()
        if node.id in report.stopped:
            node.metadata = {**node.metadata, "tagsMasked": report.stopped[node.id]}
    shown = {
        (ref.statement_index, ref.node_id): node
        for node in lineage.nodes
        for ref in node.statement_refs
    }
    for statement in result.statements:
        for column in statement.nodes:
            held = shown.get((statement.statement_index, column.id))
            if held is None:
                continue
            if held.tags:
                column.tags = held.tags
            if held.id in report.stopped:
                stopped = report.stopped[held.id]
                column.metadata = {**column.metadata, "tagsMasked": stopped}
    result.summary.tag_counts = report.counts
    result.summary.tag_flows = report.flows


def _schema_tags(session: Session, name: object) -> list[ColumnTag]:
    parts = [getattr(name, part) for part in ("catalog", "schema", "name")]
    entry = session.registry.imported.get(tuple(part for part in parts if part))
    column = getattr(name, "column", None)
    found = entry.find(session.folding.column(column)) if entry is not None and column else None
    return list(found.tags) if found is not None else []

"""The last steps over a whole result: collapsing, tags, size, summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.bypass import bypass, hidden_relations
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.resolved import resolved_schema
from lakeport.lineage.summary import Counts, counts_of, summarize

if TYPE_CHECKING:
    from lakeport.lineage.globalgraph import GlobalGraph
    from lakeport.lineage.result import AnalyzeResult, StatementLineage
    from lakeport.lineage.session import Session

_MANY_EDGES = 50_000


def finish(
    session: Session,
    statements: list[StatementLineage],
    graph: GlobalGraph,
    counts: list[Counts] | None = None,
) -> AnalyzeResult:
    """Everything that looks at all statements at once; `counts` of each, if somebody knows them."""
    options = session.options
    lineage = graph.result()
    if options.hide_ctes or options.collapse_temporary:
        # Inside one statement a temporary table is an end of the graph, never a step of it.
        for statement in statements if options.hide_ctes else []:
            removed = hidden_relations(
                statement.nodes, hide_ctes=True, collapse_temporary=False, pattern=None
            )
            statement.nodes, statement.edges = bypass(statement.nodes, statement.edges, removed)
        removed = hidden_relations(
            lineage.nodes,
            hide_ctes=options.hide_ctes,
            collapse_temporary=options.collapse_temporary,
            pattern=options.collapse_pattern,
        )
        lineage.nodes, lineage.edges = bypass(lineage.nodes, lineage.edges, removed)
    if counts is None or options.hide_ctes:
        counts = [counts_of(statement) for statement in statements]
    edges = sum([counted.edges for counted in counts])
    if edges > _MANY_EDGES:
        session.report(
            IssueCode.PAYLOAD_SIZE_WARNING,
            f"the result holds {edges} edges",
            hint="set options.enableColumnLineage to false, or analyse fewer files at once",
        )
    result = summarize(statements, lineage, session.issues, resolved_schema(session), counts)
    if session.tagged:
        # Tags are rare: their module is loaded when a request brings some.
        from lakeport.lineage.classify import classify  # noqa: PLC0415 - see above

        classify(session, result)
    return result

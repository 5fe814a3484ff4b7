"""The numbers of an analysis, and the complexity of statements."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from lakeport.lineage.result import AnalyzeResult, IssueCount, Summary

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.issues import Issue
    from lakeport.lineage.result import (
        GlobalLineage,
        GlobalNode,
        ResolvedSchema,
        StatementLineage,
    )

_kind = attrgetter("node_type")
_filters = attrgetter("filters")
_approximate = attrgetter("approximate")
_source = attrgetter("resolution_source")
_NO_TABLES = frozenset({"column", "output"})
_TABLE, _CTE, _JOIN, _WIDE_JOIN, _FILTER = 5, 8, 10, 15, 2


def complexity(binder: Binder) -> int:
    """5 per table or view, 8 per CTE, 10 per join (15 when CROSS or FULL), 2 per filter; 1 to 100."""
    score = _FILTER * binder.filters + _JOIN * len(binder.joins)
    for relation in binder.relations:
        if relation.kind != "output":
            score += _TABLE if relation.local_kind is None else _CTE
    wide = binder.joins.count("CROSS") + binder.joins.count("FULL")
    return _clamped(score + (_WIDE_JOIN - _JOIN) * wide)


def _clamped(score: int) -> int:
    return max(1, min(100, score))


def _unresolved(nodes: list[GlobalNode]) -> int:
    """Relations that nobody defines; mostly there is nothing of the kind."""
    if "unknown" not in map(_source, nodes):
        return 0
    return sum(
        node.resolution_source == "unknown" and node.node_type not in _NO_TABLES for node in nodes
    )


class Counts(NamedTuple):
    """What a summary adds up of the nodes and edges of each statement."""

    edges: int
    filters: int
    approximate: int


def counts_of(statement: StatementLineage) -> Counts:
    """Counted in C, because there are as many nodes and edges as there is anything."""
    edges = statement.edges
    # A condition on a join is noted at both sides of it, and is one.
    filters = set().union(*filter(None, map(_filters, statement.nodes)))
    return Counts(len(edges), len(filters), sum(map(_approximate, edges)))


def summarize(
    statements: list[StatementLineage],
    graph: GlobalLineage,
    issues: list[Issue],
    schema: ResolvedSchema | None,
    counts: list[Counts],
) -> AnalyzeResult:
    """The whole result with its summary."""
    kinds = list(map(_kind, graph.nodes))
    ctes, tables = kinds.count("cte"), kinds.count("table") + kinds.count("view")
    joins = sum([statement.join_count for statement in statements])
    filters = sum([counted.filters for counted in counts])
    score = _TABLE * tables + _CTE * ctes + _JOIN * joins + _FILTER * filters
    severities = [issue.severity for issue in issues]
    errors, warnings = severities.count("error"), severities.count("warning")
    summary = Summary(
        statement_count=len(statements),
        table_count=tables + ctes,
        column_count=kinds.count("column"),
        join_count=joins,
        complexity_score=_clamped(score),
        issue_count=IssueCount(
            errors=errors, warnings=warnings, infos=len(issues) - errors - warnings
        ),
        has_errors=errors > 0,
        approximate_edge_count=sum([counted.approximate for counted in counts]),
        unresolved_table_count=_unresolved(graph.nodes),
    )
    return AnalyzeResult(
        statements=statements,
        global_lineage=graph,
        issues=issues,
        summary=summary,
        resolved_schema=schema,
    )

"""The numbers of an analysis, and the complexity of statements."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from lakeport.lineage.result import AnalyzeResult, IssueCount, Summary

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.issues import Issue
    from lakeport.lineage.result import GlobalLineage, ResolvedSchema, StatementLineage

_TABLE, _CTE, _JOIN, _WIDE_JOIN, _FILTER = 5, 8, 10, 15, 2
_RELATIONS = ("table", "view", "cte")
_node_type = attrgetter("node_type")
_resolution = attrgetter("node_type", "resolution_source")
_join_count = attrgetter("join_count")
_filters = attrgetter("filters")
_approximate = attrgetter("approximate")
_severity = attrgetter("severity")


def complexity(binder: Binder) -> int:
    """5 per table or view, 8 per CTE, 10 per join (15 when CROSS or FULL), 2 per filter; 1 to 100."""
    score = sum(
        _TABLE if relation.local_kind is None else _CTE
        for relation in binder.relations
        if relation.kind != "output"
    )
    score += sum(_WIDE_JOIN if kind in {"CROSS", "FULL"} else _JOIN for kind in binder.joins)
    return _clamped(score + _FILTER * binder.filters)


def _clamped(score: int) -> int:
    return max(1, min(100, score))


def summarize(
    statements: list[StatementLineage],
    graph: GlobalLineage,
    issues: list[Issue],
    schema: ResolvedSchema | None,
) -> AnalyzeResult:
    """The whole result with its summary."""
    # A large answer is counted without a step of Python for each of its parts.
    kinds = list(map(_node_type, graph.nodes))
    ctes, tables = kinds.count("cte"), kinds.count("table") + kinds.count("view")
    known = list(map(_resolution, graph.nodes))
    unresolved = sum(known.count((kind, "unknown")) for kind in _RELATIONS)
    joins = sum(map(_join_count, statements))
    filters = sum([sum(map(len, map(_filters, s.nodes))) for s in statements])
    score = _TABLE * tables + _CTE * ctes + _JOIN * joins + _FILTER * filters
    severities = list(map(_severity, issues))
    errors, warnings = severities.count("error"), severities.count("warning")
    counted = Summary(
        statement_count=len(statements),
        table_count=tables + ctes,
        column_count=kinds.count("column"),
        join_count=joins,
        complexity_score=_clamped(score),
        issue_count=IssueCount(
            errors=errors, warnings=warnings, infos=len(issues) - errors - warnings
        ),
        has_errors=errors > 0,
        approximate_edge_count=sum([sum(map(_approximate, s.edges)) for s in statements]),
        unresolved_table_count=unresolved,
    )
    return AnalyzeResult(
        statements=statements,
        global_lineage=graph,
        issues=issues,
        summary=counted,
        resolved_schema=schema,
    )

"""What the analyzer says about a query: per output column its sources, per query its other inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from lakeport.lineage import analyze
from tests.lineage.golden_facts import StatementFacts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.lineage.oracle.world import Scenario

NAMESPACE = "main"
FILTERING = frozenset({"FILTER", "JOIN"})
COMPARING = frozenset({"UNION", "INTERSECT", "EXCEPT"})


@dataclass(frozen=True, slots=True)
class Claims:
    """`direct` and `reaching` are in output order; sources are written `table.column`.

    `rows`: what decides which rows there are, for columns that a statement does not write.
    """

    names: list[str]
    direct: list[set[str]]
    reaching: list[set[str]]
    rows: set[str]
    approximate: bool
    issues: list[str]


def claims_about(scenario: Scenario) -> Claims:
    tables = [
        {
            "schema": NAMESPACE,
            "name": table.name,
            "columns": [{"name": c.name, "dataType": "BIGINT"} for c in table.columns],
        }
        for table in scenario.tables
    ]
    result = msgspec.to_builtins(
        analyze(
            {
                "sql": scenario.sql,
                "dialect": "duckdb",
                "schema": {"tables": tables, "defaultSchema": NAMESPACE},
                "options": {"includeIndirect": True},
            }
        )
    )
    facts = StatementFacts(result["statements"][0])
    columns = _answered(facts, scenario.target)
    indirect = _indirect_sources(facts, scenario.target)
    origins = [facts.origins(column) for column in columns]
    return Claims(
        names=[facts.nodes[column]["label"] for column in columns],
        direct=[
            _columns(name for name, origin in found.items() if not origin.tags & FILTERING)
            for found in origins
        ],
        reaching=[_columns(found) | indirect for found in origins],
        rows=indirect.union(*map(_columns, origins)),
        approximate=any(edge.get("approximate") for edge in facts.statement["edges"]),
        issues=[f"{issue['code']}: {issue['message']}" for issue in result["issues"]],
    )


def _answered(facts: StatementFacts, target: str | None) -> list[str]:
    """The columns of the output, or those that the statement writes."""
    if target is None:
        return [node_id for node_id in facts.columns() if facts.is_output_column(node_id)]
    prefix = f"{NAMESPACE}.{target}."
    owned = [node_id for node_id in facts.columns() if facts.name(node_id).startswith(prefix)]
    return [
        n
        for n in owned
        if facts.is_written_column(n) or "CREATE" in facts.statement["statementType"]
    ]


def _indirect_sources(facts: StatementFacts, target: str | None) -> set[str]:
    """Inputs of the output relation and of every relation upstream of it, traced to tables."""
    upstream = _upstream_relations(facts, target)
    found: set[str] = set()
    edges = facts.statement["edges"]
    # A set operation keeps a row or not by the values of all branches: they decide which rows there are.
    compared = {edge["target"] for edge in edges if edge.get("operation") in COMPARING}
    for edge in edges:
        home = facts.owner.get(edge["target"], edge["target"])
        decides = edge["edgeType"] == "indirect_dependency" or (
            edge["target"] in compared and edge["edgeType"] != "ownership"
        )
        if decides and home in upstream:
            source = edge["source"]
            local = facts.is_local_column(source)
            found.update(facts.origins(source) if local else {facts.name(source)})
    return _columns(found)


def _columns(names: Iterable[str]) -> set[str]:
    """Sources as `table.column`; whole relations (`count(*)`) are not columns."""
    short = {name.removeprefix(f"{NAMESPACE}.") for name in names}
    return {name for name in short if "." in name}


def _upstream_relations(facts: StatementFacts, target: str | None) -> set[str]:
    inputs: dict[str, set[str]] = {}
    for edge in facts.statement["edges"]:
        if edge["edgeType"] != "ownership":
            source, end = (facts.owner.get(edge[key], edge[key]) for key in ("source", "target"))
            inputs.setdefault(end, set()).add(source)
    last = "out" if target is None else f"{NAMESPACE}.{target}"
    pending = [key for key in facts.nodes if facts.name(key) == last]
    seen: set[str] = set()
    while pending:
        relation = pending.pop()
        if relation not in seen:
            seen.add(relation)
            pending.extend(inputs.get(relation, ()))
    return seen

"""What the analyzer says about a query: per output column its sources, per query its other inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from lakeport.lineage import analyze
from tests.lineage.golden_facts import StatementFacts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.lineage.oracle.generate import Scenario

NAMESPACE = "main"
FILTERING = frozenset({"FILTER", "JOIN"})


@dataclass(frozen=True, slots=True)
class Claims:
    """`direct` and `reaching` are in output order; sources are written `table.column`."""

    names: list[str]
    direct: list[set[str]]
    reaching: list[set[str]]
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
    columns = [node_id for node_id in facts.columns() if facts.is_output_column(node_id)]
    indirect = _indirect_sources(facts)
    origins = [facts.origins(column) for column in columns]
    return Claims(
        names=[facts.nodes[column]["label"] for column in columns],
        direct=[
            _columns(name for name, origin in found.items() if not origin.tags & FILTERING)
            for found in origins
        ],
        reaching=[_columns(found) | indirect for found in origins],
        approximate=any(edge.get("approximate") for edge in facts.statement["edges"]),
        issues=[f"{issue['code']}: {issue['message']}" for issue in result["issues"]],
    )


def _indirect_sources(facts: StatementFacts) -> set[str]:
    """Inputs of the output relation and of every relation upstream of it, traced to tables."""
    upstream = _upstream_relations(facts)
    found: set[str] = set()
    for edge in facts.statement["edges"]:
        if edge["edgeType"] != "indirect_dependency" or edge["target"] not in upstream:
            continue
        traced = facts.origins(edge["source"])
        found.update(traced or {facts.name(edge["source"])})
    return _columns(found)


def _columns(names: Iterable[str]) -> set[str]:
    """Sources as `table.column`; whole relations (`count(*)`) are not columns."""
    short = {name.removeprefix(f"{NAMESPACE}.") for name in names}
    return {name for name in short if "." in name}


def _upstream_relations(facts: StatementFacts) -> set[str]:
    inputs: dict[str, set[str]] = {}
    for edge in facts.statement["edges"]:
        if edge["edgeType"] != "ownership":
            target = facts.owner.get(edge["target"], edge["target"])
            inputs.setdefault(target, set()).add(facts.owner.get(edge["source"], edge["source"]))
    pending = [key for key, node in facts.nodes.items() if node["nodeType"] == "output"]
    seen: set[str] = set()
    while pending:
        relation = pending.pop()
        if relation not in seen:
            seen.add(relation)
            pending.extend(inputs.get(relation, ()))
    return seen

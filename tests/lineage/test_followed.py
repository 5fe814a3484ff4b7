"""Whoever follows edges from a target back to its tables never comes to a dead end.

Over every golden: each column has its relation, each edge has both ends, what a value comes from is
among the tables that are read, and a column of a CTE that feeds others is fed itself, unless its text
names no column. The workload's graph has every edge of its statements.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from lakeport.lineage import analyze
from tests.lineage.golden_facts import VALUE_EDGES, StatementFacts, workload_facts
from tests.lineage.golden_file import GoldenCase, read_cases

Json = dict[str, Any]
CASES = [
    case
    for path in sorted((Path(__file__).parent / "golden").glob("*.sql"))
    for case in read_cases(path)
]


def _answers() -> list[tuple[GoldenCase, Json]]:
    return [(case, msgspec.to_builtins(analyze(case.request))) for case in CASES]


@pytest.fixture(scope="module")
def answers() -> list[tuple[GoldenCase, Json]]:
    return _answers()


def _graphs(answer: Json) -> list[StatementFacts]:
    statements = [StatementFacts(statement) for statement in answer["statements"]]
    return [*statements, workload_facts(answer["globalLineage"])]


def test_every_column_has_its_relation_and_every_edge_its_ends(
    answers: list[tuple[GoldenCase, Json]],
) -> None:
    for case, answer in answers:
        for facts in _graphs(answer):
            assert all(column in facts.owner for column in facts.columns()), case.identity
            ends = {edge[end] for edge in facts.statement["edges"] for end in ("source", "target")}
            assert ends <= facts.nodes.keys(), case.identity
            ids = [edge["id"] for edge in facts.statement["edges"]]
            assert len(ids) == len(set(ids)), case.identity


def test_values_come_from_what_is_read_and_go_to_what_is_written(
    answers: list[tuple[GoldenCase, Json]],
) -> None:
    for case, answer in answers:
        for statement in answer["statements"]:
            facts = StatementFacts(statement)
            reads = {*statement.get("reads", ()), *statement.get("writes", ())}
            for edge in statement["edges"]:
                if edge["edgeType"] not in VALUE_EDGES or statement["statementType"] == "EXPLAIN":
                    continue
                source, target = (_stored(facts, edge[end]) for end in ("source", "target"))
                assert source is None or source in reads, (case.identity, source)
                written = statement.get("writes", ())
                assert target is None or target in written, (case.identity, target)


def _stored(facts: StatementFacts, node_id: str) -> str | None:
    """The name of the table that a node belongs to, if it is one."""
    while facts.nodes[node_id]["nodeType"] == "column":
        node_id = facts.owner[node_id]
    node = facts.nodes[node_id]
    return str(node["qualifiedName"]) if node["nodeType"] in {"table", "view"} else None


def test_a_column_inside_that_feeds_others_is_fed(
    answers: list[tuple[GoldenCase, Json]],
) -> None:
    for case, answer in answers:
        for statement in answer["statements"]:
            facts = StatementFacts(statement)
            feeding = {e["source"] for e in statement["edges"] if e["edgeType"] in VALUE_EDGES}
            for column in feeding:
                fed = any(e["edgeType"] in VALUE_EDGES for e in facts.incoming[column])
                if fed or not facts.is_local_column(column):
                    continue
                text = facts.nodes[column].get("expression", "")
                assert not _names_columns(text, case), (case.identity, facts.name(column), text)


def _names_columns(text: str, case: GoldenCase) -> bool:
    dialect = case.request["dialect"]
    try:
        tree = parse_one(text, read=None if dialect in {"generic", "ansi"} else dialect)
    except (SqlglotError, ValueError):
        return False
    return tree.find(exp.Column) is not None


def test_the_graph_of_the_workload_has_the_edges_of_its_statements(
    answers: list[tuple[GoldenCase, Json]],
) -> None:
    for case, answer in answers:
        options = case.request.get("options", {})
        if options.get("collapseTemporary") or options.get("hideCtes"):
            continue
        whole = workload_facts(answer["globalLineage"])
        known = defaultdict(set)
        for reference, edge_ends in _references(answer):
            known[reference].add(edge_ends)
        edges = {(edge["source"], edge["target"]) for edge in whole.statement["edges"]}
        for index, statement in enumerate(answer["statements"]):
            for edge in statement["edges"]:
                ends = [known[index, edge[end]] for end in ("source", "target")]
                assert any((s, t) in edges for s in ends[0] for t in ends[1]), case.identity


def _references(answer: Json) -> list[tuple[tuple[int, str], str]]:
    """Each node of a statement with its node in the whole."""
    return [
        ((reference["statementIndex"], reference.get("nodeId", node["id"])), node["id"])
        for node in answer["globalLineage"]["nodes"]
        for reference in node["statementRefs"]
    ]

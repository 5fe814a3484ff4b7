"""Comparing two analyses."""

from __future__ import annotations

from lakeport.lineage import analyze
from lakeport.lineage.diff import LineageDiff, diff
from lakeport.lineage.render import change_lines

BEFORE = "CREATE TABLE s (a INT, b INT); CREATE TABLE t AS SELECT a, b FROM s;"


def _diff(after: str, before: str = BEFORE) -> LineageDiff:
    old, new = (analyze({"sql": sql, "dialect": "spark"}) for sql in (before, after))
    return diff(old, new)


def test_equal_analyses_differ_in_nothing() -> None:
    assert not _diff(BEFORE)


def test_comments_are_no_change() -> None:
    assert not _diff("-- hello\n" + BEFORE)


def test_a_new_column_is_a_node_an_edge_and_a_schema_column() -> None:
    found = _diff(
        "CREATE TABLE s (a INT, b INT); CREATE TABLE t AS SELECT a, b, a + b AS c FROM s;"
    )
    assert [node.name for node in found.nodes.added] == ["t.c"]
    assert {(edge.source, edge.target) for edge in found.edges.added} == {
        ("s.a", "t.c"),
        ("s.b", "t.c"),
    }
    assert [(column.table, column.column) for column in found.columns.added] == [("t", "c")]
    assert not found.nodes.removed


def test_a_lost_column_is_removed() -> None:
    found = _diff("CREATE TABLE s (a INT, b INT); CREATE TABLE t AS SELECT a FROM s;")
    assert [column.column for column in found.columns.removed] == ["b"]
    assert [(edge.source, edge.target) for edge in found.edges.removed] == [("s.b", "t.b")]


def test_copied_to_computed_is_one_changed_edge() -> None:
    found = _diff("CREATE TABLE s (a INT, b INT); CREATE TABLE t AS SELECT a, b + 1 AS b FROM s;")
    [change] = found.edges.changed
    assert (change.before.edge_type, change.after.edge_type) == ("data_flow", "derivation")
    assert not found.edges.added
    assert not found.edges.removed


def test_a_changed_type_is_a_changed_schema_column() -> None:
    found = _diff("CREATE TABLE s (a BIGINT, b INT); CREATE TABLE t AS SELECT a, b FROM s;")
    changed = {(c.after.table, c.after.column): c for c in found.columns.changed}
    assert ("s", "a") in changed


def test_lines_read_like_sentences() -> None:
    found = _diff("CREATE TABLE s (a INT, b INT); CREATE TABLE t AS SELECT a, b + 1 AS b FROM s;")
    lines = [(line.sign, line.subject, line.name) for line in change_lines(found)]
    assert ("~", "edge", "s.b → t.b") in lines
    detail = next(line.detail for line in change_lines(found) if line.subject == "edge")
    assert "edge type: data_flow → derivation" in detail

"""Sizes, deadlines, depth and history: what the options bound, and what an answer then says."""

from __future__ import annotations

from typing import Any

import pytest

from lakeport.lineage import AnalyzeResult, IssueCode, analyze

MEBIBYTE = 1024 * 1024


def _codes(result: AnalyzeResult) -> set[str]:
    return {issue.code.value for issue in result.issues}


def _analyzed(sql: str, **options: Any) -> AnalyzeResult:
    return analyze({"sql": sql, "dialect": "spark", "options": options})


def test_a_source_over_ten_mebibytes_is_refused_and_the_others_go_on() -> None:
    files = [
        {"name": "big.sql", "content": "SELECT 1 --" + "x" * (10 * MEBIBYTE)},
        {"name": "small.sql", "content": "SELECT a FROM t"},
    ]
    result = analyze({"files": files, "dialect": "spark"})
    refused = [issue for issue in result.issues if issue.code is IssueCode.INVALID_REQUEST]
    assert [issue.source_name for issue in refused] == ["big.sql"]
    assert [statement.source_name for statement in result.statements] == ["small.sql"]


def test_a_source_over_one_mebibyte_is_analysed_with_a_warning() -> None:
    result = _analyzed("SELECT a FROM t --" + "x" * (MEBIBYTE + 1))
    assert IssueCode.PAYLOAD_SIZE_WARNING.value in _codes(result)
    assert result.summary.statement_count == 1


def test_no_time_at_all_cancels_what_is_left() -> None:
    result = _analyzed(";".join(["SELECT a FROM t"] * 50), timeBudgetMs=0)
    assert IssueCode.CANCELLED.value in _codes(result)
    assert not result.summary.has_errors


def test_a_deep_expression_is_flagged_not_refused() -> None:
    result = _analyzed("SELECT " + "abs(" * 600 + "a" + ")" * 600 + " AS v FROM t")
    assert result.summary.statement_count == 1


@pytest.mark.parametrize("terms", [2_000])
def test_long_chains_of_terms_are_no_problem(terms: int) -> None:
    condition = " OR ".join(f"a = {number}" for number in range(terms))
    total = " + ".join(f"c{number}" for number in range(terms))
    result = _analyzed(f"SELECT {total} AS total FROM t WHERE {condition}")
    assert not result.summary.has_errors
    assert result.summary.column_count >= terms


@pytest.mark.parametrize("item", ["r.a AS v", "c.r.b AS v", "r.*", "r"])
def test_a_struct_may_be_handed_on_a_thousand_times(item: str) -> None:
    handed = ", ".join(f"c{number + 1} AS (SELECT r FROM c{number})" for number in range(1_000))
    first = "c0 AS (SELECT named_struct('a', a, 'b', b) AS r FROM t)"
    result = _analyzed(f"WITH {first}, {handed} SELECT {item} FROM c1000 AS c")
    assert IssueCode.APPROXIMATE_LINEAGE.value not in _codes(result)
    assert result.summary.column_count >= 1_000


@pytest.mark.long
def test_a_long_path_through_lists_is_no_problem() -> None:
    result = _analyzed(f"SELECT {'x' + '[0].a' * 300} AS q FROM t")
    assert IssueCode.APPROXIMATE_LINEAGE.value not in _codes(result)
    assert any(edge.edge_type == "derivation" for edge in result.statements[0].edges)


def test_ten_thousand_terms_branches_and_columns() -> None:
    condition = " OR ".join(f"a = {number}" for number in range(10_000))
    branches = " UNION ALL ".join(f"SELECT a{number} FROM t{number}" for number in range(1_000))
    nested = "SELECT a FROM t"
    for level in range(50):
        nested = f"WITH c{level} AS ({nested}) SELECT a FROM c{level}"
    for sql in (f"SELECT a FROM t WHERE {condition}", branches, nested):
        assert not _analyzed(sql).summary.has_errors
    columns = [{"name": f"c{number}"} for number in range(10_000)]
    schema = {"tables": [{"name": "wide", "columns": columns}]}
    result = analyze({"sql": "SELECT * FROM wide", "dialect": "spark", "schema": schema})
    assert result.summary.column_count == 20_000


def test_history_lists_every_version_of_a_table() -> None:
    sql = (
        "CREATE TABLE t (a INT); ALTER TABLE t ADD COLUMN b INT; CREATE OR REPLACE TABLE t (c INT);"
    )
    result = _analyzed(sql, includeSchemaHistory=True)
    assert result.resolved_schema is not None
    versions = [version for version in result.resolved_schema.history if version.name == "t"]
    columns = [[column.name for column in version.columns] for version in versions]
    assert columns == [["a"], ["a", "b"], ["c"]]
    assert [version.valid_from for version in versions] == [0, 1, 2]
    assert [version.valid_to for version in versions] == [1, 2, None]


def test_there_is_no_history_unless_asked_for() -> None:
    result = _analyzed("CREATE TABLE t (a INT)")
    assert result.resolved_schema is not None
    assert not result.resolved_schema.history


def test_each_issue_is_told_once() -> None:
    request = {
        "sql": "SELECT a, a, a FROM missing WHERE a > 1 AND missing.a < 3",
        "dialect": "spark",
        "schema": {"tables": [{"name": "t", "columns": [{"name": "x"}]}]},
    }
    codes = [issue.code for issue in analyze(request).issues]
    assert codes.count(IssueCode.UNKNOWN_TABLE) == 1


def test_what_is_cut_off_is_looked_at_once() -> None:
    # A look at the rest from every word in it took half a minute for as many.
    deep = "(" * 100_000 + "price" + ")" * 100_000
    result = _analyzed(f"SELECT {deep} AS total FROM orders")
    flows = [edge for edge in result.statements[0].edges if edge.edge_type == "derivation"]
    assert len(flows) == 1


def test_a_statement_nested_deeper_than_asked_for_keeps_its_tables() -> None:
    sql = f"INSERT INTO o SELECT {'f(' * 30}a{')' * 30} FROM t"
    assert IssueCode.APPROXIMATE_LINEAGE.value not in _codes(_analyzed(sql))
    shallow = _analyzed(sql, maxExpressionDepth=20)
    assert IssueCode.APPROXIMATE_LINEAGE.value in _codes(shallow)
    assert not shallow.summary.has_errors
    assert (shallow.statements[0].reads, shallow.statements[0].writes) == (["t"], ["o"])


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("2026-01-01", "2026-01-01T00:00:00Z"),
        ("2026-01-01T10:00:00+02:00", "2026-01-01T08:00:00Z"),
        ("2026-01-01T10:00:00.000Z", "2026-01-01T10:00:00.000Z"),
    ],
)
def test_times_are_shown_in_utc_whatever_zone_they_are_given_in(given: str, shown: str) -> None:
    schema = _analyzed("CREATE TABLE t (a INT)", analysisTime=given).resolved_schema
    assert schema is not None
    assert [table.updated_at for table in schema.tables] == [shown]


def test_a_time_that_is_none_is_refused_with_its_place() -> None:
    refused = _analyzed("SELECT 1", analysisTime="yesterday").issues
    assert [issue.code for issue in refused] == [IssueCode.INVALID_REQUEST]
    assert "`yesterday`" in refused[0].message
    assert "`$.options`" in refused[0].message


def test_the_history_of_a_table_ends_where_it_is_dropped_or_renamed() -> None:
    sql = "CREATE TABLE t (a INT); DROP TABLE t; CREATE TABLE u (b INT); ALTER TABLE u RENAME TO v"
    schema = _analyzed(sql, includeSchemaHistory=True).resolved_schema
    assert schema is not None
    spans = [(version.name, version.valid_from, version.valid_to) for version in schema.history]
    assert spans == [("t", 0, 1), ("u", 2, 3), ("v", 3, None)]


def test_a_table_that_is_read_very_often_tells_all_its_places_once() -> None:
    branches = 1_000
    result = analyze(
        {"sql": " UNION ALL ".join(["SELECT a FROM t"] * branches), "dialect": "spark"}
    )
    first, *others = [n for n in result.statements[0].nodes if n.qualified_name == "t"]
    assert len(first.name_spans) == branches
    assert [len(node.name_spans) for node in others] == [1] * (branches - 1)
    assert [node.span for node in others] == first.name_spans[1:]

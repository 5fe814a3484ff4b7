"""Syntax the parser cannot read: rewritten where it matters, salvaged where it does not parse at all."""

from __future__ import annotations

import pytest

from lakeport.lineage import AnalyzeResult, analyze


def analysed(sql: str, dialect: str = "spark") -> AnalyzeResult:
    return analyze(
        {"sql": sql, "dialect": dialect, "options": {"analysisTime": "2026-01-01T00:00:00Z"}}
    )


def codes(result: AnalyzeResult) -> list[str]:
    return [issue.code.value for issue in result.issues if issue.severity != "info"]


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("REPLACE TABLE db.t USING iceberg AS SELECT 1 AS x", "CREATE_TABLE_AS"),
        ("ALTER TABLE db.t ADD PARTITION FIELD days(ts)", "ALTER_TABLE"),
        ("ALTER TABLE db.t WRITE ORDERED BY a", "ALTER_TABLE"),
        ("ALTER TABLE db.t CREATE BRANCH audit", "ALTER_TABLE"),
        ("ALTER TABLE db.t ADD COLUMN (a INT, b STRING)", "ALTER_TABLE"),
        ("ALTER TABLE db.t DROP COLUMN a, b", "ALTER_TABLE"),
        ("INSERT OVERWRITE DIRECTORY '/out' USING parquet SELECT 1 AS a", "INSERT_OVERWRITE"),
        ("EXPLAIN EXTENDED SELECT 1 AS a", "EXPLAIN"),
        ("CALL lake.system.rewrite_data_files(table => 'db.t')", "CALL"),
        ("SELECT 1 AS a FROM db.t FOR SYSTEM_VERSION AS OF 12", "SELECT"),
    ],
)
def test_syntax_of_icebergs_spark_is_read(sql: str, kind: str) -> None:
    result = analysed(sql)
    assert result.statements[0].statement_type == kind
    assert codes(result) == []


def test_table_as_a_query_reads_the_table() -> None:
    result = analysed("CREATE TABLE t (a INT, b INT); TABLE t")
    assert result.statements[1].statement_type == "SELECT"
    assert result.statements[1].reads == ["t"]
    assert codes(result) == []


def test_a_list_of_added_columns_reaches_the_schema() -> None:
    result = analysed("CREATE TABLE t (id INT); ALTER TABLE t ADD COLUMN (a INT, b STRING)")
    assert result.resolved_schema is not None
    assert [column.name for column in result.resolved_schema.tables[0].columns] == ["id", "a", "b"]


def test_the_offending_token_is_the_span_of_the_error() -> None:
    sql = "SELECT a FROM t; SELECT a FRM t WHERE"
    result = analysed(sql)
    problem = next(issue for issue in result.issues if issue.code.value == "PARSE_ERROR")
    assert problem.span is not None
    assert problem.statement_index == 1
    assert problem.span.start >= sql.index("SELECT a FRM")


def test_what_is_never_closed_is_the_span_of_the_error() -> None:
    sql = "SELECT 1; SELECT a FROM t WHERE b = 'x\nAND c = 2; SELECT 2"
    result = analysed(sql)
    problem = next(issue for issue in result.issues if issue.code.value == "PARSE_ERROR")
    assert problem.span is not None
    assert problem.span.start == sql.index("'")
    assert problem.message == "this string does not end"
    assert [statement.reads for statement in result.statements] == [[], ["t"], []]


def test_an_unreadable_statement_keeps_its_place_and_its_tables() -> None:
    result = analysed(
        "SELECT 1; INSERT INTO db.target SELEC a FRO x FROM db.source WHERE ((; SELECT 2"
    )
    broken = result.statements[1]
    assert broken.statement_type == "UNKNOWN"
    assert broken.writes == ["db.target"]
    assert broken.reads == ["db.source"]
    assert [statement.statement_index for statement in result.statements] == [0, 1, 2]


def test_another_dialect_may_read_what_the_own_one_does_not() -> None:
    result = analysed("SELECT a FROM t WHERE a ~ 'x'", "redshift")
    assert codes(result) == []


def test_explain_leaves_the_registry_alone() -> None:
    result = analysed("EXPLAIN CREATE TABLE t AS SELECT 1 AS a; SELECT * FROM t")
    assert result.statements[0].metadata == {"explainOnly": True}
    assert "APPROXIMATE_LINEAGE" in codes(result)


def test_an_opaque_command_is_never_a_silent_success() -> None:
    assert codes(analysed("CREATE WIDGET w FROM t")) != []
    assert codes(analysed("SHOW TABLES")) == []


@pytest.mark.parametrize("depth", [200, 450, 5000])
def test_nesting_ends_in_an_answer_whatever_its_depth(depth: int) -> None:
    for sql in (
        "SELECT " + "(" * depth + "1" + ")" * depth,
        "SELECT * FROM " + "(SELECT * FROM " * depth + "t" + ")" * depth,
        "SELECT " + "struct(" * depth + "1" + ")" * depth,
        "SELECT CAST(a AS " + "array<" * depth + "int" + ">" * depth + ") FROM t",
    ):
        assert len(analysed(sql).statements) == 1


def test_long_chains_are_no_nesting() -> None:
    branches = " UNION ALL ".join(f"SELECT a FROM t{number}" for number in range(300))
    terms = " OR ".join(f"a = {number}" for number in range(3000))
    result = analysed(f"{branches}; SELECT a FROM t WHERE {terms}")
    assert codes(result) == []
    flows = [edge for edge in result.statements[0].edges if edge.edge_type == "data_flow"]
    assert len(flows) == 300


def test_a_delete_from_a_call_still_reads() -> None:
    result = analysed("DELETE log (i, a) FROM o WHERE status = 'x'", "tsql")
    assert "o" in result.statements[0].reads
    assert not any("error of ours" in issue.message for issue in result.issues)


def test_an_export_of_nothing_is_told() -> None:
    result = analysed("EXPORT DATA OPTIONS (uri = 'gs://b/x')", "bigquery")
    assert [issue.message for issue in result.issues] == ["the statement says nothing to export"]


def test_a_cache_without_a_name_still_reads() -> None:
    result = analyze({"sql": "CACHE SELECT a TABLE AS FROM c s", "dialect": "athena"})
    assert [issue.code for issue in result.issues][:1] == ["UNSUPPORTED_SYNTAX"]
    assert "error of ours" not in result.issues[0].message

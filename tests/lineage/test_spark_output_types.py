"""Types of output columns that depend on more than an expression: functions, scripts, sets."""

from __future__ import annotations

import pytest

from lakeport.lineage import Analyzer, analyze
from tests.lineage.outputs import outputs

TABLES = "CREATE TABLE t (a INT, b BIGINT, s STRING);"


def types(sql: str) -> list[str | None]:
    """The types of the output columns of the last statement."""
    result = analyze({"sql": f"{TABLES}{sql}", "dialect": "spark"})
    return [node.metadata.get("dataType") for node in outputs(result)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "CREATE FUNCTION f(x INT) RETURNS DECIMAL(9, 2) RETURN x; SELECT f(a), f(1) + 1 FROM t",
            ["decimal(9,2)", "decimal(10,2)"],
        ),
        (
            "CREATE FUNCTION g() RETURNS TABLE (d DATE, n ARRAY<INT>) RETURN SELECT 1; SELECT * FROM g()",
            ["date", "array<int>"],
        ),
        ("CREATE FUNCTION h(x INT, y INT) RETURN x + y; SELECT h(1, 2)", ["int"]),
        ("CREATE FUNCTION h() RETURN 'x'; SELECT h()", ["string"]),
        (
            "CREATE FUNCTION h(x INT) RETURN SELECT max(b) FROM t WHERE a = x; SELECT h(1)",
            ["bigint"],
        ),
        (
            "CREATE FUNCTION h() RETURNS TABLE RETURN SELECT * FROM t; SELECT b, s FROM h()",
            ["bigint", "string"],
        ),
        ("SELECT TRANSFORM(a, s) USING 'cat' AS (x INT, y) FROM t", ["int", "string"]),
        ("SELECT a FROM t EXCEPT SELECT b FROM t", ["bigint"]),
        (
            "SELECT transform(array(a), 'x'), transform_values(map(s, a), b), zip_with(array(a), array(b), 0) FROM t",
            ["array<string>", "map<string,bigint>", "array<int>"],
        ),
        (
            "EXECUTE IMMEDIATE 'SELECT ?, ?, ?, a + ? FROM t' USING DATE '2024-01-01', array(1, 2L), 1.5F, 3",
            ["date", "array<bigint>", "float", "int"],
        ),
        (
            "SELECT * FROM variant_explode(input => parse_json('[1]'))",
            ["int", "string", "variant"],
        ),
        (
            "SELECT json_value(s, '$.a' RETURNING INT NULL ON EMPTY), json_value(s, '$.b') FROM t",
            ["int", "string"],
        ),
        ("SELECT * FROM sql_keywords()", ["string", "boolean"]),
        ("SELECT t._metadata.file_size, _metadata.file_name FROM t", ["bigint", "string"]),
        ("SELECT a, grouping__id FROM t GROUP BY CUBE (a)", ["int", "bigint"]),
        ("SELECT (SELECT * FROM (SELECT max(b) FROM t)) + 1", ["bigint"]),
    ],
)
def test_output_types(sql: str, expected: list[str]) -> None:
    assert types(sql) == expected


def test_a_function_created_by_an_edit_reaches_statements_that_did_not_change() -> None:
    query = "SELECT f(1) AS x"
    analyzer = Analyzer()
    before = analyzer.analyze({"sql": f"SELECT 1; {query}", "dialect": "spark"})
    created = f"CREATE FUNCTION f(i INT) RETURNS INT RETURN i; {query}"
    after = analyzer.analyze({"sql": created, "dialect": "spark"})
    assert [
        node.metadata.get("dataType") for node in before.statements[1].nodes if node.label == "x"
    ] == [None]
    assert [
        node.metadata.get("dataType") for node in after.statements[1].nodes if node.label == "x"
    ] == ["int"]

"""Spark 4 syntax that the parser cannot read still gives columns with their origins."""

from __future__ import annotations

import pytest

from lakeport.lineage import analyze
from tests.lineage.outputs import output_sources

TABLES = """
CREATE TABLE trades (at TIMESTAMP, symbol STRING, n INT);
CREATE TABLE quotes (at TIMESTAMP, symbol STRING, bid DOUBLE);
"""


def lineage(sql: str) -> dict[str, list[str]]:
    """The value sources of every output column of the last statement."""
    return output_sources(analyze({"sql": f"{TABLES}{sql}", "dialect": "spark"}))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT t.n, q.bid FROM trades t ASOF JOIN quotes q MATCH_CONDITION (t.at >= q.at) ON t.symbol = q.symbol",
            {"n": ["trades.n"], "bid": ["quotes.bid"]},
        ),
        (
            "SELECT bid FROM trades t LEFT ASOF JOIN quotes q MATCH_CONDITION (t.at >= q.at) USING (symbol)",
            {"bid": ["quotes.bid"]},
        ),
        (
            "SELECT q.bid FROM trades t JOIN quotes q APPROX NEAREST 2 BY DISTANCE abs(t.n - q.bid)",
            {"bid": ["quotes.bid"]},
        ),
        ("SELECT n >>> 2 FROM trades", {"(n >>> 2)": ["trades.n"]}),
        (
            "SELECT normalize(symbol, 'NFD') FROM trades",
            {"normalize(symbol, NFD)": ["trades.symbol"]},
        ),
        (
            "SELECT corr(DISTINCT n, n + 1) FROM trades",
            {"corr(DISTINCT n, (n + 1))": ["trades.n"]},
        ),
        (
            "SELECT json_value(symbol, '$.a' RETURNING INT DEFAULT 0 ON EMPTY) FROM trades",
            {"JSON_VALUE(symbol, '$.a' RETURNING INT DEFAULT 0 ON EMPTY)": ["trades.symbol"]},
        ),
        (
            "MAP n, symbol USING 'cat' AS (a, b) FROM trades",
            {"a": ["trades.n", "trades.symbol"], "b": ["trades.n", "trades.symbol"]},
        ),
    ],
)
def test_columns_keep_their_origin(sql: str, expected: dict[str, list[str]]) -> None:
    assert lineage(sql) == expected


def test_a_recursion_limit_is_no_part_of_the_lineage() -> None:
    sql = """WITH RECURSIVE r(k) MAX RECURSION LEVEL 9 AS
      (SELECT n FROM trades UNION ALL SELECT k + 1 FROM r WHERE k < 5) SELECT k FROM r"""
    assert list(lineage(sql)) == ["k"]


@pytest.mark.parametrize(
    ("sql", "reads", "writes"),
    [
        (
            "CREATE TABLE IDENTIFIER(:goal) AS SELECT n FROM trades",
            ["trades"],
            ["identifier(:goal)"],
        ),
        (
            "CREATE VIEW IF NOT EXISTS IDENTIFIER(:goal) AS SELECT n FROM trades",
            ["trades"],
            ["identifier(:goal)"],
        ),
        ("CREATE TABLE IDENTIFIER(:goal) (n INT)", [], ["identifier(:goal)"]),
        ("ALTER TABLE IDENTIFIER(:goal) ADD COLUMN n INT", [], ["identifier(:goal)"]),
        ("INSERT INTO IDENTIFIER(:goal) SELECT n FROM trades", ["trades"], ["identifier(:goal)"]),
        ("DROP TABLE IF EXISTS IDENTIFIER(:goal)", [], ["identifier(:goal)"]),
        ("TRUNCATE TABLE IDENTIFIER(:goal)", [], ["identifier(:goal)"]),
        ("SELECT x.n FROM IDENTIFIER(:goal) AS x", ["identifier(:goal)"], []),
    ],
)
def test_a_table_that_a_variable_names_is_a_place_of_its_own(
    sql: str, reads: list[str], writes: list[str]
) -> None:
    result = analyze({"sql": f"{TABLES}{sql}", "dialect": "spark"})
    statement = result.statements[-1]
    assert statement.reads == reads
    assert statement.writes == writes
    codes = [issue.code for issue in result.issues if issue.code != "INFERRED_SCHEMA"]
    assert codes == ["DYNAMIC_SQL"]
    place = next(node for node in statement.nodes if node.label == "IDENTIFIER(:goal)")
    assert place.resolution_source == "unknown"
    assert place.metadata["placeholder"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT n FROM ${lake}.goal",
        "INSERT INTO ${lake}.goal SELECT n FROM trades",
        "CREATE TABLE ${lake}.goal AS SELECT n FROM trades",
        "CREATE TABLE ${lake}.goal (n INT)",
        "UPDATE ${lake}.goal SET n = 1",
    ],
)
def test_a_variable_in_a_name_is_told_wherever_the_name_stands(sql: str) -> None:
    result = analyze({"sql": f"{TABLES}{sql}", "dialect": "spark"})
    told = [issue.relation for issue in result.issues if issue.code == "DYNAMIC_SQL"]
    assert told == ["lake.goal"]


def test_a_statement_that_a_variable_holds_is_analysed() -> None:
    sql = """CREATE TABLE goal (n INT);
DECLARE query = 'INSERT INTO goal SELECT n + 1 FROM IDENTIFIER(:source) WHERE n > :least';
EXECUTE IMMEDIATE query USING 'trades' AS source, 5 AS least"""
    result = analyze({"sql": f"{TABLES}{sql}", "dialect": "spark"})
    statement = result.statements[-1]
    assert (statement.statement_type, statement.reads, statement.writes) == (
        "CALL",
        ["trades"],
        ["goal"],
    )
    nodes = {node.id: node.qualified_name for node in statement.nodes}
    derived = [
        (nodes[e.source], nodes[e.target], e.expression) for e in statement.edges if e.expression
    ]
    assert derived == [("trades.n", "goal.n", "n + 1")]


@pytest.mark.parametrize("encoding", ["utf8", "utf16", "codepoint"])
def test_what_a_held_statement_says_is_shown_at_its_variable(encoding: str) -> None:
    sql = f"{TABLES}/* é😀 */ DECLARE query = 'SELECT nothing FROM trades'; EXECUTE IMMEDIATE query"
    result = analyze({"sql": sql, "dialect": "spark", "encoding": encoding})
    (issue,) = [issue for issue in result.issues if issue.code == "UNKNOWN_COLUMN"]
    width = {"utf8": "utf-8", "utf16": "utf-16-le", "codepoint": "utf-32-le"}[encoding]
    unit = {"utf8": 1, "utf16": 2, "codepoint": 4}[encoding]
    assert issue.span is not None
    shown = sql.encode(width)[issue.span.start * unit : issue.span.end * unit]
    assert shown.decode(width) == "query"
    assert result.statements[-1].span.end * unit == len(sql.encode(width))


def test_what_is_not_known_to_be_a_statement_is_not_run() -> None:
    held = ("NULL", "(SELECT max(text) FROM texts)", "'EXECUTE IMMEDIATE other'")
    for value in held:
        sql = f"DECLARE query STRING; SET VAR query = {value}; EXECUTE IMMEDIATE query"
        result = analyze({"sql": sql, "dialect": "spark"})
        assert result.statements[-1].nodes == []
        assert [issue.code for issue in result.issues if issue.statement_index == 2] == [
            "DYNAMIC_SQL"
        ]

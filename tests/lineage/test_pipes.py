"""Spark's pipe syntax means the nested query a person would have written."""

from __future__ import annotations

import pytest

from lakeport.lineage import analyze
from tests.lineage.outputs import output_sources, outputs

TABLES = """
CREATE TABLE t (x INT, y STRING);
CREATE TABLE u (x INT, z INT);
"""


def lineage(sql: str, dialect: str = "spark") -> dict[str, list[str]]:
    """Every output column with the table columns its value comes from, through all derived tables."""
    request = {"sql": f"{TABLES}{sql}", "dialect": dialect, "options": {"hideCtes": True}}
    return output_sources(analyze(request))


@pytest.mark.parametrize(
    ("piped", "plain"),
    [
        ("FROM t |> WHERE x > 1 |> SELECT y", "SELECT y FROM t WHERE x > 1"),
        ("TABLE t |> WHERE t.x > 1 |> WHERE y = 'a'", "SELECT * FROM t"),
        ("FROM t |> EXTEND x + 1 AS n |> SELECT t.y, n", "SELECT y, x + 1 AS n FROM t"),
        ("FROM t |> SET y = x", "SELECT x, x AS y FROM t"),
        ("FROM t |> SET x = 1, y = x", "SELECT 1 AS x, 1 AS y FROM t"),
        ("FROM t |> DROP y", "SELECT x FROM t"),
        ("FROM t |> AS a |> SELECT a.x", "SELECT x FROM t"),
        ("FROM t |> JOIN u ON t.x = u.x |> SELECT t.y, u.z", "SELECT y, z FROM t JOIN u USING (x)"),
        ("FROM t |> LIMIT 3 |> JOIN u USING (x) |> SELECT z", "SELECT z FROM u"),
        ("FROM t |> AGGREGATE sum(x) AS s GROUP BY y", "SELECT y, sum(x) AS s FROM t GROUP BY y"),
        ("FROM t |> AGGREGATE count(*) c, max(x) m", "SELECT count(*) c, max(x) m FROM t"),
        ("FROM t |> AGGREGATE GROUP BY length(y) AS n", "SELECT length(y) AS n FROM t"),
        (
            "FROM t |> SELECT y, x AS k |> AGGREGATE count(*) AS n GROUP BY 2",
            "SELECT x AS k, count(*) AS n FROM t GROUP BY x",
        ),
        ("VALUES (1, 2) v(a, b) |> AGGREGATE GROUP BY 2", "SELECT 2 AS b"),
        ("FROM t |> ORDER BY x |> LIMIT 2", "SELECT * FROM t"),
        (
            "FROM t |> UNION ALL TABLE u |> SELECT y",
            "SELECT y FROM (SELECT * FROM t UNION ALL SELECT * FROM u)",
        ),
        ("VALUES (1) v(a) |> SELECT a AS b", "SELECT 1 AS b"),
        ("WITH c AS (FROM t |> SELECT x) FROM c |> EXTEND x AS w", "SELECT x, x AS w FROM t"),
        ("FROM t |> WHERE x IN (FROM u |> SELECT z) |> SELECT x", "SELECT x FROM t"),
        (
            "FROM t |> SELECT sum(x) OVER w AS s WINDOW w AS (ORDER BY y)",
            "SELECT sum(x) OVER (ORDER BY y) AS s FROM t",
        ),
    ],
)
def test_a_piped_query_is_the_plain_one(piped: str, plain: str) -> None:
    assert lineage(piped) == lineage(plain)


def test_names_are_printed_as_in_a_plain_query() -> None:
    assert list(lineage("FROM t |> AGGREGATE sum(x), count(*) GROUP BY x + 1")) == [
        "(x + 1)",
        "sum(x)",
        "count(1)",
    ]


def test_names_behind_a_grouping_by_number_are_printed_as_well() -> None:
    piped = "SELECT 3 AS x, 4 AS y |> AGGREGATE sum(y), max(x) GROUP BY 2"
    assert list(lineage(piped)) == ["y", "sum(y)", "max(x)"]


@pytest.mark.parametrize(
    ("piped", "plain"),
    [
        ("TABLE t | SELECT x, y", "SELECT x, y FROM t"),
        (
            "FROM t | EXTEND 1 AS z | SET z = x + length(y)",
            "SELECT x, y, x + length(y) AS z FROM t",
        ),
        ("FROM t |> SELECT x, y | WHERE x < 2 |> DROP y", "SELECT x FROM t"),
        (
            "FROM t | AGGREGATE sum(x) s GROUP BY y | ORDER BY s",
            "SELECT y, sum(x) s FROM t GROUP BY y",
        ),
        ("SELECT x | 1 AS a, x | z AS b FROM u", "SELECT x + 1 AS a, x + z AS b FROM u"),
    ],
)
def test_sparks_short_pipe_is_no_operator(piped: str, plain: str) -> None:
    assert lineage(piped) == lineage(plain)


def test_a_view_may_be_written_with_pipes() -> None:
    assert list(lineage("CREATE VIEW v AS FROM t |> SELECT y AS label; SELECT * FROM v")) == [
        "label"
    ]


@pytest.mark.parametrize(
    ("piped", "expected"),
    [
        ("FROM t |> RENAME x AS n |> DISTINCT", {"n": ["t.x"], "y": ["t.y"]}),
        ("FROM t |> SET y = x |> AS a |> SELECT a.y", {"y": ["t.x"]}),
    ],
)
def test_bigquery_pipes_too(piped: str, expected: dict[str, list[str]]) -> None:
    assert lineage(piped, "bigquery") == expected


def test_items_are_found_in_the_text_though_pipes_turned_it_around() -> None:
    sql = "FROM t |> SELECT x AS k, y |> AS v |> DISTINCT |> SELECT y, round(k / 2, 2)"
    result = analyze({"sql": f"{TABLES}{sql}", "dialect": "spark"})
    assert [node.label for node in outputs(result)] == ["y", "round((k / 2), 2)"]

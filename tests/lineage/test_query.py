"""Asking a graph: upstream, downstream, one column."""

from __future__ import annotations

import pytest

from lakeport.core.errors import NotFoundError
from lakeport.lineage import AnalyzeResult, analyze
from lakeport.lineage.query import Question, focus
from lakeport.lineage.render import mappings

SQL = """
CREATE TABLE stage AS SELECT id, amount, city FROM raw;
CREATE TABLE mart AS SELECT id, amount * 2 AS doubled FROM stage;
CREATE TABLE cities AS SELECT city FROM stage;
CREATE TABLE other AS SELECT x FROM elsewhere;
"""


@pytest.fixture(scope="module")
def result() -> AnalyzeResult:
    return analyze({"sql": SQL, "dialect": "spark"})


def _targets(result: AnalyzeResult) -> set[str]:
    return {f"{row.target}.{row.target_column}" for row in mappings(result)}


def test_nothing_asked_is_everything(result: AnalyzeResult) -> None:
    assert focus(result, Question()) is result


def test_upstream_of_a_column(result: AnalyzeResult) -> None:
    found = focus(result, Question(upstream=("mart.doubled",)))
    assert _targets(found) == {"mart.doubled", "stage.amount"}


def test_upstream_of_a_relation(result: AnalyzeResult) -> None:
    found = focus(result, Question(upstream=("cities",)))
    assert _targets(found) == {"cities.city", "stage.city"}


def test_downstream_of_a_relation(result: AnalyzeResult) -> None:
    found = focus(result, Question(downstream=("stage",)))
    assert _targets(found) == {"mart.id", "mart.doubled", "cities.city"}


def test_column_asks_both_ways(result: AnalyzeResult) -> None:
    found = focus(result, Question(column=("stage.amount",)))
    assert _targets(found) == {"stage.amount", "mart.doubled"}


def test_the_catalog_of_a_name_may_be_left_out() -> None:
    sql = "CREATE TABLE lake.s.b AS SELECT a.x FROM lake.s.a AS a"
    result = analyze({"sql": sql, "dialect": "spark"})
    for question in (Question(column=("s.b.x",)), Question(upstream=("s.b.x",))):
        assert _targets(focus(result, question)) == {"lake.s.b.x"}


def test_names_match_in_any_case(result: AnalyzeResult) -> None:
    assert _targets(focus(result, Question(upstream=("MART.Doubled",))))


def test_questions_add_up(result: AnalyzeResult) -> None:
    found = focus(result, Question(upstream=("cities.city",), downstream=("elsewhere",)))
    assert _targets(found) == {"cities.city", "stage.city", "other.x"}


def test_statements_are_cut_too(result: AnalyzeResult) -> None:
    found = focus(result, Question(upstream=("other",)))
    assert [statement.statement_index for statement in found.statements] == [3]


def test_an_unknown_name_suggests_the_nearest(result: AnalyzeResult) -> None:
    with pytest.raises(NotFoundError) as raised:
        focus(result, Question(upstream=("mart.dobled",)))
    assert "mart.doubled" in (raised.value.hint or "")


def test_a_long_chain_is_no_deeper_than_a_short_one() -> None:
    steps = [f"CREATE VIEW v{n + 1} AS SELECT a FROM v{n}" for n in range(1500)]
    chain = analyze({"sql": ";\n".join(steps), "dialect": "spark"})
    found = focus(chain, Question(upstream=("v1500",)))
    assert len(_targets(found)) == 1500


def test_views_can_be_looked_through() -> None:
    sql = """
    CREATE TABLE base (a INT);
    CREATE VIEW one AS SELECT a + 1 AS b FROM base;
    CREATE VIEW two AS SELECT b FROM one;
    CREATE TABLE final AS SELECT b AS c FROM two;
    """
    result = analyze({"sql": sql, "dialect": "spark"})
    [row] = mappings(focus(result, Question(expand_views=True)))
    assert (row.target, row.target_column, row.source, row.source_column) == (
        "final",
        "c",
        "base",
        "a",
    )
    assert row.kind == "derivation"


def test_a_view_nobody_defined_stays() -> None:
    schema = {"tables": [{"name": "v", "kind": "view", "columns": [{"name": "a"}]}]}
    result = analyze(
        {"sql": "CREATE TABLE t AS SELECT a FROM v", "dialect": "spark", "schema": schema}
    )
    [row] = mappings(focus(result, Question(expand_views=True)))
    assert row.source == "v"


def test_issues_of_other_statements_are_left_out(result: AnalyzeResult) -> None:
    indexes = {
        issue.statement_index for issue in focus(result, Question(upstream=("other",))).issues
    }
    assert indexes <= {None, 3}


def test_ctes_and_outputs_of_several_statements_stay_apart() -> None:
    sql = (
        "WITH c AS (SELECT a FROM t) SELECT a FROM c; WITH c AS (SELECT b FROM t) SELECT b FROM c;"
    )
    rows = mappings(analyze({"sql": sql, "dialect": "spark"}))
    assert {(row.target, row.target_column, row.source) for row in rows} == {
        ("output 0", "a", "c 0"),
        ("c 0", "a", "t"),
        ("output 1", "b", "c 1"),
        ("c 1", "b", "t"),
    }

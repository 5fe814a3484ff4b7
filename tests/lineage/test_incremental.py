"""An analyzer that remembers answers exactly like one that does not."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.lineage import Analyzer, analyze, encode_result

OPTIONS = {"analysisTime": "2026-01-01T00:00:00Z", "includeIndirect": True}


def request(*statements: str, **more: object) -> dict[str, object]:
    return {"sql": ";\n".join(statements), "dialect": "spark", "options": OPTIONS, **more}


def assert_same(analyzer: Analyzer, asked: dict[str, object]) -> None:
    assert encode_result(analyzer.analyze(asked)) == encode_result(analyze(asked))


def test_an_edit_that_changes_nothing_else_moves_the_rest() -> None:
    analyzer = Analyzer()
    first = ("CREATE TABLE t (a INT)", "SELECT a FROM t", "SELECT a + 1 AS b FROM t WHERE a > 0")
    assert_same(analyzer, request(*first))
    assert_same(analyzer, request(first[0], "SELECT a AS renamed FROM t", first[2]))


def test_a_changed_definition_reaches_its_readers() -> None:
    analyzer = Analyzer()
    reader = "SELECT * FROM t"
    assert_same(analyzer, request("CREATE TABLE t (a INT)", reader))
    assert_same(analyzer, request("CREATE TABLE t (a INT, b INT)", reader))


def test_a_changed_definition_reaches_readers_of_readers() -> None:
    analyzer = Analyzer()
    rest = ("CREATE VIEW v AS SELECT * FROM t", "SELECT * FROM v")
    assert_same(analyzer, request("CREATE TABLE t (a INT)", *rest))
    assert_same(analyzer, request("CREATE TABLE t (z STRING)", *rest))


def test_a_definition_that_comes_later_reaches_readers_before_it() -> None:
    analyzer = Analyzer()
    assert_same(analyzer, request("SELECT * FROM t", "CREATE TABLE t (a INT)"))
    assert_same(analyzer, request("SELECT * FROM t", "CREATE TABLE t (b INT, c INT)"))


def test_a_changed_namespace_reaches_everything_after_it() -> None:
    analyzer = Analyzer()
    assert_same(analyzer, request("USE one", "CREATE TABLE t (a INT)", "SELECT * FROM t"))
    assert_same(analyzer, request("USE two", "CREATE TABLE t (a INT)", "SELECT * FROM t"))


def test_a_changed_variable_or_setting_reaches_everything_after_it() -> None:
    analyzer = Analyzer()
    tables = ("CREATE TABLE s (a INT)", "CREATE TABLE t (b INT)")
    rest = ("SELECT * FROM IDENTIFIER(tab)", "SELECT year(TIMESTAMP '2024-01-01')")
    for held, kind in (("s", "TIMESTAMP_NTZ"), ("t", "TIMESTAMP_NTZ"), ("t", "TIMESTAMP_LTZ")):
        before = (f"DECLARE tab = '{held}'", f"SET spark.sql.timestampType = {kind}")
        assert_same(analyzer, request(*tables, *before, *rest))
    for held in ("SELECT a FROM s", "SELECT b, c FROM t"):
        declared = (*tables, f"DECLARE query = '{held}'")
        assert_same(analyzer, request(*declared, "EXECUTE IMMEDIATE query", "SELECT 1"))
        assert_same(analyzer, request(*declared, "SELECT 2", "EXECUTE IMMEDIATE query", "SELECT 1"))
    for quotes in ("true", "false"):
        setting = f"SET spark.sql.ansi.doubleQuotedIdentifiers = {quotes}"
        assert_same(analyzer, request(*tables, setting, 'SELECT "a" FROM s'))


def test_what_a_variable_has_made_of_a_table_outlives_the_variable() -> None:
    analyzer = Analyzer()
    gone = ("DROP TEMPORARY VARIABLE held", "SELECT * FROM made")
    for kind in ("INT", "STRING"):
        made = (f"DECLARE held {kind}", "CREATE TABLE made AS SELECT held AS a")
        assert_same(analyzer, request(*made, *gone))
    for column in ("a", "b"):
        run = (f"DECLARE held = 'CREATE TABLE made ({column} INT)'", "EXECUTE IMMEDIATE held")
        assert_same(analyzer, request(*run, *gone))
    for namespace in ("one", "two"):
        run = (f"DECLARE held = 'USE {namespace}'", "EXECUTE IMMEDIATE held")
        assert_same(analyzer, request(*run, *gone))


def test_a_definition_is_told_of_by_the_name_of_its_file() -> None:
    analyzer = Analyzer()
    for name in ("one.sql", "two.sql", "last.sql"):
        files = [
            {"name": name, "content": "CREATE TABLE t (a INT)"},
            {"name": "last.sql", "content": "CREATE TABLE t (b INT)"},
        ]
        assert_same(analyzer, {"files": files, "dialect": "spark", "options": OPTIONS})


def test_what_a_discard_drops_depends_on_what_is_there_by_then() -> None:
    analyzer = Analyzer()
    rest = ("DISCARD ALL", "SELECT * FROM work")
    made = ("SELECT 1", "CREATE TEMP TABLE work AS SELECT 1 AS x", "CREATE TABLE work (y INT)")
    for before in made:
        assert_same(analyzer, request(before, *rest, dialect="postgres"))


def test_another_schema_is_another_question() -> None:
    analyzer = Analyzer()
    asked = request("SELECT * FROM t")
    assert_same(
        analyzer, {**asked, "schema": {"tables": [{"name": "t", "columns": [{"name": "a"}]}]}}
    )
    assert_same(
        analyzer, {**asked, "schema": {"tables": [{"name": "t", "columns": [{"name": "b"}]}]}}
    )


def test_spans_move_by_the_unit_they_are_counted_in() -> None:
    analyzer = Analyzer()
    for text in ("x", "é", "😀😀"):
        assert_same(analyzer, request(f"SELECT '{text}'", "SELECT a FROM t", encoding="utf16"))


STATEMENTS = (
    "CREATE TABLE t (a INT, b STRING)",
    "CREATE OR REPLACE TABLE t AS SELECT 1 AS a, 2 AS c",
    "CREATE TEMP VIEW v AS SELECT * FROM t",
    "INSERT INTO u SELECT a, count(*) AS n FROM v GROUP BY a",
    "SELECT * FROM u JOIN t USING (a)",
    "WITH c AS (SELECT a FROM t) SELECT c.a, x FROM c, unknown_one",
    "ALTER TABLE t ADD COLUMN d INT",
    "ALTER TABLE t RENAME TO v2",
    "DROP TABLE IF EXISTS t",
    "USE lake.sales",
    "SELECT broken FROM FROM",
    "EXPLAIN CREATE TABLE t AS SELECT 1 AS z",
    "DECLARE cut INT",
)
WORKLOADS = st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=8)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(versions=st.lists(WORKLOADS, min_size=2, max_size=4))
def test_any_history_of_edits_ends_in_the_answer_of_a_fresh_analysis(
    versions: list[list[str]],
) -> None:
    analyzer = Analyzer()
    for statements in versions:
        assert_same(analyzer, request(*statements))

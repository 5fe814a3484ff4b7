"""Statements about other tables are answered from an earlier answer as if each were bound alone."""

from __future__ import annotations

import random
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import pytest
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage import Analyzer, analyze, encode_result
from lakeport.lineage.analyze import Undisturbed, open_session
from lakeport.lineage.dialects import dialect_named
from lakeport.lineage.engines import tokens_of
from lakeport.lineage.request import read_request
from lakeport.lineage.retold import Retelling
from lakeport.lineage.statement import announce_definitions
from lakeport.lineage.workload import read_workload
from tests.lineage.golden_file import ANALYSIS_TIME
from tests.lineage.test_shapes import CASES

if TYPE_CHECKING:
    from tests.lineage.golden_file import GoldenCase

_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
MARKS = ("_1", "_22", "_x3", "_1", "_4y", "_22", "_55")
BOUND_ALONE = Analyzer


def answered_alone(request: dict[str, Any]) -> bytes:
    """An analyzer that is asked again binds each statement for itself."""
    return encode_result(BOUND_ALONE().analyze(request))


def told_again(request: dict[str, Any]) -> int:
    """How many statements of a request are answered from an earlier answer."""
    decoded, issues = read_request(request)
    assert decoded is not None
    with Undisturbed():
        session = open_session(decoded, issues)
        statements = read_workload(session)
        announce_definitions(session, statements)
        retelling = Retelling(session)
        for statement in statements:
            retelling.analyse(statement)
    return retelling.told


def spark(sql: str, **more: Any) -> dict[str, Any]:
    return {"sql": sql, "dialect": "spark", "options": {"analysisTime": ANALYSIS_TIME}, **more}


def for_each(template: str, names: int = 8) -> str:
    """The statements of a template for as many tables."""
    return ";\n".join(template.replace("@", str(number)) for number in range(names))


# -- every behaviour -----------------------------------------------------------------------------


def _tables(case: GoldenCase) -> set[str]:
    """The names of tables and schemas of a case."""
    names = (
        node.canonical_name
        for node in analyze(case.request).global_lineage.nodes
        if node.node_type in {"table", "view"}
    )
    return {part.casefold() for name in names for part in (name.name, name.schema or "")} - {""}


def _about_others(sql: str, parser: str, mark: str, tables: set[str]) -> str:
    """The SQL about tables of other names; what does not tokenise stays."""
    try:
        tokens = tokens_of(sql, parser)
    except TokenError:
        return sql
    pieces: list[str] = []
    begin = 0
    for token, following in zip_longest(tokens, tokens[1:]):
        called = following is not None and following.token_type is TokenType.L_PAREN
        if token.token_type in _NAMES and not called and token.text.casefold() in tables:
            end = token.end + (sql[token.end] not in '`"]')
            pieces += [sql[begin:end], mark]
            begin = end
    return "".join([*pieces, sql[begin:]])


def _marked(name: str, mark: str, tables: set[str]) -> str:
    parts = name.split(".")
    return ".".join(part + mark if part.casefold() in tables else part for part in parts)


def _workload(case: GoldenCase, marks: tuple[str, ...]) -> dict[str, Any]:
    """A case once for each mark, with a schema that knows all of its tables."""
    known = dialect_named(case.request.get("dialect", "generic"))
    assert known is not None
    tables = _tables(case)
    parts = [_about_others(case.request["sql"], known.parser, mark, tables) for mark in marks]
    options = {**case.request.get("options", {}), "analysisTime": ANALYSIS_TIME}
    request = {
        **case.request,
        "sql": "\n;\n".join(part.rstrip().rstrip(";") for part in parts),
        "options": options,
    }
    schema = case.request.get("schema") or {}
    if schema.get("tables"):
        more = [
            {
                **table,
                **{
                    field: _marked(table[field], mark, tables)
                    for field in ("name", "schema")
                    if table.get(field)
                },
            }
            for mark in sorted(set(marks))
            for table in schema["tables"]
        ]
        listed = [*schema["tables"], *(table for table in more if table not in schema["tables"])]
        request["schema"] = {**schema, "tables": listed}
    return request


def test_every_behaviour_is_the_same_for_other_tables() -> None:
    told = 0
    for case in CASES:
        request = _workload(case, MARKS)
        assert encode_result(analyze(request)) == answered_alone(request), case.identity
        told += told_again(request)
    assert told > 3 * len(CASES)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_so_it_is_in_any_order(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a choice of cases
    for case in CASES:
        request = _workload(case, ("", *MARKS, *MARKS))
        statements = request["sql"].split(";")
        chance.shuffle(statements)
        request["sql"] = "\n;\n".join(statements)
        request["options"]["includeIndirect"] = True
        assert encode_result(analyze(request)) == answered_alone(request), case.identity


# -- what is told --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "template",
    [
        "CREATE VIEW v_@ AS SELECT a, b + 1 AS c FROM t_@",
        "INSERT INTO v_@ SELECT t_@.a FROM t_@ JOIN `u_@` ON t_@.a = `u_@`.b",
        "CREATE TABLE s_@.c_@ AS SELECT * FROM s_@.t_@",
        "WITH x AS (SELECT a FROM t_@) SELECT * FROM x JOIN t_@ AS y USING (a)",
        "MERGE INTO t_@ AS t USING u_@ AS u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = u.b",
        "DROP TABLE IF EXISTS t_@",
    ],
)
def test_other_tables_are_told_of(template: str) -> None:
    request = spark(for_each(template))
    assert told_again(request) == 7
    assert encode_result(analyze(request)) == answered_alone(request)


def test_names_places_and_numbers_are_its_own() -> None:
    sql = for_each("SELECT amount FROM orders_@@@ AS o WHERE orders_@@@.id > 5", 12)
    last = analyze(spark(sql)).statements[11]
    table, *_ = last.nodes
    assert (table.label, last.reads) == ("orders_111111", ["orders_111111"])
    assert [text.expression for text in table.filters] == []
    sql = for_each("SELECT amount FROM orders_@@@ WHERE orders_@@@.id > 5", 12)
    last = analyze(spark(sql)).statements[11]
    table, *_ = last.nodes
    assert [text.expression for text in table.filters] == ["orders_111111.id > 5"]
    assert table.span is not None
    assert sql[table.span.start : table.span.end] == "orders_111111"
    assert sql[last.span.start : last.span.end] == sql.split(";\n")[11]
    assert last.statement_index == 11
    assert {edge.source for edge in last.edges} <= {node.id for node in last.nodes}


def test_issues_name_its_own_tables() -> None:
    issues = analyze(spark(for_each("SELECT amount FROM orders_@"))).issues
    assert [(issue.statement_index, issue.relation) for issue in issues] == [
        (number, f"orders_{number}") for number in range(8)
    ]
    assert all(f"`{issue.relation}`" in issue.message for issue in issues)


# -- what is not ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        # The name is also that of a column, of an alias, of a CTE, in a string, in a comment.
        for_each("SELECT a_1, x FROM a_@"),
        for_each("SELECT * FROM t_@ AS a_1, a_@"),
        for_each("WITH t_1 AS (SELECT a FROM u_1) SELECT * FROM t_@"),
        for_each("SELECT 't_1' AS x FROM t_@ WHERE y = 't_2'"),
        for_each("SELECT a /* t_@ */ FROM t_@ -- of t_@"),
        # Layout shows in expressions.
        for_each("SELECT a + 1 AS x FROM t_@") + ";\n" + for_each("SELECT a  +  1 AS x FROM t_@"),
        # Case, quotes and namespaces.
        for_each("SELECT a FROM t_@") + ";\n" + for_each("SELECT a FROM T_@"),
        for_each("SELECT T_@.a FROM t_@") + ";\nSELECT X_1.a FROM x_1",
        for_each("SELECT t_@.a FROM s_1.t_@") + ";\n" + for_each("SELECT t_1.a FROM t_1.t_@"),
        "USE s_1;\n" + for_each("SELECT a FROM s_@"),
        for_each("SELECT a FROM t_@") + ";\nUSE db_1;\n" + for_each("SELECT a FROM t_@"),
        # Two names become one, and one becomes two.
        for_each("SELECT * FROM t_1, t_@") + ";\n" + for_each("SELECT * FROM t_@, t_@"),
        # What is known of a table is another matter with each.
        "CREATE TABLE t_3 (a INT, b INT);\nCREATE TEMPORARY VIEW t_5 AS SELECT 1 AS a;\n"
        + for_each("SELECT * FROM t_@")
        + ";\nDROP TABLE t_3;\nALTER TABLE t_6 RENAME TO t_7;\n"
        + for_each("SELECT * FROM t_@"),
        for_each("SELECT * FROM t_@") + ";\n" + for_each("CREATE TABLE t_@ AS SELECT 1 AS a"),
        for_each("CREATE TABLE IF NOT EXISTS t_@ AS SELECT 1 AS a") * 2,
        # Names that engines give a meaning.
        for_each("SELECT * FROM a.b.c_@") + ";\nSELECT * FROM a.b.data_files",
        for_each("SELECT * FROM a.b.c_@") + ";\nSELECT * FROM a.b.branch_1",
        for_each("SELECT * FROM s_@.t") + ";\nSELECT * FROM global_temp.t",
        # Settings, variables and functions between them.
        for_each("SELECT f_1(a) FROM t_@")
        + ";\nCREATE FUNCTION f_1(x INT) RETURNS STRING RETURN 'a';\n"
        + for_each("SELECT f_1(a) FROM t_@"),
        for_each("SELECT CAST(a AS TIMESTAMP) AS x FROM t_@")
        + ";\nSET spark.sql.timestampType=TIMESTAMP_NTZ;\n"
        + for_each("SELECT CAST(a AS TIMESTAMP) AS x FROM t_@"),
    ],
)
def test_what_may_mean_something_else_is_bound(sql: str) -> None:
    for schema in (
        None,
        {"tables": [{"name": "t_2", "columns": [{"name": "a"}, {"name": "t_4"}]}]},
    ):
        request = spark(sql, schema=schema) if schema else spark(sql)
        assert encode_result(analyze(request)) == answered_alone(request)


def test_text_that_is_not_ascii_keeps_its_spans() -> None:
    sql = "SELECT 'é' AS é;\n" + for_each("SELECT a FROM t_@")
    for encoding in ("utf8", "utf16", "codepoint"):
        request = spark(sql, encoding=encoding)
        assert encode_result(analyze(request)) == answered_alone(request)


def test_an_unlisted_name_asks_for_all_of_them() -> None:
    """Which table is nearest depends on those that statements between them make."""
    sql = for_each("SELECT a FROM order_@; CREATE TABLE orders_@ (a INT)", 6)
    schema = {"tables": [{"name": "known", "columns": [{"name": "a"}]}]}
    request = spark(sql, schema=schema)
    assert encode_result(analyze(request)) == answered_alone(request)


# -- any program ---------------------------------------------------------------------------------

_PROGRAM_NAMES = [
    *("t_1", "t_2", "t_3", "T_1", "a_1", "id_1", "x_1", "_u1", "pg_stat1", "branch_1"),
    *("data_files", "global_temp", "s_1", "S_1", "`q_1`", "`Q_1`", "top_1", "v_9", "db_1"),
    *("events_20240101", "events_20240102", "orders_9"),
]
_PROGRAM = [
    "CREATE TABLE {a} AS SELECT id_1, x_1 + 1 AS y_1 FROM {b}",
    "CREATE TABLE {a} (id_1 INT, x_1 STRING)",
    "CREATE TABLE IF NOT EXISTS {a} AS SELECT * FROM {b}",
    "CREATE OR REPLACE VIEW {a} AS SELECT * FROM {b} WHERE id_1 > 5",
    "CREATE TEMPORARY VIEW {a} AS SELECT id_1 AS k_1 FROM {b} JOIN {c} USING (id_1)",
    "INSERT INTO {a} SELECT * FROM {b}",
    "INSERT INTO {a} (id_1) SELECT id_1 FROM {b} WHERE x_1 = 't_1'",
    "INSERT OVERWRITE {a} SELECT {b}.id_1, {b}.x_1 FROM {b}",
    "SELECT a_1.id_1, {b}.x_1 FROM {a} AS a_1, {b} WHERE a_1.id_1 = {b}.id_1",
    "WITH top_1 AS (SELECT id_1 FROM {a}) SELECT * FROM top_1 JOIN {b} ON top_1.id_1 = {b}.id_1",
    "DROP TABLE IF EXISTS {a}",
    "DROP VIEW {a}",
    "UPDATE {a} SET x_1 = upper(x_1) WHERE id_1 IN (SELECT id_1 FROM {b})",
    "MERGE INTO {a} AS d_1 USING {b} AS s_9 ON d_1.id_1 = s_9.id_1 WHEN NOT MATCHED THEN INSERT *",
    "ALTER TABLE {a} ADD COLUMN w_1 INT",
    "ALTER TABLE {a} RENAME TO {b}",
    "TRUNCATE TABLE {a}",
    "USE db_1",
    "USE t_1",
    "SELECT * FROM {a} UNION ALL SELECT * FROM {b}",
    "SELECT id_1, (SELECT max(x_1) FROM {b}) AS m_1 FROM {a} WHERE EXISTS (SELECT 1 FROM {c} WHERE {c}.id_1 = {a}.id_1)",
    "SELECT {a}.id_1.f_1, nosuch_1 FROM {a}",
    "SELECT t_1 FROM {a}",
    "CREATE TABLE {a} LIKE {b}",
    "FROM {a} INSERT INTO {b} SELECT id_1 INSERT INTO {c} SELECT x_1",
    "SELECT q_1.z FROM {a} LATERAL VIEW explode(x_1) q_1 AS z",
    "SET spark.sql.caseSensitive=true",
]
_DIALECTS = ["spark", "spark", "databricks", "hive", "postgres", "snowflake", "bigquery", "duckdb"]


def _program(chance: random.Random) -> dict[str, Any]:
    """Some kinds of statements about some tables, in any order."""
    kinds = chance.sample(_PROGRAM, chance.randint(2, 6))
    pool = chance.sample(_PROGRAM_NAMES, chance.randint(3, 9))

    def name() -> str:
        spaces = ["", "", "", "", "", "db_1.", "s_1.", "t_1.", "cat_1.db_1."]
        return chance.choice(spaces) + chance.choice(pool)

    sql = [
        chance.choice(kinds).format(a=name(), b=name(), c=name())
        for _ in range(chance.randint(15, 45))
    ]
    options = {
        "analysisTime": ANALYSIS_TIME,
        "unknownTablePolicy": chance.choice(["auto", "never", "always"]),
        "includeSchemaHistory": chance.random() < 0.3,
        "collapseTemporary": chance.random() < 0.2,
    }
    request: dict[str, Any] = {
        "sql": ";\n".join(sql),
        "dialect": chance.choice(_DIALECTS),
        "options": options,
    }
    if chance.random() < 0.5:
        columns = [{"name": "id_1", "dataType": "INT"}, {"name": "x_1", "dataType": "STRING"}]
        known = [{"name": table, "columns": columns} for table in ("t_1", "T_1", "v_9", "s_1")]
        request["schema"] = {"tables": known, "allowImplied": chance.random() < 0.9}
        if chance.random() < 0.3:
            request["schema"]["defaultSchema"] = chance.choice(["db_1", "s_1"])
    return request


@pytest.mark.parametrize("seed", range(40))
def test_any_program_is_answered_alike(seed: int) -> None:
    request = _program(random.Random(seed))  # noqa: S311 - a choice of cases
    assert encode_result(analyze(request)) == answered_alone(request)


@pytest.mark.long
def test_so_are_many_programs() -> None:
    told = 0
    for seed in range(1000, 2500):
        request = _program(random.Random(seed))  # noqa: S311 - a choice of cases
        assert encode_result(analyze(request)) == answered_alone(request), seed
        told += told_again(request)
    assert told > 200

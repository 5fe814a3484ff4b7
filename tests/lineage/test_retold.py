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
from lakeport.lineage.retold import drawing
from lakeport.lineage.retold.gaps import Untellable
from lakeport.lineage.retold.retelling import Retelling
from lakeport.lineage.retold.telling import Telling
from lakeport.lineage.statement import analyse_statement, announce_definitions
from lakeport.lineage.wire import Span
from lakeport.lineage.workload import read_workload
from tests.lineage.golden_file import ANALYSIS_TIME
from tests.lineage.retold_programs import any_options, program
from tests.lineage.test_shapes import CASES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakeport.lineage.statement import Analysed
    from lakeport.lineage.workload import Statement
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
    assert told > 2 * len(CASES)


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
    assert told_again(request) == 6
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


def test_what_is_explained_is_said_to_be() -> None:
    tables = [{"name": f"t_{number}", "columns": [{"name": "a"}]} for number in range(8)]
    request = spark(for_each("DESC FORMAT=JSON SELECT a FROM t_@"), schema={"tables": tables})
    request["dialect"] = "mysql"
    assert told_again(request) == 6
    result = analyze(request)
    assert [statement.metadata for statement in result.statements] == [{"explainOnly": True}] * 8


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
        # Other columns are called so with the name in quotes and without.
        for_each('SELECT t_@.a FROM "t_@"') + ';\nSELECT X_1.a FROM "X_1"',
        # What is meant by a qualifier that means nothing here depends on how alike the names are.
        for_each("SELECT ord_5.a FROM zz_@, b AS orders_5")
        + ";\nSELECT ord_5.a FROM ord_6, b AS orders_5",
        for_each("SELECT t_@.a FROM t_@ AS x") + ";\nSELECT col1.a FROM col1 AS x",
        for_each("SELECT t_@.a FROM (SELECT * FROM t_@) AS x"),
        for_each('SELECT * FROM t_@ JOIN "t_@" AS x ON 1 = 1'),
        # A table is known in the namespace that the session is in, whose other one is not.
        "USE db_2.s_2;\n" + for_each("SELECT * FROM t_@") + ";\nSELECT * FROM x_2",
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
        for_each("SELECT * FROM a.b.C_@") + ";\nSELECT * FROM a.b.Branch_1",
        for_each("SELECT * FROM a.b.c_@") + ";\nSELECT * FROM a.b.Data_files",
        for_each("SELECT * FROM s_@.t") + ";\nSELECT * FROM global_temp.t",
        # Settings, variables and functions between them.
        for_each("SELECT f_1(a) FROM t_@")
        + ";\nCREATE FUNCTION f_1(x INT) RETURNS STRING RETURN 'a';\n"
        + for_each("SELECT f_1(a) FROM t_@"),
        for_each("SELECT CAST(a AS TIMESTAMP) AS x FROM t_@")
        + ";\nSET spark.sql.timestampType=TIMESTAMP_NTZ;\n"
        + for_each("SELECT CAST(a AS TIMESTAMP) AS x FROM t_@"),
        for_each('SELECT "a", b FROM t_@')
        + ";\nSET spark.sql.ansi.doubleQuotedIdentifiers=true;\n"
        + for_each('SELECT "a", b FROM t_@'),
        for_each("DECLARE v_1 = (SELECT max(a) FROM t_@);\nDROP TEMPORARY VARIABLE v_1"),
        # The same columns, local relations and tables several times.
        for_each("SELECT a, a, count(*), count(*) FROM t_@"),
        for_each("SELECT * FROM (SELECT a FROM t_@) AS x, (SELECT b FROM t_@) AS x, t_@"),
        for_each("SELECT t_@.a.b.c, t_@.a.b FROM t_@"),
    ],
)
def test_what_may_mean_something_else_is_bound(sql: str) -> None:
    for schema in (
        None,
        {"tables": [{"name": "t_2", "columns": [{"name": "a"}, {"name": "t_4"}]}]},
        {"tables": [{"schema": "s_2", "name": "x_2", "columns": [{"name": "a"}]}]},
        {
            "tables": [
                {
                    "name": f"t_{number}",
                    "columns": [{"name": "a", "dataType": "STRUCT<b: STRUCT<c: INT>>"}],
                }
                for number in range(8)
            ]
        },
    ):
        for dialect in ("spark", "postgres", "duckdb"):
            request = {**spark(sql), "dialect": dialect, **({"schema": schema} if schema else {})}
            assert encode_result(analyze(request)) == answered_alone(request)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "mysql", "clickhouse", "spark"])
def test_a_column_that_is_called_by_its_expression_has_an_id_of_its_own(dialect: str) -> None:
    request = {
        **spark(for_each("SELECT t_@.a + 1, count(t_@.b) FROM t_@ GROUP BY 1")),
        "dialect": dialect,
    }
    assert told_again(request) == 6
    assert encode_result(analyze(request)) == answered_alone(request)


def test_a_column_that_is_called_like_the_table_is_its_own_matter() -> None:
    request = spark(
        for_each("SELECT t_@.a FROM (SELECT * FROM t_@) AS x"), schema={"allowImplied": False}
    )
    assert told_again(request) == 0
    assert encode_result(analyze(request)) == answered_alone(request)


def test_a_place_is_one_of_whole_tokens() -> None:
    places = drawing.Places(tokens_of("SELECT a_1", "spark"))
    assert places.of(Span(7, 10)) == (1, 1)
    with pytest.raises(Untellable):
        places.of(Span(7, 9))


def test_an_issue_that_is_switched_off_is_one() -> None:
    """To whom a name means nothing here may depend on the name, whether that is said or not."""
    sql = for_each("SELECT t_@.a FROM t_@ AS x, (VALUES (1)) AS v")
    request = {**spark(sql + ";\nSELECT col1.a FROM col1 AS x, (VALUES (1)) AS v")}
    request["options"]["severityOverrides"] = {"UNRESOLVED_REFERENCE": "off"}
    names = [*(f"t_{number}" for number in range(8)), "col1"]
    request["schema"] = {"tables": [{"name": name, "columns": [{"name": "a"}]} for name in names]}
    assert told_again(request) == 0
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


# -- what a statement depends on -------------------------------------------------------------------

_ABOUT_NAMES = ("imported", "implied", "renamed", "_spellings", "_dropped", "_future")


class _Asked(dict[Any, Any]):
    """A map of the registry that keeps what it was asked for."""

    def __init__(self, held: dict[Any, Any], asked: set[Any]) -> None:
        super().__init__(held)
        self._asked = asked

    def __getitem__(self, name: Any) -> Any:
        self._asked.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._asked.add(name)
        return super().__contains__(name)

    def get(self, name: Any, default: Any = None) -> Any:
        self._asked.add(name)
        return super().get(name, default)


def _bound_and_watched(retelling: Retelling, statement: Statement) -> Analysed:
    session, asked = retelling._session, set[Any]()
    for field in _ABOUT_NAMES:
        setattr(session.registry, field, _Asked(dict(getattr(session.registry, field)), asked))
    analysed = analyse_statement(session, statement)
    assert asked <= session.registry.seen.keys(), statement.text
    return analysed


def test_a_statement_says_of_which_names_it_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of those that are not there: another statement may ask for one that is."""
    monkeypatch.setattr(Retelling, "analyse", _bound_and_watched)
    for case in CASES:
        analyze(case.request)
    for seed in range(8):
        analyze(program(random.Random(seed)))  # noqa: S311 - a choice of cases


# -- nobody is believed on trust ------------------------------------------------------------------


def test_a_name_that_was_overlooked_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second statement is bound, and what it would have been told is compared."""
    monkeypatch.setattr(drawing, "_gapped", lambda _value, _gaps: None)
    keys = "MERGE INTO t_@ USING u_@ ON t_@.a = u_@.b WHEN MATCHED THEN UPDATE SET c = u_@.c"
    request = spark(for_each(keys))
    assert told_again(request) == 0
    assert encode_result(analyze(request)) == answered_alone(request)


def test_nor_is_the_same_statement_again_before_it_was_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Telling, "foretells", lambda *_: False)
    assert told_again(spark(for_each("SELECT a FROM t_1"))) == 0


@pytest.mark.parametrize("dialect", ["mysql", "clickhouse", "spark"])
def test_a_query_that_is_explained_is_so_each_time(dialect: str) -> None:
    request = {**spark(for_each("EXPLAIN SELECT a FROM t_1")), "dialect": dialect}
    assert encode_result(analyze(request)) == answered_alone(request)


@pytest.mark.parametrize(
    "sql",
    [
        for_each("INSERT INTO log_1 SELECT a FROM t_@") + ";\nINSERT INTO log_2 SELECT a FROM t_9",
        for_each("SELECT * FROM t_@, u_1") + ";\n" + for_each("SELECT * FROM t_1, u_@"),
    ],
)
def test_a_gap_counts_once_it_was_right(sql: str) -> None:
    request = spark(sql)
    assert told_again(request) >= 5
    assert encode_result(analyze(request)) == answered_alone(request)


@pytest.mark.usefixtures("breaks")
@pytest.mark.parametrize(
    ("owner", "method", "told"),
    [
        (Telling, "__init__", 0),
        (Telling, "words", 0),
        (Telling, "told", 0),
        (Telling, "foretells", 0),
    ],
)
def test_a_bug_costs_no_answer(
    monkeypatch: pytest.MonkeyPatch, owner: type, method: str, told: int
) -> None:
    request = spark(for_each("INSERT INTO v_@ SELECT a FROM t_@"))
    right = answered_alone(request)

    def broken(*_: object) -> None:
        raise KeyError(method)

    monkeypatch.setattr(owner, method, broken)
    assert told_again(request) == told
    assert encode_result(analyze(request)) == right


# -- any program ---------------------------------------------------------------------------------


def _bound(request: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Nothing told: an analyzer that is asked again does not do all that a request may want."""
    with monkeypatch.context() as patched:
        patched.setattr(
            Retelling, "analyse", lambda self, one: analyse_statement(self._session, one)
        )
        return encode_result(analyze(request))


def _told_of(seeds: Iterable[int], monkeypatch: pytest.MonkeyPatch) -> float:
    """The share of the statements of random programs that are told, and told right."""
    told = counted = 0
    for seed in seeds:
        request = program(random.Random(seed))  # noqa: S311 - a choice of cases
        result = analyze(request)
        answer = encode_result(result)
        assert answer == _bound(request, monkeypatch), seed
        assert answer == answered_alone(request), seed
        told += told_again(request)
        counted += len(result.statements)
    return told / counted


def test_any_program_is_answered_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _told_of(range(12), monkeypatch) > 0.25


@pytest.mark.long
@pytest.mark.parametrize("part", range(2))
def test_so_are_many_programs(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first = 1000 + 60 * part
    assert _told_of(range(first, first + 60), monkeypatch) > 0.3


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_every_behaviour_is_told_right_in_any_order_with_any_options(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, case in enumerate(CASES[part::4]):
        chance = random.Random(4 * number + part)  # noqa: S311 - a choice of options
        request = _workload(case, ("", *MARKS, *MARKS))
        statements = request["sql"].split(";")
        chance.shuffle(statements)
        request["sql"] = "\n;\n".join(statements)
        request["options"].update(any_options(chance))
        assert encode_result(analyze(request)) == _bound(request, monkeypatch), case.identity

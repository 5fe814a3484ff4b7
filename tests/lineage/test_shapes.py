"""Statements that are parsed once for all that are like them are answered as if each were parsed alone."""

from __future__ import annotations

import ast
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlglot
from sqlglot.dialects import DIALECTS
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage import Analyzer, analyze, encode_result
from lakeport.lineage.analyze import Undisturbed, open_session
from lakeport.lineage.dialects import dialect_named
from lakeport.lineage.engines import tokens_of
from lakeport.lineage.finish import finish
from lakeport.lineage.globalgraph import workload_graph
from lakeport.lineage.request import read_request
from lakeport.lineage.shapes import is_mere_name
from lakeport.lineage.statement import analyse_statement, announce_definitions
from lakeport.lineage.views import load_views
from lakeport.lineage.workload import read_workload
from tests.lineage.golden_file import ANALYSIS_TIME, GoldenCase, read_cases

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

GOLDEN = Path(__file__).parent / "golden"
CASES = [
    case
    for path in sorted(GOLDEN.glob("*.sql"))
    for case in read_cases(path)
    if case.request.get("sql") and not case.request.get("files")
    if "templateConfig" not in case.request
    if dialect_named(case.request.get("dialect", "generic")) is not None
]
MARKS = [("_1", "_22", "x_3"), ("", "_1", "x_3", "", "_1"), ("x_3", "", "_1", "", "_22")]
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})


def renamed(sql: str, parser: str, mark: str) -> str:
    """The SQL with other names; what does not tokenise stays."""
    try:
        tokens = tokens_of(sql, parser)
    except TokenError:
        return sql
    pieces: list[str] = []
    begin = 0
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.token_type in _NAMES and not _is_called(following):
            end = token.end + (sql[token.end] not in '`"]')
            pieces += [sql[begin:end], mark]
            begin = end
    return "".join([*pieces, sql[begin:]])


def _is_called(following: Token | None) -> bool:
    return following is not None and following.token_type is TokenType.L_PAREN


def workload(case: GoldenCase, *marks: str) -> dict[str, Any]:
    """The statements of a case once for each mark, under names of their own; a mark may be empty."""
    parser = _parser(case.request.get("dialect", "generic"))
    parts = [
        renamed(case.request["sql"], parser, mark) if mark else case.request["sql"]
        for mark in marks
    ]
    options = {**case.request.get("options", {}), "analysisTime": ANALYSIS_TIME}
    sql = "\n;\n".join(part.rstrip().rstrip(";") for part in parts)
    return {**case.request, "sql": sql, "options": options}


def _parser(dialect: str) -> str:
    known = dialect_named(dialect)
    assert known is not None
    return known.parser


def answered_alone(request: dict[str, Any]) -> bytes:
    """An analyzer that is asked again parses each statement for itself."""
    return encode_result(Analyzer().analyze(request))


def test_every_behaviour_is_the_same_for_statements_that_come_again() -> None:
    for case in CASES:
        request = workload(case, *MARKS[0])
        assert encode_result(analyze(request)) == answered_alone(request), case.identity


@pytest.mark.long
@pytest.mark.parametrize("marks", MARKS[1:])
def test_so_it_is_in_any_order_and_with_other_values(marks: tuple[str, ...]) -> None:
    for case in CASES:
        request = workload(case, *marks)
        request["options"]["includeIndirect"] = True
        for old, new in ((" 1", " 17"), ("'a'", "'ab'"), (" 2", " 2.5")):
            request["sql"] += ";\n" + request["sql"].replace(old, new)
        assert encode_result(analyze(request)) == answered_alone(request), case.identity


def test_nothing_of_a_tree_is_kept_beyond_its_statement() -> None:
    """After each statement the one like it takes the tree, with its own names and places."""
    for case in CASES:
        asked = workload(case, "_1", "_22")
        request, issues = read_request(asked)
        assert request is not None
        with Undisturbed():
            session = open_session(request, issues)
            statements = read_workload(session)
            graph = workload_graph(request.options)
            load_views(session, graph)
            announce_definitions(session, statements)
            results = []
            for statement in statements:
                analysed = analyse_statement(session, statement)
                analysed.join(session, graph)
                results.append(analysed.lineage)
                for other in statements:
                    if other is not statement:
                        _ = other.parsed.tree
            answer = finish(session, results, graph)
        assert encode_result(answer) == encode_result(analyze(asked)), case.identity


def test_names_and_compared_values_are_their_own() -> None:
    sql = """
        SELECT c_1 AS x_1 FROM t_1 WHERE c_1 > 5 AND s_1 = 'one';
        SELECT c_2 AS x_2 FROM t_2 WHERE c_2 > 70 AND s_2 = 'fifty five'
    """
    first, second = analyze({"sql": sql, "dialect": "spark"}).statements
    assert [node.label for node in first.nodes] == ["t_1", "c_1", "s_1", "output", "x_1"]
    assert [node.label for node in second.nodes] == ["t_2", "c_2", "s_2", "output", "x_2"]
    assert [text.expression for text in second.nodes[0].filters] == [
        "c_2 > 70",
        "s_2 = 'fifty five'",
    ]
    for node in (*first.nodes, *second.nodes):
        if node.span is not None:
            assert sql[node.span.start : node.span.end] == node.label


@pytest.mark.parametrize("dialect", ["bigquery", "redshift"])
def test_a_table_is_no_column_of_another_one_because_the_statement_before_named_one(
    dialect: str,
) -> None:
    sql = "SELECT x_1 FROM t_1, {}; SELECT x_1 FROM t_2, {}"
    for first, second in (
        ("t_1.c_1", "s_1.c_1"),
        ("s_1.c_1", "t_2.c_1"),
        ("T_1.c_1", "t_1.c_1"),
        ("t_1.c_1", "T_2.c_1"),
    ):
        request = {
            "sql": sql.format(first, second),
            "dialect": dialect,
            "options": {"analysisTime": ANALYSIS_TIME},
        }
        assert encode_result(analyze(request)) == answered_alone(request), (first, second)


@pytest.mark.parametrize("dialect", ["spark", "duckdb", "snowflake", "trino"])
def test_a_column_is_no_variable_because_the_statement_before_called_one_so(dialect: str) -> None:
    sql = "SELECT filter(l_1, x_1 -> x_1 > 0) FROM t_1; SELECT filter(l_1, {} -> {} > 0) FROM t_1"
    for variable, used in (("y_1", "x_1"), ("y_1", "Y_1"), ("x_1", "y_1")):
        request = {
            "sql": sql.format(variable, used),
            "dialect": dialect,
            "options": {"analysisTime": ANALYSIS_TIME},
        }
        assert encode_result(analyze(request)) == answered_alone(request), (variable, used)


def test_a_unit_is_a_column_whatever_another_statement_compares_it_with() -> None:
    sql = "SELECT date_trunc(u_1, c_1) FROM t_1 WHERE u_1 = '{}'"
    request = {
        "sql": f"{sql.format('day')}; {sql.format('u_1')}",
        "dialect": "spark",
        "options": {"analysisTime": ANALYSIS_TIME},
    }
    assert encode_result(analyze(request)) == answered_alone(request)


@pytest.mark.parametrize("dialect", ["spark", "postgres", "duckdb", "bigquery"])
def test_columns_that_are_listed_later_are_those_of_their_own_table(dialect: str) -> None:
    sql = ";\n".join(
        f"SELECT * FROM t_{n}; CREATE TABLE t_{n} (a_{n} INT, b_{n} INT)" for n in range(3)
    )
    results = analyze({"sql": sql, "dialect": dialect}).statements
    for n, result in enumerate(results[::2]):
        assert [node.label for node in result.nodes if node.node_type == "column"] == [
            *(f"a_{n}", f"b_{n}"),
            *(f"a_{n}", f"b_{n}"),
        ]


def test_a_word_that_a_parser_looks_for_is_no_mere_name() -> None:
    """Every word in the sources of the installed parsers, of the form that is taken for names."""
    root = Path(sqlglot.__file__).parent
    places = [root / "parser.py", *root.glob("parsers/*.py"), *root.glob("dialects/*.py")]
    words = {
        word
        for place in places
        for node in ast.walk(ast.parse(place.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for word in node.value.split()
        if word.isupper() and word.isidentifier()
    }
    assert {"IAM_ROLE", "INFORMATION_SCHEMA", "MATCH_ANY"} < words
    parsers = ["", *(dialect.lower() for dialect in DIALECTS)]
    mere = {
        word for word in words - _NO_SQL if all(is_mere_name(word, parser) for parser in parsers)
    }
    assert not mere, f"list them in shapes.py: {sorted(mere)}"


# Names of settings and attributes in their code.
_NO_SQL = frozenset(
    {
        "ARRAY_FUNCS_PROPAGATES_NULLS",
        "BYTE_STRING_ESCAPES",
        "SUPPORTED_JSON_PATH_PARTS",
        "TYPE_MAPPING",
        "_",
    }
)

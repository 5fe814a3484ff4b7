"""Answering again after edits gives, byte for byte, what a fresh analysis gives.

Workloads are chains of statements that depend on each other in every way the goldens know: tables
created, replaced, altered, dropped, read before and after. Edits are what people do: change a
statement, remove one, insert one, swap two, comment one.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.lineage_parts import texts
from lakeport.lineage import Analyzer, analyze, encode_result
from tests.lineage.golden_file import ANALYSIS_TIME, read_cases

GOLDEN = Path(__file__).parent / "golden"
TOPICS = (
    "alter",
    "create",
    "drop",
    "inference",
    "insert",
    "merge",
    "seed_unit",
    "star",
    "workload",
)
POOL = [
    statement.strip()
    for topic in TOPICS
    for case in read_cases(GOLDEN / f"{topic}.sql")
    if case.request["dialect"] == "spark" and "files" not in case.request
    for statement in case.request["sql"].split(";")
    if statement.strip()
]
SCHEMA = {"tables": [{"name": "t", "columns": [{"name": "a"}, {"name": "b"}]}]}


def _request(statements: list[str], **more: Any) -> dict[str, Any]:
    options = {"analysisTime": ANALYSIS_TIME, "includeIndirect": True, "includeSchemaHistory": True}
    return {"sql": ";\n".join(statements), "dialect": "spark", "options": options, **more}


def _edited(statements: list[str], random: Random) -> list[str]:
    edited = list(statements)
    place = random.randrange(len(edited))
    match random.choice(("change", "remove", "insert", "swap", "comment", "respace")):
        case "change":
            edited[place] = random.choice(POOL)
        case "remove" if len(edited) > 1:
            del edited[place]
        case "insert":
            edited.insert(place, random.choice(POOL))
        case "swap":
            other = random.randrange(len(edited))
            edited[place], edited[other] = edited[other], edited[place]
        case "comment":
            edited[place] = f"/* é {random.random()} */ {edited[place]}"
        case _:
            edited[place] = edited[place].replace(" ", "\n  ", 1)
    return edited


def _compare(seed: int, rounds: int, **more: Any) -> None:
    random = Random(seed)  # noqa: S311  a test's seed, not a secret
    statements = random.sample(POOL, 12)
    analyzer = Analyzer()
    for _ in range(rounds):
        request = _request(statements, **more)
        again, fresh = encode_result(analyzer.analyze(request)), encode_result(analyze(request))
        assert again == fresh, request["sql"]
        statements = _edited(statements, random)


@pytest.mark.parametrize("seed", range(20))
def test_edits_give_what_a_fresh_analysis_gives(seed: int) -> None:
    _compare(seed, rounds=8)


@pytest.mark.parametrize("seed", range(10))
def test_edits_with_an_imported_schema(seed: int) -> None:
    _compare(seed, rounds=8, schema=SCHEMA)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20, 45))
def test_edits_give_what_a_fresh_analysis_gives_at_length(seed: int) -> None:
    _compare(seed, rounds=25, **({"schema": SCHEMA} if seed % 2 else {}))


def test_other_settings_start_afresh() -> None:
    analyzer = Analyzer()
    statements = texts.workload(20)
    for more in ({}, {"schema": SCHEMA}, {"encoding": "utf16"}, {"dialect": "duckdb"}, {}):
        request = _request(statements, **more)
        assert encode_result(analyzer.analyze(request)) == encode_result(analyze(request))


def test_an_edit_of_a_definition_reaches_everyone_downstream() -> None:
    analyzer = Analyzer()
    before = ["CREATE TABLE a (x INT)", "CREATE VIEW b AS SELECT * FROM a", "SELECT * FROM b"]
    analyzer.analyze(_request(before))
    result = analyzer.analyze(_request(["CREATE TABLE a (x INT, y INT)", *before[1:]]))
    labels = [node.label for node in result.statements[2].nodes if node.node_type == "column"]
    assert "y" in labels


@pytest.mark.parametrize(
    ("dialect", "versions"),
    [
        # A semicolon becomes part of a comment.
        (
            "postgres",
            ["; -- note\nDROP TABLE a; SELECT b FROM c", "; -- note DROP TABLE a; SELECT b"],
        ),
        # What cannot be read at all.
        (
            "tsql",
            ["SELECT a FROM t;\n [x", "SELECT a, b FROM t;\n [x", "SELECT a, b FROM t;\n [xy "],
        ),
        # A star that nobody wrote.
        ("duckdb", ["SELECT a FROM t;\nFROM 'x.csv'", "SELECT a, b FROM t;\nFROM 'x.csv'"]),
        (
            "duckdb",
            [
                "CREATE TABLE t (a INT, b INT); INSERT INTO s (x) FROM t",
                "CREATE TABLE t (a INT, bc INT); INSERT INTO s (x) FROM t",
            ],
        ),
        # How a text is cut into tokens depends on its first statement.
        ("athena", ["SELECT a FROM t; SHOW TABLES", "CREATE SCHEMA x; SHOW TABLES; SELECT 'a'"]),
        # A comment parts a keyword behind a number, too.
        (
            "postgres",
            [
                "SELECT a GROUP /* */ BY a; SELECT 1",
                "SELECT a GROUP /* */ BY a;SELECT 1GROUP /* */ BY a",
            ],
        ),
        # Without its end a block is no block, far before the edit.
        (
            "bigquery",
            [
                "IF 1 = 1 THEN INSERT INTO d.s (x) SELECT a FROM d.t; SELECT 2; END IF",
                "IF 1 = 1 THEN INSERT INTO d.s (x) SELECT a FROM d.t; SELECT 2; END I",
            ],
        ),
    ],
)
def test_texts_that_change_their_tokens(dialect: str, versions: list[str]) -> None:
    analyzer = Analyzer()
    for sql in versions:
        request = _request([sql], dialect=dialect)
        assert encode_result(analyzer.analyze(request)) == encode_result(analyze(request)), sql


def test_what_is_remembered_of_discarded_tables_follows_their_definition() -> None:
    analyzer = Analyzer()
    for column in ("b", "c"):
        made = f"CREATE TEMP TABLE work AS SELECT {column} FROM t"
        request = _request([made, "DISCARD ALL", "SELECT b FROM work"], dialect="postgres")
        assert encode_result(analyzer.analyze(request)) == encode_result(analyze(request)), made


def test_a_suggestion_follows_the_tables_there_are() -> None:
    made, read = "CREATE TABLE orders (a INT)", "SELECT a FROM ordres"
    analyzer = Analyzer()
    for statements in ([made, read], ["SELECT 1", read], [made, read], [read, made]):
        request = _request(statements, schema=SCHEMA)
        again = analyzer.analyze(request)
        assert encode_result(again) == encode_result(analyze(request))
    suggested = [
        issue.suggestions
        for issue in analyzer.analyze(_request([made, read], schema=SCHEMA)).issues
    ]
    assert ["orders"] in suggested

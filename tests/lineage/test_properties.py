"""What holds for every text: an answer, the same answer, and spans that point at what they name.

Texts are the golden cases and decision-support queries, whole, cut, and with tokens lost. All
randomness is seeded by the case, so a failure is the same failure everywhere.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from bench.lineage_parts import texts
from lakeport.lineage import analyze, encode_result
from lakeport.lineage.dialects import known_dialects
from tests.lineage.golden_file import GoldenCase, read_cases

GOLDEN = Path(__file__).parent / "golden"
CASES = [case for path in sorted(GOLDEN.glob("*.sql")) for case in read_cases(path)]
ROOT = Path(__file__).parents[2]
DIALECTS = known_dialects()
QUOTES = '`"[]'


def _sql(case: GoldenCase) -> str:
    files = case.request.get("files") or [{"content": case.request["sql"]}]
    return ";\n".join(file["content"] for file in files)


def _survives(sql: str, dialect: str) -> None:
    result = analyze({"sql": sql, "dialect": dialect})
    assert result.summary.statement_count == len(result.statements)
    # The analyzer catches its own bugs, so that users get an answer; tests must see them.
    ours = [issue.message for issue in result.issues if "error of ours" in issue.message]
    assert not ours, (dialect, sql, ours)


def _without_some_tokens(sql: str, random: Random) -> str:
    words = sql.split(" ")
    return " ".join(word for word in words if random.random() > 0.15)


def _shuffled(sql: str, random: Random) -> str:
    words = sql.split(" ")
    start = random.randrange(len(words))
    part = words[start : start + 6]
    random.shuffle(part)
    return " ".join([*words[:start], *part, *words[start + 6 :]])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_damaged_sql_gets_an_answer_in_every_dialect(dialect: str) -> None:
    random = Random(f"damage {dialect}")  # noqa: S311  a test's seed, not a secret
    for case in random.sample(CASES, 12):
        sql = _sql(case)
        _survives(sql, dialect)
        _survives(sql[: random.randrange(len(sql) + 1)], dialect)
        _survives(_without_some_tokens(sql, random), dialect)
        _survives(_shuffled(sql, random), dialect)


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT CAST(a AS INTERVAL DAY TO) FROM t", "postgres"),
        ("SELECT x.b FROM UNNEST(ARRAY(SELECT AS STRUCT FROM t)) AS x", "bigquery"),
    ],
)
def test_a_part_that_is_missing_is_no_accident(sql: str, dialect: str) -> None:
    _survives(sql, dialect)


@pytest.mark.long
@pytest.mark.parametrize("number", range(100))
def test_a_query_cut_anywhere_gets_an_answer(number: int) -> None:
    every = [*texts.queries(), *(_sql(case) for case in CASES)]
    sql = every[number * len(every) // 100][:600]
    dialect = DIALECTS[number % len(DIALECTS)]
    for end in range(len(sql) + 1):
        _survives(sql[:end], dialect)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(150))
def test_badly_damaged_sql_gets_an_answer(seed: int) -> None:
    random = Random(seed)  # noqa: S311  a test's seed, not a secret
    sql = _sql(random.choice(CASES))
    dialect = random.choice(DIALECTS)
    for _ in range(12):
        _survives(_shuffled(_without_some_tokens(sql, random), random), dialect)


@pytest.mark.parametrize(
    "sql",
    [
        "\x00",
        "\ud800",
        "\u2028;\u2029",
        "''''''''",
        "`",
        '"',
        "--",
        "/*",
        "$$",
        "{{",
        "((((((((((",
        ")" * 50,
        "SELECT " + "(" * 500 + "1" + ")" * 500,
        "SELECT " + "-" * 2001 + "1",
        "SELECT " + "CASE WHEN a THEN " * 300,
        "SELECT * FROM " + "(SELECT * FROM " * 300,
        "WITH RECURSIVE a AS (SELECT * FROM a) SELECT * FROM a",
        "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM a, b",
        "CREATE VIEW v AS SELECT * FROM v",
        "SELECT a.a.a.a.a.a.a.a.a.a FROM a.a.a.a.a.a.a",
        "INSERT INTO t SELECT * FROM t UNION SELECT * FROM t",
        "MERGE INTO t USING t ON 1 = 1 WHEN MATCHED THEN UPDATE SET *",
        "é" * 100,
        "DECLARE n NUMBER := 0; CURSOR",
        "INSERT INTO t (k) SELECT k FROM s ON DUPLICATE KEY UPDATE w = VALUES(",
        "SELECT BY a, ALL;\n sum(b) AS FROM",
        'SELECT \'😀\' AS "😀" FROM "😀"',
    ],
)
@pytest.mark.parametrize(
    "dialect", ["generic", "spark", "tsql", "snowflake", "bigquery", "oracle", "mysql", "hive"]
)
def test_odd_texts_get_an_answer(sql: str, dialect: str) -> None:
    _survives(sql, dialect)


@pytest.mark.parametrize(
    "request_like",
    [
        None,
        3,
        [],
        "",
        "{",
        b"\xff",
        {"sql": 3},
        {"sql": None},
        {"files": [{}]},
        {"dialect": "none"},
    ],
)
def test_odd_requests_get_an_answer(request_like: Any) -> None:
    result = analyze(request_like)
    assert {issue.code for issue in result.issues} == {"INVALID_REQUEST"}


def test_equal_requests_give_equal_bytes() -> None:
    for case in CASES:
        first, second = (encode_result(analyze(case.request)) for _ in range(2))
        assert first == second, case.identity


def test_bytes_do_not_depend_on_the_process() -> None:
    program = (
        "import json, sys, hashlib\n"
        "from lakeport.lineage import analyze, encode_result\n"
        "requests = json.load(sys.stdin)\n"
        "print(hashlib.sha256(b''.join(encode_result(analyze(r)) for r in requests)).hexdigest())\n"
    )
    requests = json.dumps([case.request for case in CASES])
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=requests,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("encoding", ["utf8", "utf16", "codepoint"])
def test_spans_slice_to_their_identifier(encoding: str) -> None:
    # Spans of a template refer to its rendered text.
    plain = [case for case in CASES if "templateConfig" not in case.request]
    wrong = {case.identity: found for case in plain if (found := _wrong_spans(case, encoding))}
    assert not wrong


def _wrong_spans(case: GoldenCase, encoding: str) -> list[str]:
    """What a span shows where it should show a name, behind text that no unit counts alike."""
    request, sources = _behind_wide_characters(case.request, encoding)
    result = msgspec.to_builtins(analyze(request))
    wrong: list[str] = []
    for statement in result["statements"]:
        text = sources[statement.get("sourceName")]
        for node in statement["nodes"]:
            known = (node["label"], node.get("qualifiedName", "").split(".")[-1])
            spans = [*node.get("nameSpans", []), *([node["span"]] if "span" in node else [])]
            shown = [_slice(text, span, encoding) for span in spans]
            wrong += [s for s in shown if not any(_names(s, label) for label in known)]
    for issue in result["issues"]:
        if "span" in issue and not _slice(
            sources[issue.get("sourceName")], issue["span"], encoding
        ):
            wrong.append(f"{issue['code']} has an empty span")
        if "span" in issue and "statementIndex" in issue and "sourceName" not in issue:
            around = result["statements"][issue["statementIndex"]]["span"]
            if not around["start"] <= issue["span"]["start"] < around["end"]:
                wrong.append(f"{issue['code']} is outside of its statement")
    return wrong


def _behind_wide_characters(
    request: dict[str, Any], encoding: str
) -> tuple[dict[str, Any], dict[str | None, str]]:
    prefix = "/* 😀é */ "
    views = request.get("schema", {}).get("views", [])
    sources: dict[str | None, str] = {view["name"]: view["sql"] for view in views}
    files = [{**f, "content": prefix + f["content"]} for f in request.get("files", [])]
    if files:
        moved = {**request, "encoding": encoding, "files": files}
        return moved, sources | {file["name"]: file["content"] for file in files}
    sql = prefix + request["sql"]
    return {**request, "encoding": encoding, "sql": sql}, sources | {None: sql}


def _names(shown: str, label: str) -> bool:
    """Whether a piece of text is this name: whole or its last part, or with what was folded away.

    `orders.branch_audit` is the table `orders`, `events_20240101` the shards `events`.
    """
    wanted = label.strip(QUOTES).casefold()
    parts = [part.strip(QUOTES).casefold() for part in shown.split(".")]
    return (
        wanted in parts or shown.casefold().strip(QUOTES) == wanted or parts[-1].startswith(wanted)
    )


def _slice(text: str, span: dict[str, int], encoding: str) -> str:
    start, end = span["start"], span["end"]
    match encoding:
        case "utf8":
            return text.encode()[start:end].decode()
        case "utf16":
            return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")
        case _:
            return text[start:end]


@pytest.mark.long
def test_both_builds_of_sqlglot_give_the_same_bytes() -> None:
    requests = json.dumps([case.request for case in CASES])
    digests = [
        subprocess.run(
            [sys.executable, str(Path(__file__).with_name("pure_build.py")), build],
            input=requests,
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        ).stdout.split()
        for build in ("compiled", "pure")
    ]
    (compiled, first), (pure, second) = digests
    assert (compiled, pure) == ("compiled", "pure")
    assert first == second


def test_a_column_called_identifier_takes_no_span_from_another() -> None:
    for sql in ("SELECT `a``b` FROM t", "SELECT `a``b`, identifier FROM t"):
        nodes = analyze({"sql": sql, "dialect": "spark"}).statements[0].nodes
        spans = [sql[n.span.start : n.span.end] for n in nodes if n.span and n.label == "a`b"]
        assert spans == ["`a``b`"], sql

"""Where statements begin and end, in every unit a client may count in."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.lineage import split_statements
from lakeport.lineage.engines import tokens_of
from lakeport.lineage.request import Encoding
from lakeport.lineage.resplit import resplit
from lakeport.lineage.split import split


def pieces(sql: str, dialect: str = "spark") -> list[str]:
    found = split_statements(sql, dialect, "codepoint")
    return [sql[span.start : span.end] for span in found.statements]


def test_semicolons_inside_strings_and_comments_do_not_cut() -> None:
    sql = "SELECT ';' AS a; -- not; here\nSELECT /* nor; here */ 2"
    assert pieces(sql) == ["SELECT ';' AS a", "SELECT /* nor; here */ 2"]


def test_empty_statements_are_no_statements() -> None:
    assert pieces(";; SELECT 1 ;\n;") == ["SELECT 1"]


def test_dollar_quotes_hold_semicolons() -> None:
    sql = "CREATE FUNCTION f() RETURNS int AS $$ SELECT 1; $$ LANGUAGE sql; SELECT 2"
    assert pieces(sql, "postgres")[-1] == "SELECT 2"
    assert len(pieces(sql, "postgres")) == 2


def test_batches_end_at_go_alone_on_its_line() -> None:
    assert pieces("SELECT 1\nGO\nSELECT 2", "tsql") == ["SELECT 1", "SELECT 2"]


def test_cells_of_a_notebook_are_statements() -> None:
    sql = (
        "-- Databricks notebook source\nSELECT 1\n\n-- COMMAND ----------\n\n%python\nx = 'a;b'\n"
        "-- COMMAND ----------\n-- MAGIC %md text\n-- COMMAND ----------\n%sql\nSELECT a % 2 FROM t;\n"
    )
    assert pieces(sql) == ["SELECT 1", "SELECT a % 2 FROM t"]
    assert pieces(sql, "databricks") == pieces(sql)


def test_data_of_a_dump_and_lines_of_its_client_are_no_statements() -> None:
    sql = "\\connect sales\nCOPY t (a, b) FROM stdin;\n1\tx;y\n2\t'\n\\.\n\nSELECT 1\n\\echo done\nSELECT 2"
    assert pieces(sql, "postgres") == ["COPY t (a, b) FROM stdin", "SELECT 1", "SELECT 2"]


def test_the_cells_of_an_edited_notebook_are_found_again() -> None:
    cells = ["SELECT 1", "%python\nprint(';')", "SELECT 2", "SELECT 3"]
    mark = "\n-- COMMAND ----------\n"
    earlier = resplit(None, mark.join(cells), "spark")
    edited = mark.join([*cells[:2], "SELECT a FROM t", cells[3]])
    again = [(chunk.start, chunk.end) for chunk in resplit(earlier, edited, "spark").chunks]
    assert again == [(chunk.start, chunk.end) for chunk in split(edited, "spark")]
    assert len(again) == 3


def test_oracle_batches_end_at_a_slash_alone_on_its_line() -> None:
    assert pieces("SELECT 4 / 2 FROM dual\n/\nSELECT 2 FROM dual", "oracle") == [
        "SELECT 4 / 2 FROM dual",
        "SELECT 2 FROM dual",
    ]


def test_blocks_are_opened_and_their_headers_dropped() -> None:
    sql = "BEGIN IF x > 1 THEN INSERT INTO a SELECT 1; ELSE DELETE FROM b; END IF; END; SELECT 2"
    assert pieces(sql) == ["INSERT INTO a SELECT 1", "DELETE FROM b", "SELECT 2"]


def test_a_transaction_is_no_block() -> None:
    assert pieces("BEGIN; SELECT 1; COMMIT", "postgres") == ["BEGIN", "SELECT 1", "COMMIT"]


def test_one_unreadable_statement_does_not_hide_the_others() -> None:
    sql = "SELECT 1; SELECT 'open"
    found = split_statements(sql, "spark", "codepoint")
    first = found.statements[0]
    assert sql[first.start : first.end] == "SELECT 1"
    assert found.error is not None


@pytest.mark.parametrize(
    ("encoding", "expected"), [("codepoint", (12, 20)), ("utf8", (15, 23)), ("utf16", (13, 21))]
)
def test_spans_count_in_the_unit_asked_for(encoding: Encoding, expected: tuple[int, int]) -> None:
    found = split_statements("SELECT '😀'; SELECT 1", "spark", encoding)
    span = found.statements[1]
    assert (span.start, span.end) == expected


STATEMENTS = st.sampled_from(
    [
        "SELECT 1",
        "SELECT a FROM t",
        "INSERT INTO t SELECT 'x;y'",
        "-- note;\nSELECT 2",
        "SELECT /* ; */ 3",
        "",
    ]
)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    before=st.lists(STATEMENTS, max_size=6),
    after=st.lists(STATEMENTS, max_size=6),
    old=STATEMENTS,
    new=st.one_of(STATEMENTS, st.sampled_from(["SELECT 'open", "/* open", "a; b", "'"])),
)
def test_splitting_an_edited_text_again_finds_what_splitting_it_afresh_finds(
    before: list[str], after: list[str], old: str, new: str
) -> None:
    earlier = resplit(None, ";\n".join([*before, old, *after]), "spark")
    text = ";\n".join([*before, new, *after])
    again = [(chunk.start, chunk.end) for chunk in resplit(earlier, text, "spark").chunks]
    afresh = [(chunk.start, chunk.end) for chunk in split(text, "spark")]
    assert again == afresh


BATCH = st.lists(
    st.sampled_from(
        [
            "SELECT a FROM t WHERE b = 1",
            "INSERT INTO t (a) SELECT a FROM u UNION ALL SELECT b FROM u",
            "INSERT INTO t (a) VALUES (1)",
            "INSERT INTO t EXEC p",
            "UPDATE t SET a = CASE WHEN b = 1 THEN 2 ELSE 3 END FROM u",
            "DELETE FROM t WHERE a IN (SELECT b FROM u)",
            "WITH c AS (SELECT 1 AS a) UPDATE c SET a = 2",
            "WITH c (x) AS (SELECT 1) SELECT x FROM c WITH (NOLOCK)",
            "MERGE t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN DELETE",
            "CREATE TABLE c (id INT REFERENCES t (a) ON DELETE SET NULL)",
            "CREATE VIEW v AS WITH c AS (SELECT 1 AS a) SELECT a FROM c",
            "ALTER TABLE t ALTER COLUMN a INT",
            "DROP TABLE IF EXISTS t",
            "DECLARE @a INT = (SELECT MAX(a) FROM t)",
            "SET @a = 1",
            "SET NOCOUNT ON",
            "EXEC p @a = 1",
            "GRANT SELECT, INSERT ON t TO someone",
            "TRUNCATE TABLE t",
            "PRINT 'done'",
            "SELECT a FROM t ORDER BY a OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY",
        ]
    ),
    min_size=1,
    max_size=6,
)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(batch=BATCH)
def test_tsql_statements_end_where_the_next_begins(batch: list[str]) -> None:
    assert pieces("\n".join(batch), "tsql") == batch
    assert pieces(";\n".join(batch), "tsql") == batch


def test_quoted_bodies_are_no_statements_of_the_text() -> None:
    sql = "CREATE FUNCTION f() RETURNS void AS $$ DELETE FROM t; $$ LANGUAGE sql; SELECT 2"
    assert len(pieces(sql, "postgres")) == 2
    assert len(split(sql, "postgres")) == 3


def test_queries_of_loops_and_cursors_are_statements() -> None:
    sql = (
        "BEGIN FOR r AS SELECT 1 AS a DO DELETE FROM t; END FOR; DECLARE c CURSOR FOR SELECT 2; END"
    )
    assert pieces(sql) == ["SELECT 1 AS a", "DELETE FROM t", "SELECT 2"]


SCRIPT = """lbl: BEGIN DECLARE EXIT HANDLER FOR SQLSTATE VALUE '22012', NOT FOUND BEGIN DELETE FROM t; END;
DECLARE c CURSOR FOR SELECT a FROM t; FOR r AS SELECT a FROM t DO INSERT INTO s VALUES (r.a); END FOR;
CASE WHEN x = 1 THEN SELECT 1; ELSE SELECT 2; END CASE; WHILE x < 1 DO SET x = 1; END WHILE; END lbl;
CREATE PROCEDURE p(IN a INT) AS $$ DECLARE n int; BEGIN SELECT 1 INTO n; END $$ LANGUAGE sql"""


@pytest.mark.parametrize("dialect", ["spark", "tsql", "oracle", "postgres", "mysql", "bigquery"])
def test_a_script_may_end_anywhere(dialect: str) -> None:
    words = SCRIPT.split(" ")
    for count in range(len(words) + 1):
        text = " ".join(words[:count])
        spans = [(chunk.start, chunk.end) for chunk in split(text, dialect)]
        assert all(0 <= start < end <= len(text) for start, end in spans)


def characters_read(text: str, dialect: str) -> int:
    """How many characters the tokenizer is given to cut a text."""
    given = 0

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal given
        if event == "call" and frame.f_code is tokens_of.__code__:
            given += len(frame.f_locals["text"])

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        split(text, dialect)
    finally:
        sys.setprofile(before)
    return given


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT a FROM t;\n" * 300 + "SELECT 'open", "postgres"),
        ("BEGIN SET x = 1; END;\n" * 100 + "SELECT 1", "snowflake"),
        ("CREATE FUNCTION f() AS $$ INSERT INTO t SELECT 1 $$ LANGUAGE sql;\n" * 100, "postgres"),
    ],
    ids=["unreadable", "commands", "bodies"],
)
def test_a_text_is_read_a_few_times_however_many_pieces_it_has(text: str, dialect: str) -> None:
    assert len(text) <= characters_read(text, dialect) <= 4 * len(text)


def test_what_is_never_closed_holds_back_no_semicolon() -> None:
    assert pieces('SELECT 1; SELECT /* a; SELECT 2; SELECT "b; SELECT 3') == [
        "SELECT 1",
        "SELECT /* a",
        "SELECT 2",
        'SELECT "b',
        "SELECT 3",
    ]
    assert pieces("SELECT 'a\\'; SELECT 'b'; SELECT 2")[-1] == "SELECT 2"


def test_tokens_of_a_piece_stand_where_they_do_in_the_whole() -> None:
    text = "SELECT é;\nSELECT b\n  FROM c;\nSELECT 'open"
    whole = tokens_of(text[: text.index("'")], "spark")
    found = [token for chunk in split(text, "spark") for token in chunk.tokens]
    places = {(token.text, token.start, token.end, token.line) for token in whole}
    assert {(token.text, token.start, token.end, token.line) for token in found} < places

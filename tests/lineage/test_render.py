"""Every format of one small workload: complete, parseable by its own reader, safe with odd names."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from sqlglot import parse

from lakeport.lineage import AnalyzeResult, analyze
from lakeport.lineage.render import FORMATS, Style, mappings, render
from tests.lineage.golden_file import ANALYSIS_TIME

SQL = """
CREATE TABLE totals AS
WITH recent AS (SELECT buyer, amount FROM orders WHERE placed > 1)
SELECT buyer, sum(amount) AS total FROM recent GROUP BY buyer;
INSERT INTO report SELECT * FROM totals;
"""
ORDERS = {
    "name": "orders",
    "columns": [
        {"name": "buyer", "dataType": "string"},
        {"name": "amount", "dataType": "decimal(9,2)"},
        {"name": "placed", "dataType": "int"},
    ],
}


def _result(sql: str = SQL, **options: Any) -> AnalyzeResult:
    return analyze(
        {
            "sql": sql,
            "dialect": "spark",
            "schema": {"tables": [ORDERS]},
            "options": {"analysisTime": ANALYSIS_TIME, "unknownTablePolicy": "never", **options},
        }
    )


def _pairs(result: AnalyzeResult) -> set[tuple[str, str]]:
    return {
        (f"{row.target}.{row.target_column}", f"{row.source}.{row.source_column}")
        for row in mappings(result)
    }


def test_mappings_name_both_ends() -> None:
    assert _pairs(_result()) == {
        ("recent.buyer", "orders.buyer"),
        ("recent.amount", "orders.amount"),
        ("totals.buyer", "recent.buyer"),
        ("totals.total", "recent.amount"),
        ("report.buyer", "totals.buyer"),
        ("report.total", "totals.total"),
    }


def test_relations_that_no_column_joins_are_mapped_as_a_whole() -> None:
    sql = "INSERT INTO archive SELECT * FROM unknown; CREATE VIEW v AS SELECT buyer FROM orders CROSS JOIN days"
    found = [(row.target, row.target_column, row.source, row.how) for row in mappings(_result(sql))]
    assert found == [
        ("v", "buyer", "orders", "copied"),
        ("archive", "", "unknown", "copied"),
        ("v", "", "days", "joins"),
    ]


def test_conditions_are_mapped_when_asked_for() -> None:
    sql = "CREATE VIEW v AS SELECT buyer FROM orders WHERE placed > 1 ORDER BY amount"
    found = [
        (row.target, row.source_column, row.how)
        for row in mappings(_result(sql, includeIndirect=True))
        if not row.target_column
    ]
    assert found == [("v", "placed", "filters"), ("v", "amount", "sorts")]


def test_csv_is_the_mappings() -> None:
    rows = list(csv.DictReader(io.StringIO(render(_result(), "csv"))))
    assert len(rows) == len(mappings(_result()))
    total = next(
        row for row in rows if row["target_column"] == "total" and row["target"] == "totals"
    )
    assert total["source_column"] == "amount"
    assert total["kind"] == "derivation"
    assert total["approximate"] == "false"


def test_csv_disarms_formulas() -> None:
    sql = "CREATE TABLE t AS SELECT buyer AS `=1+1` FROM orders"
    assert "'=1+1" in render(_result(sql), "csv")


def test_json_is_the_whole_result() -> None:
    shown = json.loads(render(_result(), "json"))
    assert {"statements", "globalLineage", "issues", "summary", "resolvedSchema"} <= set(shown)


@pytest.mark.parametrize("level", ["table", "column"])
def test_mermaid_draws_every_relation(level: Any) -> None:
    text = render(_result(), "mermaid", Style(level=level))
    assert text.startswith("flowchart LR\n")
    for name in ("orders", "recent", "totals", "report"):
        assert f'"{name}"' in text
    assert ('"amount"' in text) == (level == "column")


def test_mermaid_escapes_names() -> None:
    sql = 'CREATE TABLE t AS SELECT buyer AS `a"b]<c>` FROM orders'
    text = render(_result(sql), "mermaid", Style(level="column"))
    assert 'a"b' not in text
    assert "a#quot;b]#lt;c#gt;" in text


@pytest.mark.parametrize("level", ["table", "column"])
def test_dot_has_balanced_braces_and_all_relations(level: Any) -> None:
    text = render(_result(), "dot", Style(level=level))
    assert text.startswith("digraph lineage {")
    assert text.rstrip().endswith("}")
    for name in ("orders", "recent", "totals", "report"):
        assert f"<b>{name}</b>" in text


class _Page(HTMLParser):
    """Collects text and every address a browser would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href"}]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_html_is_one_file_that_fetches_nothing() -> None:
    page = _Page()
    text = render(_result(), "html", Style(title="Shop"))
    page.feed(text)
    assert not page.addresses
    assert "http" not in text
    assert "Shop" in page.text
    assert "orders.amount" in page.text


def test_html_draws_well_formed_svg_with_every_arrow() -> None:
    text = render(_result(), "html")
    drawing = ET.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])  # noqa: S314  our own text
    arrows = [e for e in drawing.iter() if "data-from" in e.attrib]
    columns = {e.attrib["data-node"] for e in drawing.iter() if "data-node" in e.attrib}
    assert len(arrows) == len(mappings(_result()))
    assert all({a.attrib["data-from"], a.attrib["data-to"]} <= columns for a in arrows)


def test_html_counts_one_thing_as_one() -> None:
    text = render(_result("SELECT a.x FROM a JOIN b ON a.id = b.id"), "html")
    assert "<b>1</b> join<" in text
    assert "<b>1</b> statement<" in text
    assert "<b>0</b> errors<" in text


def test_html_escapes_what_comes_from_sql() -> None:
    sql = "CREATE TABLE t AS SELECT buyer AS `<script>alert(1)</script>` FROM orders"
    assert "<script>alert" not in render(_result(sql), "html")


def test_openlineage_traces_columns_to_tables() -> None:
    events = [json.loads(line) for line in render(_result(), "openlineage").splitlines()]
    first, second = events
    assert [dataset["name"] for dataset in first["inputs"]] == ["orders"]
    facets = first["outputs"][0]["facets"]
    fields = facets["columnLineage"]["fields"]
    [source] = fields["total"]["inputFields"]
    assert (source["name"], source["field"]) == ("orders", "amount")
    assert source["transformations"][0]["type"] == "DIRECT"
    assert [field["name"] for field in facets["schema"]["fields"]] == ["buyer", "total"]
    assert [dataset["name"] for dataset in second["outputs"]] == ["report"]
    assert first["run"]["runId"] != second["run"]["runId"]


def test_openlineage_lists_indirect_inputs_of_the_dataset() -> None:
    event = json.loads(render(_result(includeIndirect=True), "openlineage").splitlines()[0])
    dataset = event["outputs"][0]["facets"]["columnLineage"]["dataset"]
    assert {field["field"] for field in dataset} == {"placed", "buyer"}


def test_openlineage_is_reproducible() -> None:
    assert render(_result(), "openlineage") == render(_result(), "openlineage")


def test_schema_json_reimports() -> None:
    first = _result()
    tables = json.loads(render(first, "schema-json"))["tables"]
    again = analyze(
        {"sql": "SELECT * FROM totals", "dialect": "spark", "schema": {"tables": tables}}
    )
    assert _pairs(again) == {("output 0.buyer", "totals.buyer"), ("output 0.total", "totals.total")}


@pytest.mark.parametrize("dialect", ["spark", "postgres", "duckdb", "generic"])
def test_schema_ddl_is_sql_of_the_dialect(dialect: str) -> None:
    text = render(_result(), "schema-ddl", Style(dialect=dialect))
    created = parse(text, read=None if dialect == "generic" else dialect)
    assert {tree.this.this.name for tree in created if tree} >= {"orders", "totals"}


@pytest.mark.parametrize("dialect", ["spark", "athena"])
def test_schema_ddl_gives_the_same_schema_back(dialect: str) -> None:
    first = _result()
    ddl = render(first, "schema-ddl", Style(dialect=dialect))
    again = analyze({"sql": ddl, "dialect": dialect, "options": {"analysisTime": ANALYSIS_TIME}})
    assert first.resolved_schema is not None
    assert again.resolved_schema is not None
    assert [(t.name, [c.name for c in t.columns]) for t in again.resolved_schema.tables] == [
        (t.name, [c.name for c in t.columns]) for t in first.resolved_schema.tables if t.columns
    ]


QUOTED_NAMES = """
CREATE TABLE app."Users" ("userId" INT, Name VARCHAR(9), "order" INT);
CREATE VIEW v AS SELECT *, "userId" + 1 AS "nextId" FROM app."Users";
SELECT * FROM V;
"""


@pytest.mark.parametrize("dialect", ["postgres", "snowflake", "oracle", "duckdb", "trino", "ansi"])
@pytest.mark.parametrize("format_", ["schema-json", "schema-ddl"])
def test_an_exported_schema_with_quoted_names_gives_the_same_answer(
    dialect: str, format_: str
) -> None:
    first = _analyzed(QUOTED_NAMES, dialect)
    exported = render(first, format_, Style(dialect=dialect))
    if format_ == "schema-ddl":
        defined = _analyzed(exported, dialect).resolved_schema
        schema: Any = msgspec.to_builtins(defined)
    else:
        schema = msgspec.json.decode(exported)
    again = _analyzed(QUOTED_NAMES, dialect, schema)
    assert not [issue for issue in again.issues if issue.severity != "info"]
    assert _lineage(again) == _lineage(first)


def test_exported_names_are_quoted_as_the_engine_folds_them() -> None:
    ddl = render(_analyzed(QUOTED_NAMES, "snowflake"), "schema-ddl", Style(dialect="snowflake"))
    assert 'CREATE TABLE "APP"."Users" (\n    "userId" INT,\n    "NAME" VARCHAR(9),' in ddl


def _analyzed(sql: str, dialect: str, schema: Any = None) -> AnalyzeResult:
    options = {"analysisTime": ANALYSIS_TIME}
    request = {"sql": sql, "dialect": dialect, "options": options}
    return analyze(request if schema is None else {**request, "schema": schema})


def _lineage(result: AnalyzeResult) -> list[tuple[str | None, str | None, str]]:
    return [
        (names[edge.source], names[edge.target], edge.edge_type)
        for statement in result.statements
        for names in [{node.id: node.qualified_name for node in statement.nodes}]
        for edge in statement.edges
        if edge.edge_type != "ownership" and not edge.approximate
    ]


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_shows_an_empty_result(name: str) -> None:
    assert isinstance(render(analyze({}), name), str)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_shows_a_self_referencing_workload(name: str) -> None:
    sql = "INSERT INTO a SELECT x FROM b; INSERT INTO b SELECT x FROM a; INSERT INTO a SELECT x FROM a"
    assert render(_result(sql), name)


@pytest.mark.parametrize("name", ["mermaid", "dot", "html", "csv"])
def test_an_unexpandable_star_keeps_its_arrow(name: str) -> None:
    text = render(_result("CREATE TABLE t AS SELECT * FROM mystery"), name, Style(level="column"))
    assert "mystery" in text

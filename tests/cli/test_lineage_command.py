"""`lakeport lineage` as a person and as a script uses it."""

from __future__ import annotations

import io
import json
import sys
import typing
from pathlib import Path

import pyarrow as pa
import pytest

from lakeport.app import wiring
from lakeport.app.settings import load
from lakeport.catalog.iceberg.connect import connect

if typing.TYPE_CHECKING:
    from tests.cli.conftest import Run

SQL = "CREATE TABLE revenue AS SELECT buyer AS customer, sum(amount) AS total FROM orders GROUP BY buyer;"
DDL = "CREATE TABLE orders (buyer STRING, amount DECIMAL(9,2));"


@pytest.fixture
def model(lakeport: Run) -> str:
    del lakeport  # it has moved into an empty folder
    Path("models").mkdir()
    Path("models/revenue.sql").write_text(SQL, encoding="utf-8")
    Path("tables.sql").write_text(DDL, encoding="utf-8")
    return "models/revenue.sql"


def test_the_table_says_what_comes_from_what(lakeport: Run, model: str) -> None:
    shown = lakeport("lineage", model, "--schema", "tables.sql")
    assert shown.code == 0
    assert shown.out == (
        "column            comes from     how\n"
        "revenue.customer  orders.buyer   copied\n"
        "revenue.total     orders.amount  computed\n"
        "\n"
        "1 statement, 2 relations, 4 columns, 0 approximate edges, 0 errors, 0 warnings\n"
    )


def test_an_issue_says_on_which_line_it_is(lakeport: Run, model: str) -> None:
    del model
    Path("öl.sql").write_text("-- ö\n\nSELECT buyr\nFROM orders", encoding="utf-8")
    assert "öl.sql:3" in lakeport("lineage", "öl.sql", "--schema", "tables.sql").out


def test_what_cannot_be_told_by_column_is_told_by_table(lakeport: Run, model: str) -> None:
    del model
    Path("copy.sql").write_text("INSERT INTO kept SELECT * FROM gone", encoding="utf-8")
    assert "kept    rows of gone  copied  approximate" in lakeport("lineage", "copy.sql").out


def test_conditions_are_lines_of_the_table(lakeport: Run, model: str) -> None:
    shown = lakeport("lineage", model, "--schema", "tables.sql", "--indirect")
    assert "revenue           orders.buyer   groups\n" in shown.out


def test_a_folder_is_its_sql_files(lakeport: Run, model: str) -> None:
    del model
    assert "revenue.total" in lakeport("lineage", "models").out


def test_json_is_the_whole_result(lakeport: Run, model: str) -> None:
    shown = lakeport("lineage", model, "--json")
    assert json.loads(shown.out)["summary"]["statementCount"] == 1


def test_standard_input(lakeport: Run, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    del model
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SQL.encode())))
    assert "revenue.total" in lakeport("lineage", "-").out


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("mermaid", "flowchart"),
        ("dot", "digraph"),
        ("csv", "target,"),
        ("html", "<!doctype html>"),
        ("openlineage", '{"eventTime"'),
        ("schema-json", "{"),
        ("schema-ddl", "-- "),
        ("json", "{"),
    ],
)
def test_every_format_starts_as_it_should(lakeport: Run, model: str, name: str, start: str) -> None:
    assert lakeport("lineage", model, "--format", name).out.startswith(start)


def test_an_exported_schema_imports_again(lakeport: Run, model: str) -> None:
    exported = lakeport("lineage", model, "--schema", "tables.sql", "--format", "schema-json")
    Path("tables.json").write_text(exported.out, encoding="utf-8")
    first = lakeport("lineage", model, "--schema", "tables.sql").out
    assert lakeport("lineage", model, "--schema", "tables.json").out == first


def test_upstream_leaves_the_rest_out(lakeport: Run, model: str) -> None:
    shown = lakeport("lineage", model, "--upstream", "revenue.total")
    assert "orders.amount" in shown.out
    assert "orders.buyer" not in shown.out


def test_an_unknown_column_is_no_with_a_hint(lakeport: Run, model: str) -> None:
    shown = lakeport("lineage", model, "--column", "totl")
    assert shown.code == 1
    assert "did you mean" in shown.err


def test_fail_on_approximate(lakeport: Run) -> None:
    Path("star.sql").write_text("SELECT * FROM somewhere", encoding="utf-8")
    assert lakeport("lineage", "star.sql").code == 0
    assert lakeport("lineage", "star.sql", "--fail-on", "approximate").code == 1
    assert lakeport("lineage", "star.sql", "--fail-on", "warning").code == 1


def test_fail_on_is_content_with_exact_lineage(lakeport: Run, model: str) -> None:
    arguments = ("lineage", model, "--schema", "tables.sql", "--fail-on")
    assert lakeport(*arguments, "approximate").code == 0
    assert lakeport(*arguments, "warning").code == 0


def test_a_request_is_answered_with_exit_zero_whatever_the_sql(lakeport: Run) -> None:
    Path("request.json").write_text(json.dumps({"sql": "SELEC 1 FRM"}), encoding="utf-8")
    shown = lakeport("lineage", "--request", "request.json")
    assert shown.code == 0
    assert json.loads(shown.out)["issues"][0]["code"] == "PARSE_ERROR"


def test_a_request_from_standard_input(lakeport: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    payload = json.dumps({"sql": SQL, "dialect": "spark"}).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(payload)))
    shown = lakeport("lineage", "--request", "-")
    assert json.loads(shown.out)["statements"][0]["statementType"] == "CREATE_TABLE_AS"


def test_a_broken_request_is_answered_too(lakeport: Run) -> None:
    Path("request.json").write_text("{", encoding="utf-8")
    shown = lakeport("lineage", "--request", "request.json")
    assert shown.code == 0
    assert json.loads(shown.out)["issues"][0]["code"] == "INVALID_REQUEST"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "nothing to analyse"),
        (("missing.sql",), 1, "there is no file missing.sql"),
        (("models", "--dialect", "sprak"), 1, "did you mean `spark`"),
        (("models", "--schema", "missing.json"), 1, "there is no file missing.json"),
        (("models", "--request", "x.json"), 2, "brings its own SQL"),
        (("models", "--catalog", "--schema", "x.json"), 2, "cannot both be imported"),
        (("models", "--format", "png"), 2, "png"),
    ],
)
def test_wrong_use_says_what_to_do(
    lakeport: Run, model: str, arguments: tuple[str, ...], code: int, words: str
) -> None:
    del model
    shown = lakeport("lineage", *arguments)
    assert shown.code == code
    assert words in shown.err


def test_a_schema_that_is_none_is_refused(lakeport: Run, model: str) -> None:
    Path("bad.json").write_text('{"tables": 3}', encoding="utf-8")
    assert "holds no schema" in lakeport("lineage", model, "--schema", "bad.json").err
    Path("bad.sql").write_text("CREATE TABEL x (", encoding="utf-8")
    assert "cannot be read" in lakeport("lineage", model, "--schema", "bad.sql").err


def test_diff_of_a_saved_analysis_and_sql(lakeport: Run, model: str) -> None:
    Path("before.json").write_text(lakeport("lineage", model, "--json").out, encoding="utf-8")
    assert lakeport("lineage", "diff", "before.json", model).out == "nothing changed\n"
    Path("after.sql").write_text(SQL.replace("sum(amount)", "max(price)"), encoding="utf-8")
    shown = lakeport("lineage", "diff", "before.json", "after.sql", "--check")
    assert shown.code == 1
    assert "orders.price → revenue.total" in shown.out
    assert "orders.amount → revenue.total" in shown.out


def test_diff_as_json(lakeport: Run, model: str) -> None:
    Path("after.sql").write_text(SQL.replace("buyer AS customer, ", ""), encoding="utf-8")
    found = json.loads(lakeport("lineage", "diff", model, "after.sql", "--json").out)
    assert found["columns"]["removed"][0]["column"] == "customer"


def test_diff_refuses_what_is_no_analysis(lakeport: Run, model: str) -> None:
    Path("x.json").write_text("[]", encoding="utf-8")
    shown = lakeport("lineage", "diff", "x.json", model)
    assert shown.code == 2
    assert "not a saved analysis" in shown.err


def test_the_live_catalog_is_an_imported_schema(lakeport: Run) -> None:
    Path("lakeport.toml").write_text("", encoding="utf-8")
    catalog = connect(wiring.profile_of(load()))
    catalog.create_namespace("raw")
    columns: dict[str, pa.DataType] = {"id": pa.int64(), "amount": pa.decimal128(9, 2)}
    catalog.create_table("raw.orders", pa.schema(columns))
    catalog.close()
    Path("model.sql").write_text("CREATE VIEW v AS SELECT * FROM raw.orders", encoding="utf-8")
    shown = lakeport("lineage", "model.sql", "--catalog", "--fail-on", "approximate", "--json")
    assert shown.code == 0
    answer = json.loads(shown.out)
    (table,) = [t for t in answer["resolvedSchema"]["tables"] if t["origin"] == "imported"]
    assert (table["catalog"], table["schema"], table["name"]) == ("lake", "raw", "orders")
    assert [(c["name"], c["dataType"]) for c in table["columns"]] == [
        ("id", "bigint"),
        ("amount", "decimal(9,2)"),
    ]


def test_looking_at_an_empty_catalog_creates_nothing(lakeport: Run) -> None:
    Path("lakeport.toml").write_text("", encoding="utf-8")
    Path("model.sql").write_text("SELECT a FROM t", encoding="utf-8")
    assert lakeport("lineage", "model.sql", "--catalog").code == 0
    assert not Path(".lakeport").exists()


def test_a_catalog_out_of_reach_is_a_failure_that_names_it(lakeport: Run) -> None:
    Path("lakeport.toml").write_text("", encoding="utf-8")
    Path("model.sql").write_text("SELECT a FROM t", encoding="utf-8")
    gone = "catalog.uri=sqlite:////proc/no/catalog.db"
    shown = lakeport("lineage", "model.sql", "--catalog", "--set", gone)
    assert shown.code == 0  # a file that is not there is an empty catalog
    Path("not-a-database").write_text("hello, this is text" * 100, encoding="utf-8")
    shown = lakeport(
        "lineage", "model.sql", "--catalog", "--set", "catalog.uri=sqlite:///not-a-database"
    )
    assert shown.code == 3
    assert "not-a-database" in shown.err

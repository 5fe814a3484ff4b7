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


def test_an_issue_of_a_whole_statement_is_where_that_begins(lakeport: Run) -> None:
    Path("two.sql").write_text("SELECT 1;\n\nSELECT a\nFROM gone", encoding="utf-8")
    assert "INFERRED_SCHEMA  two.sql:3" in lakeport("lineage", "two.sql").out


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


@pytest.mark.parametrize("content", [b'{"tables": "\xff"}', b"[" * 100_000])
def test_a_file_that_is_no_json_is_told_so(lakeport: Run, model: str, content: bytes) -> None:
    Path("tables.json").write_bytes(content)
    shown = lakeport("lineage", model, "--schema", "tables.json")
    assert "tables.json is not JSON" in shown.err


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


def test_a_request_may_begin_with_the_mark_of_its_encoding(lakeport: Run) -> None:
    Path("request.json").write_text(json.dumps({"sql": "SELECT 1"}), encoding="utf-8-sig")
    assert json.loads(lakeport("lineage", "--request", "request.json").out)["issues"] == []


@pytest.mark.parametrize("payload", ["{", '{"sql": 1}', "[]"])
def test_a_broken_request_is_answered_too_and_exits_with_two(lakeport: Run, payload: str) -> None:
    Path("request.json").write_text(payload, encoding="utf-8")
    shown = lakeport("lineage", "--request", "request.json")
    assert shown.code == 2
    assert json.loads(shown.out)["issues"][0]["code"] == "INVALID_REQUEST"


def test_fail_on_holds_for_requests_too(lakeport: Run) -> None:
    Path("request.json").write_text(json.dumps({"sql": "SELEC 1 FRM"}), encoding="utf-8")
    shown = lakeport("lineage", "--request", "request.json", "--fail-on", "warning")
    assert shown.code == 1
    assert json.loads(shown.out)["issues"][0]["code"] == "PARSE_ERROR"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "nothing to analyse"),
        (("missing.sql",), 1, "there is no file missing.sql"),
        (("models", "--dialect", "sprak"), 2, "did you mean `spark`"),
        (("models", "--schema", "missing.json"), 1, "there is no file missing.json"),
        (("models", "--schema", "models"), 2, "models is a folder"),
        (("--request", "models"), 2, "models is a folder"),
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


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"tables": [\n  {"name": "t",}\n]}', "bad.json:2:16 is not JSON: "),
        ('{"tables": [', "bad.json:1:13 is not JSON: the text ends too early"),
        ("CREATE TABLE t (a int)", "bad.json:1:1 is not JSON: "),
        ('{"tables": [{"name": 3}]}', "Expected `str`, got `int` - at `$.tables[0].name`"),
        ("[1]", "Expected `object`, got `int` - at `$[0]`"),
        ('{"resolvedSchema": {"tables": [{}]}}', "- at `$.resolvedSchema.tables[0]`"),
    ],
)
def test_what_is_wrong_with_a_schema_in_json_is_told_in_its_own_words(
    lakeport: Run, model: str, content: str, told: str
) -> None:
    Path("bad.json").write_text(content, encoding="utf-8")
    shown = lakeport("lineage", model, "--schema", "bad.json")
    assert shown.code == 2
    assert told in shown.err
    assert 'a schema is {"tables": [' in shown.err


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


@pytest.mark.parametrize("form", ["schema-json", "schema-ddl"])
def test_what_a_catalog_said_is_found_again_without_it(lakeport: Run, form: str) -> None:
    Path("lakeport.toml").write_text("", encoding="utf-8")
    for table, name in (("orders", "amount"), ("customers", "country")):
        Path("rows.csv").write_text(f"id,{name}\n1,2\n", encoding="utf-8")
        lakeport("load", f"shop.{table}", "rows.csv")
    sql = "SELECT * FROM shop.orders JOIN lake.shop.customers USING (id)"
    Path("q.sql").write_text(sql, encoding="utf-8")
    first = lakeport("lineage", "q.sql", "--catalog").out
    exported = lakeport("lineage", "q.sql", "--catalog", "--format", form).out
    Path("tables").write_text(exported, encoding="utf-8")
    assert "lake.shop.orders.amount" in first
    assert lakeport("lineage", "q.sql", "--schema", "tables").out == first


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


# -- in a project -----------------------------------------------------------------------------------


@pytest.fixture
def shop(lakeport: Run) -> Run:
    assert lakeport("init", ".", "--example", "shop").code == 0
    return lakeport


def test_a_project_is_all_of_its_models(shop: Run) -> None:
    shown = shop("lineage", "--fail-on", "warning")
    assert shown.code == 0
    assert "staging.customers.name                 raw.customers.name" in shown.out  # a template
    assert (
        "marts.customer_segments                rows of marts.customer_value" in shown.out
    )  # Python
    assert shown.out.endswith(
        "8 statements, 14 relations, 60 columns, 0 approximate edges, 0 errors, 0 warnings\n"
    )
    assert shop("lineage", "models").out == shown.out
    assert not Path(".lakeport").exists()


def test_a_project_is_found_from_inside_of_it(shop: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shop("lineage")
    monkeypatch.chdir("models/marts")
    assert shop("lineage").out == shown.out


@pytest.mark.parametrize(
    "name", ["marts.daily_revenue.revenue", "MARTS.Daily_Revenue.REVENUE", "daily_revenue.revenue"]
)
def test_one_column_of_a_project_in_any_spelling(shop: Run, name: str) -> None:
    shown = shop("lineage", "--column", name)
    assert shown.out == (
        "column                           comes from                       how\n"
        "staging.order_items.quantity     raw.order_items.quantity         copied\n"
        "staging.order_items.discount     raw.order_items.discount         computed\n"
        "staging.products.unit_price      raw.products.unit_price          copied\n"
        "priced.amount                    staging.order_items.quantity     computed\n"
        "priced.amount                    staging.products.unit_price      computed\n"
        "priced.amount                    staging.order_items.discount     computed\n"
        "intermediate.order_totals.total  priced.amount                    computed\n"
        "marts.daily_revenue.revenue      intermediate.order_totals.total  computed\n"
        "\n"
        "8 statements, 14 relations, 60 columns, 0 approximate edges, 0 errors, 0 warnings\n"
    )


def test_an_environment_names_the_tables_of_models_and_not_of_sources(shop: Run) -> None:
    with Path("lakeport.toml").open("a", encoding="utf-8") as file:
        file.write('[pipeline.environments.dev]\nprefix = "dev_"\n')
    shown = shop("lineage", "--env", "dev", "--upstream", "customer_segments")
    assert "dev_marts.customer_segments  rows of dev_marts.customer_value" in shown.out
    shown = shop("lineage", "--env", "dev", "--upstream", "dev_staging.customers.email")
    assert "dev_staging.customers.email  raw.customers.email  computed" in shown.out
    shown = shop("lineage", "models/staging/customers.sql", "--env", "dev")
    assert "dev_staging.customers.email" in shown.out
    shown = shop("lineage", "--env", "dve")
    assert "did you mean `dev`?" in shown.err


def test_a_model_in_python_alone(shop: Run) -> None:
    shown = shop("lineage", "models/marts/customer_segments.py")
    assert shown.out == (
        "column                   comes from                    how\n"
        "marts.customer_segments  rows of marts.customer_value  computed\n"
        "\n"
        "0 statements, 2 relations, 0 columns, 0 approximate edges, 0 errors, 0 warnings\n"
    )


def test_names_mean_what_they_mean_to_the_project(lakeport: Run) -> None:
    Path("models/b").mkdir(parents=True)
    Path("lakeport.toml").write_text("[pipeline.vars]\nwhole = 'b.first'\n", encoding="utf-8")
    Path("models/b/first.sql").write_text("SELECT 1 AS id", encoding="utf-8")
    Path("models/b/second.sql").write_text(
        "{% set unused = 1 %}\n"
        "SELECT a.id AS a, b.id AS b, first.id AS c, :not_set AS p\n"
        "FROM first, lake.B.FIRST AS a, {{ ref('first') }} AS b,\n"
        "  nowhere.t",
        encoding="utf-8",
    )
    shown = lakeport("lineage")
    for column in "abc":
        assert f"b.second.{column}  b.first.id" in shown.out
    assert "nowhere" not in shown.err
    assert "error" not in shown.out.splitlines()[-1].replace("0 errors", "")


def test_incremental_is_what_the_catalog_says(lakeport: Run) -> None:
    Path("lakeport.toml").write_text("", encoding="utf-8")
    Path("models/b").mkdir(parents=True)
    Path("models/b/t.sql").write_text(
        "/* lakeport\nmaterialized = 'incremental'\n*/\n"
        "SELECT {% if is_incremental() %} later {% else %} earlier {% endif %} AS x FROM raw.t",
        encoding="utf-8",
    )
    assert "raw.t.later" in lakeport("lineage").out
    assert "raw.t.earlier" in lakeport("lineage", "--catalog").out
    catalog = connect(wiring.profile_of(load()))
    catalog.create_namespace("b")
    catalog.create_table("b.T", pa.schema([("x", pa.int64())]))
    catalog.close()
    assert "raw.t.later" in lakeport("lineage", "--catalog").out


def test_what_is_wrong_with_a_project_is_told_at_its_line(shop: Run) -> None:
    Path("models/marts/bad.sql").write_text("SELECT *\nFROM {{ ref('ordres') }}", encoding="utf-8")
    for arguments in ((), ("models",), ("models/marts/bad.sql",)):
        shown = shop("lineage", *arguments)
        assert (shown.code, shown.out) == (2, "")
        assert "models/marts/bad.sql:2: there is no model `ordres`" in shown.err
    # Of files that can be read, everything is told; a query that cannot is an issue among others.
    assert shop("lineage", "models/staging").code == 0
    Path("models/marts/bad.sql").write_text("SELECT *\nFORM staging.orders", encoding="utf-8")
    shown = shop("lineage")
    assert (shown.code, shown.err) == (0, "")
    assert "models/marts/bad.sql:2" in shown.out
    assert "marts.daily_revenue.revenue" in shown.out
    Path("sources.toml").write_text("[raw", encoding="utf-8")
    assert "sources.toml:1" in shop("lineage").err


def test_a_folder_of_dbt_is_its_models_with_its_macros_and_those_of_packages(lakeport: Run) -> None:
    files = {
        "models/marts/revenue.sql": "SELECT {{ cents('amount') }} AS total FROM {{ ref('orders') }}",
        "models/orders.sql": "SELECT id, amount FROM {{ source('raw', 'orders') }}",
        "macros/cents.sql": "{% macro cents(name) %}({{ name }} / {{ money.base() }}){% endmacro %}",
        "dbt_packages/money/macros/base.sql": "{% macro base() %}100{% endmacro %}",
        "dbt_packages/money/macros/cents.sql": "{% macro cents(name) %}1{% endmacro %}",
        "tests/positive.sql": "SELECT * FROM {{ ref('revenue') }} WHERE total < 0",
        "target/compiled/shop/models/orders.sql": "SELECT id FROM old",
    }
    _written(files)
    shown = lakeport("lineage", "--template", "dbt", ".")
    assert shown.code == 0
    told, _, _ = shown.out.partition("\n\n")
    assert sorted(told.splitlines()) == [
        "column         comes from         how",
        "orders.amount  raw.orders.amount  copied",
        "orders.id      raw.orders.id      copied",
        "revenue.total  orders.amount      computed",
    ]
    assert "macro" not in shown.out
    Path("query.sql").write_text("SELECT total AS most FROM {{ ref('revenue') }}", encoding="utf-8")
    named = lakeport("lineage", "--template", "dbt", "models", "macros", "query.sql").out
    assert "query.most" in named
    assert "revenue.total  orders.amount" in named
    assert "old.id" in lakeport("lineage", "--template", "dbt", "target/compiled/shop/models").out


def _written(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


def test_a_project_of_dbt_is_read_as_its_yaml_files_say(
    lakeport: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _written(
        {
            "shop/dbt_project.yml": "name: shop\nmodel-paths: [sql]\nvars: {orders: \"{{ source('raw', 'orders') }}\"}\n"
            "models: {shop: {marts: {+schema: marts}}}\nseeds: {+schema: raw}\n",
            "shop/sql/marts/revenue.sql": "SELECT o.total, c.name FROM {{ ref('stage') }} o JOIN {{ ref('codes') }} c",
            "shop/sql/stage.sql": "SELECT {{ cents('amount') }} AS total FROM {{ var('orders') }}",
            "shop/sql/sources.yml": "sources: [{name: raw, schema: landing, tables: [{name: orders}]}]",
            "shop/seeds/codes.csv": "id,name\n1,one\n",
            "shop/macros/cents.sql": "{% macro cents(name) %}({{ name }} / {{ money.base() }}){% endmacro %}",
            "shop/dbt_packages/money/dbt_project.yml": "name: money\nmacro-paths: [lib]",
            "shop/dbt_packages/money/lib/base.sql": "{% macro base() %}100{% endmacro %}",
            "shop/integration_tests/models/not_mine.sql": "SELECT a AS x FROM t",
        }
    )
    expected = [
        "column               comes from             how",
        "marts.revenue.name   raw.codes.name         copied",
        "marts.revenue.total  stage.total            copied",
        "stage.total          landing.orders.amount  computed",
    ]
    for named in ("shop", "."):
        shown = lakeport("lineage", "--template", "dbt", named)
        told, _, rest = shown.out.partition("\n\n")
        assert sorted(told.splitlines()) == expected
        assert "TEMPLATE_ERROR" not in rest
    # A part of it comes with what the project says, and with its macros.
    for part in ("shop/sql", "shop/sql/stage.sql"):
        shown = lakeport("lineage", "--template", "dbt", part)
        assert "stage.total" in shown.out
        assert "landing.orders.amount  computed" in shown.out
    # A file that is no model, and one that is a link to somewhere else, are read as models.
    _written(
        {
            "shop/analyses/a.sql": "SELECT total FROM {{ ref('revenue') }}",
            "other.sql": "SELECT 1 AS v",
        }
    )
    Path("shop/analyses/b.sql").symlink_to(Path("other.sql").resolve())
    assert (
        "a.total  marts.revenue.total"
        in lakeport("lineage", "--template", "dbt", "shop/analyses").out
    )
    # What it refers to is where it is, in whatever folder one stands.
    monkeypatch.chdir("shop/sql/marts")
    alone = lakeport("lineage", "--template", "dbt", "revenue.sql").out
    assert "marts.revenue.name   raw.codes.name" in alone
    assert "stage.sql" not in alone
    assert "is no model" in lakeport("lineage", "--template", "dbt", "../sources.yml").err
    assert "stage.total" in lakeport("lineage", "--template", "dbt", "../../dbt_project.yml").out
    monkeypatch.chdir("../../..")
    assert "not_mine.x" in lakeport("lineage", "--template", "dbt", "shop/integration_tests").out
    Path("empty").mkdir()
    Path("empty/dbt_project.yml").write_text("name: empty", encoding="utf-8")
    assert "no model of dbt in empty" in lakeport("lineage", "--template", "dbt", "empty").err

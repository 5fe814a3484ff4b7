"""The YAML files of a dbt project: its variables, where models and sources are, which of them count."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from lakeport.lineage import analyze
from lakeport.lineage.request import SourceFile, TemplateConfig
from lakeport.lineage.templating import Project, Rendering
from lakeport.lineage.templating.documents import DocumentError, read_document


def renderings(
    files: dict[str, str],
    *,
    context: dict[str, Any] | None = None,
    dialect: str = "spark",
) -> dict[str, Rendering]:
    """What becomes of each model and seed among the files of a project."""
    sources = [SourceFile(name=name, content=text) for name, text in files.items()]
    config = TemplateConfig(
        mode="dbt",
        context=context or {},
        macro_files=[one for one in sources if "macros/" in one.name],
        project_files=[one for one in sources if one.name.endswith((".yml", ".yaml"))],
    )
    models = [one for one in sources if one not in (*config.macro_files, *config.project_files)]
    project = Project(config, models, dialect)
    return {one.name: project.render(one) for one in models}


def rendered(
    files: dict[str, str],
    wanted: str = "models/m.sql",
    *,
    context: dict[str, Any] | None = None,
    dialect: str = "spark",
) -> str:
    found = renderings(files, context=context, dialect=dialect)[wanted]
    assert not found.issues
    return found.texts[0].sql


SHOP = "name: shop\n"


def test_variables_of_the_project_are_known() -> None:
    project = SHOP + "vars:\n  rate: 3\n  names: [a, b]\n  shop:\n    own: yes\n"
    model = "{{ var('rate') }} {{ var('names') | join('+') }} {{ 'y' if var('own') else 'n' }} {{ var('no', 7) }}"
    assert rendered({"dbt_project.yml": project, "models/m.sql": model}) == "3 a+b y 7"


def test_what_the_request_gives_counts_before_what_the_project_says() -> None:
    files = {"dbt_project.yml": SHOP + "vars: {rate: 3}", "models/m.sql": "{{ var('rate') }}"}
    assert rendered(files, context={"vars": {"rate": 4}}) == "4"


def test_a_variable_may_be_a_template_of_its_own() -> None:
    files = {
        "dbt_project.yml": SHOP
        + "vars:\n  orders: \"{{ source('raw', var('table')) }}\"\n  table: o",
        "models/m.sql": "SELECT * FROM {{ var('orders') }}",
    }
    assert rendered(files) == "SELECT * FROM raw.o"


def test_a_variable_that_names_itself_is_an_error_of_the_model_that_asks() -> None:
    files = {
        "dbt_project.yml": SHOP + "vars: {x: \"{{ var('x') }}\"}",
        "models/m.sql": "{{ var('x') }}",
        "models/n.sql": "SELECT 1",
    }
    found = renderings(files)
    assert [issue.severity for issue in found["models/m.sql"].issues] == ["error"]
    assert found["models/n.sql"].texts


def test_a_default_of_nothing_is_a_default() -> None:
    assert rendered({"models/m.sql": "{{ 1 if var('x', none) is none else 2 }}"}) == "1"


def test_a_package_has_variables_of_its_own_under_those_of_the_project() -> None:
    files = {
        "dbt_project.yml": SHOP + "vars:\n  b: root\n  pkg: {c: told}",
        "dbt_packages/pkg/dbt_project.yml": "name: pkg\nvars: {a: own, b: own, c: own}",
        "dbt_packages/pkg/models/m.sql": "{{ var('a') }} {{ var('b') }} {{ var('c') }}",
    }
    assert rendered(files, "dbt_packages/pkg/models/m.sql") == "own root told"


def test_a_project_inside_of_another_that_is_no_package_stands_alone() -> None:
    files = {
        "dbt_project.yml": SHOP + "vars: {a: outer}",
        "tests/it/dbt_project.yml": "name: it\nvars: {b: inner}",
        "tests/it/models/m.sql": "{{ var('b') }} {{ var('a', 'none') }}",
    }
    assert rendered(files, "tests/it/models/m.sql") == "inner none"


def test_folders_tell_where_models_are_and_what_they_are() -> None:
    project = (
        SHOP
        + "models:\n  +database: lake\n  shop:\n    +tags: all\n    stage:\n      +schema: stg\n"
        + "      +materialized: ephemeral\n      deep:\n        schema: deeper\n"
    )
    files = {
        "dbt_project.yml": project,
        "models/stage/a.sql": "SELECT 1 AS x",
        "models/stage/deep/b.sql": "SELECT 1 AS x",
        "models/stage/c.sql": "{{ config(schema='own', materialized='table') }}SELECT 1 AS x",
        "models/m.sql": "{{ ref('a') }} {{ ref('b') }} {{ ref('c') }}",
    }
    assert rendered(files) == "lake.stg.a lake.deeper.b lake.own.c"
    found = renderings(files)
    facts = [
        found[name].model for name in ("models/stage/a.sql", "models/stage/c.sql", "models/m.sql")
    ]
    assert [fact.materialized for fact in facts if fact] == ["ephemeral", "table", "view"]
    assert facts[0] is not None
    assert facts[0].tags == ("all",)


def test_a_models_entry_counts_before_its_folder_and_behind_its_own_words() -> None:
    files = {
        "dbt_project.yml": SHOP + "models: {shop: {+schema: folder}}",
        "models/all.yml": "models:\n"
        "  - {name: a, config: {schema: entry, alias: called}}\n"
        "  - {name: b, config: {schema: entry}}\n",
        "models/a.sql": "SELECT 1",
        "models/b.sql": "{{ config(schema='own') }} SELECT 1",
        "models/m.sql": "{{ ref('a') }} {{ ref('b') }}",
    }
    assert rendered(files) == "entry.called own.b"


def test_model_paths_are_those_of_the_project() -> None:
    files = {
        "dbt_project.yml": SHOP + "model-paths: [sql/all]\nmodels: {shop: {stage: {+schema: stg}}}",
        "sql/all/stage/a.sql": "SELECT 1",
        "sql/all/m.sql": "{{ ref('a') }}",
    }
    assert rendered(files, "sql/all/m.sql") == "stg.a"


def test_sources_are_where_they_are_declared() -> None:
    files = {
        "dbt_project.yml": SHOP + "vars: {raw_schema: landing}",
        "models/sources.yml": "sources:\n"
        "  - name: raw\n"
        "    database: \"{{ var('nowhere') }}\"\n"
        "    schema: \"{{ var('raw_schema', 'x') }}\"\n"
        "    tables: [{name: orders, identifier: orders_v2}, {name: items}]\n"
        "  - name: crm\n"
        "    database: lake\n"
        "    tables: [{name: people}]\n",
        "models/m.sql": "{{ source('raw', 'orders') }} {{ source('raw', 'items') }} {{ source('crm', 'people') }}",
    }
    assert rendered(files) == "landing.orders_v2 landing.items lake.crm.people"


def test_a_reader_and_the_writer_agree_where_a_model_is() -> None:
    files = {
        "dbt_project.yml": SHOP + "vars: {stage: stg}\nmodels: {shop: {deep: {+schema: deep}}}",
        "models/a.sql": "{{ config(schema=var('stage'), alias='the_' ~ 'a') }} SELECT 1 AS x",
        "models/b.sql": "{{ config({'schema': 'own', 'tags': ['t']}) }} SELECT 1 AS x",
        "models/deep/orders.sql": "SELECT 1 AS x",
        "snapshots/orders.sql": "{% snapshot orders_history %}{{ config(target_schema='past') }}"
        "SELECT * FROM {{ ref('orders') }}{% endsnapshot %}",
        "models/c.sql": "{{ config(schema=var('nowhere')) }} SELECT 1 AS x",
        "models/m.sql": "{{ ref('a') }} {{ ref('b') }} {{ ref('orders') }} {{ ref('orders_history') }} {{ ref('c') }}",
    }
    assert rendered(files) == "stg.the_a own.b deep.orders past.orders_history nowhere.c"
    written = [one.model for one in renderings(files).values() if one.model]
    assert [".".join((*model.namespace, model.alias)) for model in written] == [
        *("stg.the_a", "own.b", "deep.orders", "past.orders_history", "nowhere.c", "m")
    ]


def test_each_snapshot_of_a_file_is_a_model_at_its_own_lines() -> None:
    block = "{%% snapshot %s %%}\n{{ config(target_schema='%s') }}\nSELECT %s FROM t\n{%% endsnapshot %%}\n"
    snapshots = block % ("a", "one", "x") + block % ("b", "two", "y")
    result = analyze(
        {
            "files": [
                {"name": "snapshots/all.sql", "content": snapshots},
                {"name": "m.sql", "content": "SELECT x FROM {{ ref('a') }}, {{ ref('b') }}"},
            ],
            "templateConfig": {"mode": "dbt"},
        }
    )
    read = {
        statement.writes[0]: (statement.reads, statement.metadata["sourceLine"])
        for statement in result.statements
    }
    assert read == {"one.a": (["t"], 3), "two.b": (["t"], 7), "m": (["one.a", "two.b"], 1)}


def test_two_projects_side_by_side_have_models_and_sources_of_one_name() -> None:
    files = {
        f"{name}/{file}": text.format(name)
        for name in ("left", "right")
        for file, text in {
            "dbt_project.yml": "name: {0}\nmodels: {{+schema: {0}}}",
            "models/sources.yml": "sources: [{{name: raw, schema: {0}_raw, tables: [{{name: t}}]}}]",
            "models/a.sql": "SELECT * FROM {{{{ source('raw', 't') }}}}",
            "models/m.sql": "SELECT * FROM {{{{ ref('a') }}}}",
        }.items()
    }
    for name in ("left", "right"):
        assert rendered(files, f"{name}/models/a.sql") == f"SELECT * FROM {name}_raw.t"
        assert rendered(files, f"{name}/models/m.sql") == f"SELECT * FROM {name}.a"


def test_models_that_are_not_analysed_are_known_by_where_they_are() -> None:
    files = [
        (
            "dbt_project.yml",
            SHOP + "models: {shop: {stage: {+schema: stg}}}\nseeds: {+schema: raw}",
        ),
        ("models/stage/a.sql", "SELECT id FROM t"),
        ("models/b.sql", "{{ config(schema='own') }} SELECT id FROM t"),
        ("seeds/c.csv", "id"),
    ]
    model = "SELECT a.id AS a, b.id AS b, c.id AS c FROM {{ ref('a') }} a, {{ ref('b') }} b, {{ ref('c') }} c"
    result = analyze(
        {
            "files": [{"name": "models/m.sql", "content": model}],
            "templateConfig": {
                "mode": "dbt",
                "projectFiles": [{"name": name, "content": text} for name, text in files],
            },
        }
    )
    (statement,) = result.statements
    assert statement.reads == ["stg.a", "own.b", "raw.c"]


def test_that_a_model_is_disabled_is_told() -> None:
    result = analyze(
        {
            "files": [{"name": "m.sql", "content": "{{ config(enabled=false) }} SELECT id FROM t"}],
            "templateConfig": {"mode": "dbt"},
        }
    )
    (told,) = [issue for issue in result.issues if issue.relation == "m"]
    assert told.severity == "info"
    assert told.message == "model `m` is disabled and read all the same"
    assert result.statements[0].writes == ["m"]


def test_the_latest_version_of_a_model_is_meant_where_none_is_named() -> None:
    files = {
        "dbt_project.yml": SHOP,
        "models/all.yml": "models:\n  - name: dim\n    latest_version: 1\n    versions: [{v: 1}, {v: 2, config: {alias: dim_new}}]\n"
        "  - name: fact\n    versions: [{v: 2}, {v: 10}]\n",
        "models/dim_v1.sql": "SELECT 1",
        "models/dim_v2.sql": "SELECT 1",
        "models/fact_v10.sql": "SELECT 1",
        "models/m.sql": "{{ ref('dim') }} {{ ref('dim', v=2) }} {{ ref('fact') }}",
    }
    assert rendered(files) == "dim_v1 dim_new fact_v10"


def test_of_two_models_of_one_name_the_enabled_one_is_read() -> None:
    project = (
        SHOP
        + "models:\n  shop:\n"
        + "    big: {+enabled: \"{{ target.type == 'bigquery' }}\"}\n"
        + "    other: {+enabled: \"{{ target.type != 'bigquery' }}\", +schema: o}\n"
    )
    files = {
        "dbt_project.yml": project,
        "models/big/a.sql": "SELECT 1 AS big",
        "models/other/a.sql": "SELECT 1 AS other",
        "models/m.sql": "{{ ref('a') }}",
    }
    found = renderings(files, dialect="bigquery")
    assert found["models/big/a.sql"].texts
    assert not found["models/other/a.sql"].texts
    assert [issue.severity for issue in found["models/other/a.sql"].issues] == ["info"]
    assert rendered(files, dialect="bigquery") == "a"
    assert rendered(files, dialect="snowflake") == "o.a"


def test_a_model_may_say_itself_that_it_is_disabled() -> None:
    enabled = "{{ config(enabled=(target.type == '%s') | as_bool) }} SELECT 1 AS x"
    files = {
        "models/big/a.sql": enabled % "bigquery",
        "models/snow/a.sql": enabled % "snowflake",
        "models/old/b.sql": "{{ config(enabled=false) }} SELECT 1 AS x",
        "models/older/b.sql": "{{ config(enabled=false) }} SELECT 2 AS x",
        "models/lone/c.sql": "{{ config(enabled=false) }} SELECT 3 AS x",
    }
    for dialect, read in (("bigquery", "models/big/a.sql"), ("snowflake", "models/snow/a.sql")):
        found = renderings(files, dialect=dialect)
        assert [name for name, one in found.items() if one.texts] == [
            read,
            "models/older/b.sql",
            "models/lone/c.sql",
        ]


def test_two_enabled_models_of_one_name_are_told() -> None:
    files = {
        "dbt_project.yml": SHOP + "models: {shop: {x: {+schema: x}, y: {+schema: y}}}",
        "models/x/a.sql": "SELECT 1 AS v",
        "models/y/a.sql": "SELECT 2 AS v",
        "models/x/b.sql": "SELECT 1 AS v",
        "models/y/b.sql": "{{ config(enabled=var('wanted', false)) }} SELECT 2 AS v",
        "models/m.sql": "{{ ref('a') }} {{ ref('b') }}",
    }
    found = renderings(files)
    assert found["models/m.sql"].texts[0].sql == "y.a x.b"
    told = {name: [issue.code.value for issue in one.issues] for name, one in found.items()}
    assert told["models/x/a.sql"] == ["DUPLICATE_DEFINITION"]
    assert told["models/y/a.sql"] == told["models/x/b.sql"] == []
    assert "`models/y/a.sql`" in found["models/x/a.sql"].issues[0].message


def test_the_project_is_one_of_the_packages() -> None:
    files = {
        "dbt_project.yml": SHOP,
        "macros/all.sql": "{% macro cents(name) %}{{ name }} / 100{% endmacro %}",
        "models/m.sql": "{{ shop.cents('a') }} {{ project_name }}",
    }
    assert rendered(files) == "a / 100 shop"


def test_a_seed_is_a_table_with_the_columns_of_its_first_line() -> None:
    files = {
        "dbt_project.yml": SHOP
        + "seeds:\n  shop:\n    +schema: raw\n    codes: {+column_types: {code: varchar(3)}}\n"
        + "    old: {+enabled: false}\n",
        "seeds/codes.csv": '\ufeffcode,"long name",check\n1,2,3\n',
        "seeds/old.csv": "a\n1\n",
        "seeds/empty.csv": "",
        "models/m.sql": "SELECT * FROM {{ ref('codes') }}",
    }
    found = renderings(files)
    (seed,) = found["seeds/codes.csv"].texts
    assert seed.sql == "CREATE TABLE raw.codes (code varchar(3), `long name`, `check`)"
    assert not found["seeds/old.csv"].texts
    assert not found["seeds/empty.csv"].texts
    assert rendered(files) == "SELECT * FROM raw.codes"


@pytest.mark.parametrize("header", ["a" * 200_000, '"' * 200_001, "\n", "\0"])
def test_a_seed_without_columns_that_can_be_read_makes_no_error(header: str) -> None:
    files = {"dbt_project.yml": SHOP, "seeds/odd.csv": header, "models/m.sql": "SELECT 1"}
    assert rendered(files) == "SELECT 1"
    assert not renderings(files)["seeds/odd.csv"].issues


def test_a_star_over_a_seed_is_exact() -> None:
    result = analyze(
        {
            "files": [
                {"name": "models/m.sql", "content": "SELECT * FROM {{ ref('codes') }}"},
                {"name": "seeds/codes.csv", "content": "id,name"},
            ],
            "dialect": "snowflake",
            "templateConfig": {
                "mode": "dbt",
                "projectFiles": [{"name": "dbt_project.yml", "content": "name: shop"}],
            },
        }
    )
    assert not result.issues
    assert result.resolved_schema is not None
    tables = {table.name: table for table in result.resolved_schema.tables}
    assert [column.name for column in tables["m"].columns] == ["id", "name"]
    assert result.summary.approximate_edge_count == 0


def test_a_file_that_is_no_yaml_is_told_and_the_rest_goes_on() -> None:
    files = {
        "dbt_project.yml": "name: shop\nvars: {a: 1\nb",
        "models/bad.yml": "- " * 5000,
        "models/list.yml": "- a\n- b",
        "models/m.sql": "SELECT 1",
    }
    found = renderings(files)["models/m.sql"]
    assert [(issue.source_name, issue.severity) for issue in found.issues] == [
        ("dbt_project.yml", "warning"),
        ("models/bad.yml", "warning"),
    ]
    assert "line 3" in found.issues[0].message
    assert found.issues[0].source_line == 3
    assert found.texts


def test_without_the_library_lineage_says_what_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    files = {"dbt_project.yml": SHOP + "vars: {a: 1}", "models/m.sql": "SELECT {{ var('a') }}"}
    found = renderings(files)["models/m.sql"]
    assert found.issues[0].hint == "pip install pyyaml"
    assert found.texts[0].sql == "SELECT a"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "a: &x {b: 1, c: yes}\nd: {<<: *x, c: 2}",
            {"a": {"b": 1, "c": True}, "d": {"b": 1, "c": 2}},
        ),
        (
            "on: 2020-01-01\nn: ~\nt: '1'\nf: 1.5",
            {"True": "2020-01-01", "n": None, "t": "1", "f": 1.5},
        ),
        ("a: &a [*a]", {"a": [None]}),
        ("!!python/object:os.system x", "x"),
        # A number of base sixty that is too large for one.
        ("a: 1" + ":1" * 400 + ".0", {"a": "1" + ":1" * 400 + ".0"}),
        ("", None),
        ("a: 1\n---\nb: 2", {"a": 1}),
    ],
)
def test_documents_are_plain_values(text: str, value: object) -> None:
    assert read_document(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("[" * 100_000, "- " * 100_000, "a: [1", "\0", "\ud800", "a: b: c"),
        # Forty lines that stand for more than anybody can walk through.
        "a0: &a0 {b: c}\n"
        + "".join(f"a{n}: &a{n} {{b: *a{n - 1}, c: *a{n - 1}}}\n" for n in range(1, 40)),
    ],
)
def test_what_is_no_document_is_an_error_of_one_kind(text: str) -> None:
    with pytest.raises(DocumentError):
        read_document(text)

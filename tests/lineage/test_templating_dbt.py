"""dbt mode: what a model reads and writes, without a database, a clock or an environment."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from lakeport.lineage import analyze, encode_result
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.request import SourceFile, TemplateConfig
from lakeport.lineage.templating import DbtModel, Project, Reference, Rendering


def file(name: str, content: str) -> SourceFile:
    return SourceFile(name=name, content=content)


def render(
    content: str,
    *,
    name: str = "models/m.sql",
    others: dict[str, str] | None = None,
    macros: str = "",
    context: dict[str, Any] | None = None,
    manifest: dict[str, Any] | None = None,
    dialect: str = "spark",
) -> Rendering:
    source = file(name, content)
    files = [source, *(file(other, text) for other, text in (others or {}).items())]
    config = TemplateConfig(
        mode="dbt",
        context=context or {},
        macro_files=[file("macros/all.sql", macros)] if macros else [],
        manifest=manifest or {},
    )
    return Project(config, files, dialect).render(source)


def sql(content: str, **options: Any) -> str:
    rendering = render(content, **options)
    assert not [issue for issue in rendering.issues if issue.severity == "error"]
    return rendering.texts[0].sql.strip()


def model(rendering: Rendering) -> DbtModel:
    assert rendering.model is not None
    return rendering.model


def test_refs_and_sources_become_names_and_facts() -> None:
    rendering = render(
        "SELECT * FROM {{ ref('stage') }} JOIN {{ ref('pkg', 'other') }} JOIN {{ source('raw', 'orders') }}"
    )
    assert rendering.texts[0].sql == "SELECT * FROM stage JOIN other JOIN raw.orders"
    facts = model(rendering)
    assert facts.refs == (Reference("stage"), Reference("other", "pkg"))
    assert facts.sources == (("raw", "orders"),)
    assert (facts.name, facts.alias, facts.materialized) == ("m", "m", "view")


def test_a_ref_finds_the_name_the_other_model_declares() -> None:
    others = {
        "models/stage.sql": "{{ config(alias='stg', schema='lake', database='dev') }} SELECT 1"
    }
    assert sql("SELECT * FROM {{ ref('stage') }}", others=others) == "SELECT * FROM dev.lake.stg"


def test_a_name_that_only_a_query_would_assign_is_a_value_that_nobody_knows() -> None:
    macros = "{% macro fresh() %}{% if execute %}{% set found = 1 %}{% endif %}{{ return(found) }}{% endmacro %}"
    text = "SELECT {{ fresh() }} FROM t WHERE a = {{ fresh() }}"
    assert sql(text, macros=macros) == "SELECT * FROM t WHERE a = null"


def test_versioned_refs() -> None:
    assert sql("{{ ref('dim', version=2) }} {{ ref('dim', v='3') }}") == "dim_v2 dim_v3"
    others = {"models/dim.sql": "SELECT 1"}
    assert sql("{{ ref('dim') }}", others=others) == "dim"


def test_names_are_quoted_where_they_must_be() -> None:
    assert sql("{{ source('raw-data', 'or ders') }}") == "`raw-data`.`or ders`"
    assert sql("{{ source('raw-data', 'o') }}", dialect="postgres") == '"raw-data".o'


def test_config_is_collected() -> None:
    rendering = render(
        "{{ config(materialized='incremental', alias='x', schema='s', tags=['a', 'b'], unique_key='id') }}"
        "{{ config({'meta': 1}) }}SELECT {{ config.get('unique_key') }}, {{ config.get('no', 'z') }}"
    )
    facts = model(rendering)
    assert (facts.alias, facts.schema, facts.materialized) == ("x", "s", "incremental")
    assert facts.tags == ("a", "b")
    assert facts.config["meta"] == 1
    assert rendering.texts[0].sql == "SELECT id, z"


def test_this_is_the_relation_of_the_model() -> None:
    text = "{{ config(schema='s', alias='x') }}{{ this }} {{ this.schema }} {{ this.identifier }} {{ this.name }}"
    assert sql(text) == "s.x s x x"


def test_an_incremental_model_has_two_texts() -> None:
    rendering = render(
        "SELECT 1{% if is_incremental() %} WHERE a > (SELECT max(a) FROM {{ this }}){% endif %}"
    )
    assert [(text.sql, text.incremental) for text in rendering.texts] == [
        ("SELECT 1", False),
        ("SELECT 1 WHERE a > (SELECT max(a) FROM m)", True),
    ]


def test_asking_without_consequence_gives_one_text() -> None:
    assert len(render("SELECT 1{% if is_incremental() %}{% endif %}").texts) == 1


def test_vars_come_from_the_context() -> None:
    context = {"vars": {"cut": 3}, "direct": "d"}
    assert (
        sql("{{ var('cut', 1) }} {{ var('direct') }} {{ var('no', 7) }}", context=context)
        == "3 d 7"
    )


def test_a_var_without_a_value_is_its_name_and_a_warning() -> None:
    rendering = render("SELECT '{{ var('start') }}'")
    assert rendering.texts[0].sql == "SELECT 'start'"
    (issue,) = rendering.issues
    assert (issue.code, issue.severity) == (IssueCode.TEMPLATE_ERROR, "warning")


def test_environment_values_are_analysed_but_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE", "from-the-process")
    text = "SELECT * FROM {{ env_var('DATABASE') }}.t -- {{ env_var('LEVEL', 'low') }}"
    rendered = render(text, context={"env": {"DATABASE": "prod_secret"}}).texts[0]
    assert rendered.sql == "SELECT * FROM prod_secret.t -- low"
    assert rendered.shown == "SELECT * FROM ***********.t -- low"
    assert sql("{{ env_var('DATABASE') }}") == "DATABASE"


def test_there_is_no_database() -> None:
    text = (
        "{% set r = run_query('select 1') %}{{ r.columns[0].values() | length }}"
        "{% if execute %}never{% endif %}{{ adapter.get_relation(this) is none }}"
        "{{ adapter.get_columns_in_relation(this) }}{% do adapter.create_schema(this) %}"
        "{% call statement('x', fetch_result=True) %}select 1{% endcall %}"
        "{% for row in load_result('x').data %}{{ row }}{% endfor %}"
        "{{ log('hidden', info=True) }}{{ print('hidden') }}"
    )
    assert sql(text) == "0True[]"


def test_every_moment_is_the_same() -> None:
    text = "{{ run_started_at.year }} {{ modules.datetime.datetime.now().year }} {{ modules.datetime.date.today() }}"
    assert sql(text) == "2000 2000 2000-01-01"


def test_modules_have_patterns_zones_and_iterators() -> None:
    text = (
        "{% set re = modules.re %}{{ re.sub('[^a-z]+', '_', 'a - b') }} {{ re.match('(a)b', 'ab').group(1) }} "
        "{{ modules.itertools.chain([1], [2]) | list }} {{ modules.pytz.timezone('Europe/Oslo') }} "
        "{{ (modules.datetime.datetime.now() - modules.datetime.timedelta(days=1)).year }}"
    )
    assert sql(text) == "a_b a [1, 2] UTC 1999"


@pytest.mark.parametrize(
    "text",
    [
        "{{ modules.re.match('(a+)+$', 'a' * 40 ~ 'b') }}",
        "{{ modules.re.match('((a+))+$', 'a' * 40 ~ 'b') }}",
        "{{ modules.re.match('(a|aa)*$', 'a' * 40 ~ 'b') }}",
        "{{ modules.re.match('.*.*.*.*.*.*=', 'a' * 400) }}",
        "{{ modules.re.match('a', 'a' * 20000) }}",
        "{{ modules.re.sub('(', '', 'a') }}",
    ],
)
def test_patterns_end(text: str) -> None:
    rendering = render(text)
    assert rendering.texts == ()
    assert [issue.severity for issue in rendering.issues] == ["error"]


def test_columns_that_a_template_makes_up() -> None:
    text = (
        "{{ api.Column.translate_type('date') }} {{ api.Column.numeric_type('numeric', 9, 2) }} "
        "{{ api.Column.string_type(8) }} {{ api.Column.create('a', 'int').name }}"
    )
    assert sql(text) == "date numeric(9, 2) varchar(8) a"


def test_a_disabled_model_need_not_be_sql() -> None:
    text = "{{ config(enabled=var('on', false)) }}WITH a AS () SELECT 1"
    request = {"files": [{"name": "m.sql", "content": text}], "dialect": "spark"}
    config: dict[str, Any] = {"mode": "dbt"}
    answer = analyze({**request, "templateConfig": config})
    assert [(issue.severity, issue.code) for issue in answer.issues] == [
        ("info", IssueCode.TEMPLATE_ERROR)
    ]
    config["context"] = {"vars": {"on": True}}
    answer = analyze({**request, "templateConfig": config})
    assert [issue.code for issue in answer.issues] == [IssueCode.PARSE_ERROR]


def test_a_star_of_dbt_leaves_out_only_what_is_there() -> None:
    text = "SELECT {{ dbt_utils.star(ref('t'), except=['a', 'nosuch']) }} FROM {{ ref('t') }}"
    table = {"name": "t", "columns": [{"name": "a"}, {"name": "b"}]}
    answer = analyze(
        {
            "files": [{"name": "m.sql", "content": text}],
            "dialect": "spark",
            "schema": {"tables": [table]},
            "templateConfig": {"mode": "dbt"},
        }
    )
    assert answer.issues == []
    nodes = answer.statements[0].nodes
    assert [node.qualified_name for node in nodes if node.node_type == "column"][-1] == "m.b"
    assert "m.a" not in [node.qualified_name for node in nodes]


def test_small_words() -> None:
    text = (
        "{{ tojson({'a': 1}) }} {{ fromjson('[1]')[0] }} {{ set([1, 1, 2]) }} {{ zip([1], [2])[0] }} "
        "{{ target.name }}{{ target.unheard_of }} {{ '5' | as_number }} {{ flags.FULL_REFRESH }}"
    )
    assert sql(text) == '{"a": 1} 1 [1, 2] (1, 2) dev 5 False'


def test_project_macros_call_each_other_and_return_values() -> None:
    macros = (
        "{% macro names() %}{{ return(['a', 'b']) }}{% endmacro %}"
        "{% macro columns() %}{{ names() | join(', ') }} FROM {{ ref('s') }}{% endmacro %}"
        "{% macro default__engine() %}generic{% endmacro %}"
        "{% macro spark__engine() %}spark{% endmacro %}"
        "{% macro engine() %}{{ adapter.dispatch('engine')() }}{% endmacro %}"
    )
    rendering = render("SELECT {{ columns() }} -- {{ engine() }}", macros=macros)
    assert rendering.texts[0].sql == "SELECT a, b FROM s -- spark"
    assert model(rendering).refs == (Reference("s"),)
    assert sql("{{ project.engine() }}", macros=macros) == "spark"


def test_unknown_macros_pass_their_argument_through_with_a_note() -> None:
    rendering = render(
        "SELECT {{ cents('amount') }}, {{ pkg.clean(ref('t')) }}, {{ dbt_utils.rare('b') }}"
    )
    assert rendering.texts[0].sql == "SELECT amount, t, b"
    assert [(issue.code, issue.severity) for issue in rendering.issues] == [
        (IssueCode.UNSUPPORTED_SYNTAX, "info")
    ] * 3
    assert "`pkg.clean`" in rendering.issues[1].message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT a {{ more('wide') }} FROM t", "SELECT a  FROM t"),
        ("SELECT f(a) {{ more('wide') }} FROM t", "SELECT f(a)  FROM t"),
        ("SELECT a, {{ more('wide') }} FROM t", "SELECT a, wide FROM t"),
        ("SELECT -- of a\n{{ more('wide') }} FROM t", "SELECT -- of a\nwide FROM t"),
        ("SELECT a /* and\nmore */ {{ more('b') }} FROM t", "SELECT a /* and\nmore */  FROM t"),
        ("SELECT '{{ more('wide') }}' AS a", "SELECT 'wide' AS a"),
        ("SELECT 'as {{ more('wide') }}' AS a", "SELECT 'as wide' AS a"),
        ("SELECT 'a' {{ more('wide') }} FROM t", "SELECT 'a'  FROM t"),
        ("SELECT {{ fill(columns=[{'name': 'a'}]) }} FROM t", "SELECT * FROM t"),
        ("SELECT DISTINCT {{ fill() }} FROM t", "SELECT DISTINCT * FROM t"),
        ("SELECT a, {{ more() }}, b FROM t", "SELECT a, null, b FROM t"),
        ("SELECT a FROM t WHERE {{ more() }} AND b", "SELECT a FROM t WHERE null AND b"),
        ("SELECT f({{ more() }}) FROM t", "SELECT f() FROM t"),
        ("SELECT a FROM t {{ more() }}", "SELECT a FROM t"),
        ("SELECT a FROM {{ pkg.clean(ref('t')) }}", "SELECT a FROM t"),
        ("SELECT a AS {{ more('wide') }}_b", "SELECT a AS wide_b"),
        ("SELECT {{ more('wide') | upper }}", "SELECT WIDE"),
        ("SELECT a FROM {{ ref(chosen('t')) }}", "SELECT a FROM t"),
        (
            "{% macro both() %}b {{ more('wide') }}{% endmacro %}SELECT {{ both() }} FROM t",
            "SELECT b  FROM t",
        ),
    ],
)
def test_an_unknown_macro_prints_only_what_can_stand_there(text: str, expected: str) -> None:
    assert sql(text) == expected


def test_lists_and_mappings_grow_as_in_dbt() -> None:
    macros = (
        "{% macro keys(names) %}{% set parts = [] %}"
        "{% for name in names %}{% do parts.append(name ~ '_key') %}{% endfor %}"
        "{{ return(parts) }}{% endmacro %}"
    )
    assert sql("SELECT {{ keys(['a', 'b']) | join(', ') }}", macros=macros) == "SELECT a_key, b_key"
    assert sql("{% set d = {} %}{% do d.update({'a': 1}) %}{{ d.a }}") == "1"


def test_what_a_template_adds_to_a_list_of_the_request_is_gone_with_it() -> None:
    context = {"vars": {"names": ["a"]}, "more": ["b"]}
    text = "{% do var('names').append('x') %}{% do more.append('y') %}{{ (var('names') + more) | join }}"
    for _ in range(2):
        assert sql(text, context=context) == "axby"
    assert context == {"vars": {"names": ["a"]}, "more": ["b"]}


def test_lists_do_not_grow_without_end() -> None:
    text = "{% set l = [1] %}{% for i in range(99) %}{% do l.extend(l) %}{% endfor %}"
    (issue,) = render(text).issues
    assert "a list of more than" in issue.message


def test_a_part_that_a_value_lacks_is_false_and_prints_nothing() -> None:
    text = (
        "{% set column = {'name': 'a'} %}{% if not column.renamed.to %}{{ column.name }}{% endif %}"
    )
    assert sql("SELECT " + text + "{{ column.suffix }}") == "SELECT a"
    assert sql("{% for name in nobody %}{{ name }}{% endfor %}SELECT 1") == "SELECT 1"


def test_a_var_without_a_value_is_no_list_of_letters() -> None:
    assert (
        sql("SELECT a{% for name in var('more_columns') %}, {{ name }}{% endfor %}") == "SELECT a"
    )


def test_a_macro_is_found_behind_the_name_of_any_package() -> None:
    macros = "{% macro clean(name) %}trim({{ name }}){% endmacro %}"
    assert sql("SELECT {{ shop.clean('a') }}", macros=macros) == "SELECT trim(a)"


def test_an_adapter_takes_macros_of_its_kin_alone() -> None:
    macros = (
        "{% macro default__engine() %}any{% endmacro %}{% macro spark__engine() %}spark{% endmacro %}"
        "{% macro postgres__engine() %}postgres{% endmacro %}"
    )
    for dialect, engine in (
        ("spark", "spark"),
        ("databricks", "spark"),
        ("redshift", "postgres"),
        ("snowflake", "any"),
    ):
        text = "{{ adapter.dispatch('engine')() }}"
        assert sql(text, macros=macros, dialect=dialect) == engine


def test_macros_of_dbt_need_no_package_in_front() -> None:
    assert sql("SELECT {{ safe_cast('a', type_int()) }}") == "SELECT cast(a as int)"


def test_macros_that_ask_the_database_have_stand_ins_even_if_they_are_there() -> None:
    macros = "{% macro star(from, except=[]) %}{% if not execute %}{{ return('*') }}{% endif %}{% endmacro %}"
    text = "SELECT {{ dbt_utils.star(ref('t'), except=['a']) }}"
    assert sql(text, macros=macros) == "SELECT * EXCEPT (a)"


def test_there_may_be_fifty_unknown_macros() -> None:
    calls = "".join(f"{{{{ f{number}('a') }}}}" for number in range(51))
    rendering = render(calls)
    assert rendering.texts == ()
    assert "50" in rendering.issues[-1].message


def test_a_part_of_an_unknown_name_that_is_printed_is_an_error() -> None:
    rendering = render("select 1 as a {{ settings.suffix }}")
    assert [issue.code for issue in rendering.issues] == [IssueCode.TEMPLATE_ERROR]
    assert "'settings.suffix' is undefined" in rendering.issues[0].message


def test_an_unknown_name_that_is_printed_is_an_error() -> None:
    assert render("SELECT {{ nothing }}").texts == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ dbt_utils.star(ref('t')) }}", "*"),
        ("{{ dbt_utils.star(from=ref('t'), except=['a', 'b']) }}", "* EXCEPT (a, b)"),
        ("{{ dbt_utils.star(ref('t'), relation_alias='x') }}", "x.*"),
        ("{{ dbt_utils.generate_surrogate_key(['a', 'b']) }}", "md5(concat(a, b))"),
        ("{{ dbt_utils.surrogate_key('a', 'b') }}", "md5(concat(a, b))"),
        ("{{ dbt_utils.group_by(3) }}", "group by 1, 2, 3"),
        ("{{ dbt_utils.safe_divide('a', 'b') }}", "(a) / nullif((b), 0)"),
        (
            "{{ dbt_utils.union_relations([ref('a'), ref('b')]) }}",
            """(select 'a' as _dbt_source_relation, * from a) union all by name (select 'b' as _dbt_source_relation, * from b)""",
        ),
        (
            "{{ dbt_utils.union_relations([ref('a')], exclude=['x'], source_column_name=none) }}",
            "(select * EXCEPT (x) from a)",
        ),
        ("{{ dbt.date_trunc('month', 'day') }}", "date_trunc('month', day)"),
        ("{{ dbt.safe_cast('a', dbt.type_int()) }}", "cast(a as int)"),
        ("{% for v in dbt_utils.get_column_values(ref('t'), 'x') %}{{ v }}{% endfor %}", ""),
        (
            "{{ dbt_utils.get_column_values(ref('t'), 'x', order_by='x', default=['a', 'b']) | join }}",
            "ab",
        ),
    ],
)
def test_macros_of_known_packages_become_what_they_amount_to(text: str, expected: str) -> None:
    assert sql(text) == expected


def test_snapshots_are_unwrapped_and_name_their_table() -> None:
    text = (
        "{% snapshot orders_history %}{{ config(target_schema='snap', unique_key='id') }}"
        "SELECT * FROM {{ source('raw', 'orders') }}{% endsnapshot %}"
    )
    rendering = render(text, name="snapshots/any.sql")
    assert rendering.texts[0].sql == "SELECT * FROM raw.orders"
    facts = model(rendering)
    assert (facts.name, facts.alias, facts.schema) == ("orders_history", "orders_history", "snap")
    assert facts.materialized == "snapshot"


def test_tests_materializations_and_docs_are_left_out() -> None:
    text = (
        "{% test positive(model, column_name) %}SELECT {{ column_name }}{% endtest %}"
        "{% materialization odd, adapter='spark' %}{{ nothing }}{% endmaterialization %}"
        "{% docs d %}words{% enddocs %}SELECT 1"
    )
    assert sql(text) == "SELECT 1"


def test_compiled_code_of_a_manifest_is_preferred() -> None:
    manifest = {
        "nodes": {
            "model.p.m": {
                "resource_type": "model",
                "name": "m",
                "alias": "mart",
                "schema": "prod",
                "original_file_path": "models/m.sql",
                "compiled_code": "SELECT 2",
                "config": {"materialized": "table"},
                "refs": [{"name": "s", "package": None, "version": None}],
            },
            "broken": 5,
        },
        "sources": {
            "source.p.raw.o": {
                "source_name": "raw",
                "name": "o",
                "identifier": "orders_v1",
                "schema": "landing",
            }
        },
    }
    rendering = render("SELECT {{ nothing }}", manifest=manifest)
    assert rendering.texts[0].sql == "SELECT 2"
    facts = model(rendering)
    assert (facts.schema, facts.alias, facts.materialized) == ("prod", "mart", "table")
    assert facts.refs == (Reference("s"),)
    other = render("{{ ref('m') }} {{ source('raw', 'o') }}", name="x.sql", manifest=manifest)
    assert other.texts[0].sql == "prod.mart landing.orders_v1"


def test_a_broken_macro_file_is_reported_once_and_the_rest_works() -> None:
    config = TemplateConfig(
        mode="dbt",
        macro_files=[
            file("bad.sql", "{% macro %}"),
            file("good.sql", "{% macro g() %}1{% endmacro %}"),
        ],
    )
    project = Project(config, dialect="spark")
    first = project.render(file("a.sql", "SELECT {{ g() }}"))
    second = project.render(file("b.sql", "SELECT {{ g() }}"))
    assert first.texts[0].sql == second.texts[0].sql == "SELECT 1"
    assert [issue.source_name for issue in first.issues] == ["bad.sql"]
    assert second.issues == ()


def test_a_compiler_error_of_the_project_is_its_message() -> None:
    rendering = render("{{ exceptions.raise_compiler_error('not on weekends') }}")
    assert "not on weekends" in rendering.issues[0].message


def test_ephemeral_models_say_so() -> None:
    facts = model(render("{{ config(materialized='ephemeral') }}SELECT 1"))
    assert facts.is_ephemeral


def test_a_macro_sees_the_model_it_is_called_from() -> None:
    macros = [
        file("a.sql", "{% macro outer() %}{{ inner() }} {{ this }}{% endmacro %}"),
        file("z.sql", "{% macro inner() %}{{ this.name }}{% endmacro %}"),
    ]
    project = Project(TemplateConfig(mode="dbt", macro_files=macros), dialect="spark")
    rendered = [project.render(file(name, "{{ outer() }}")) for name in ("one.sql", "two.sql")]
    assert [rendering.texts[0].sql for rendering in rendered] == ["one one", "two two"]


def test_jinja_is_not_loaded_for_plain_sql() -> None:
    program = (
        "import sys\n"
        "from lakeport.lineage.request import SourceFile, TemplateConfig\n"
        "from lakeport.lineage.templating import Project\n"
        "Project(TemplateConfig()).render(SourceFile(name='q', content='SELECT 1'))\n"
        "print('jinja2' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_nameless_sql_is_a_query_and_no_model() -> None:
    rendering = render("SELECT * FROM {{ ref('x') }} WHERE '{{ this }}' = 'this'", name="")
    assert rendering.texts[0].sql == "SELECT * FROM x WHERE 'this' = 'this'"
    assert rendering.model is None


def test_a_macro_may_be_found_by_a_computed_name() -> None:
    macros = "{% macro spark__engine() %}{{ this }}{% endmacro %}"
    assert sql("{{ adapter.dispatch('eng' ~ 'ine')() }}", macros=macros) == "m"


def test_the_later_of_two_macros_of_one_name_wins() -> None:
    macros = [
        file("a.sql", "{% macro f() %}first{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}"),
        file("b.sql", "{% macro f() %}second{% endmacro %}"),
    ]
    project = Project(TemplateConfig(mode="dbt", macro_files=macros))
    assert project.render(file("m.sql", "{{ f() }}")).texts[0].sql == "second"


@pytest.mark.parametrize(
    "text",
    [
        "{{ config(tags=5, schema=7, alias=['x'], materialized=none) }}SELECT 1",
        "{{ config(schema=" + "9" * 5000 + ") }}SELECT 1",
        "{{ config(5) }}",
        "{{ ref() }}",
        "{{ ref(5) }}",
        "{{ source('a') }}",
        "{{ var() }}",
        "{{ adapter.dispatch()() }}",
        "{{ modules.re.sub('a', 'b') }}",
        "{% do return(1) %}",
    ],
)
def test_odd_words_never_raise(text: str) -> None:
    rendering = render(text)
    assert rendering.texts or rendering.issues


def test_messages_show_no_secrets() -> None:
    text = "{{ exceptions.raise_compiler_error('bad ' ~ env_var('TOKEN')) }}"
    (issue,) = render(text, context={"env": {"TOKEN": "hunter2"}}).issues
    assert "hunter2" not in issue.message
    assert "bad *******" in issue.message


def test_a_return_outside_of_a_macro_is_told_as_one() -> None:
    (issue,) = render("SELECT 1 {% do return('x') %}").issues
    assert issue.message.endswith("line 1: `return` stands outside of a macro")


def test_compiled_lines_are_not_lines_of_the_file() -> None:
    node = {"resource_type": "model", "name": "m", "path": "m.sql", "compiled_code": "a\nb"}
    text = render("x", name="models/m.sql", manifest={"nodes": {"m": node}}).texts[0]
    assert (text.sql, text.source_line(1), text.source_line(2)) == ("a\nb", None, None)


def test_values_cannot_pass_for_line_marks() -> None:
    rendered = render("SELECT '{{ var('x') }}'\n, 1", context={"vars": {"x": "\ufdd0D9\ufdd1a"}})
    assert rendered.texts[0].sql == "SELECT 'D9a'\n, 1"
    assert rendered.texts[0].source_line(2) == 2


def test_an_answer_quotes_no_secrets() -> None:
    given = "{{ env_var('KEY') }}"
    result = analyze(
        {
            "files": [
                {
                    "name": "m.sql",
                    "content": f"SELECT a, concat('{given}', b) AS s FROM t JOIN u ON t.b = '{given}' WHERE b > '{given}'",
                },
                {"name": "broken.sql", "content": f"SELECT a frm '{given}' WHERE WHERE"},
            ],
            "dialect": "spark",
            "templateConfig": {"mode": "dbt", "context": {"env": {"KEY": "opensesame"}}},
        }
    )
    assert b"concat('**********', b)" in encode_result(result)
    assert b"opensesame" not in encode_result(result)

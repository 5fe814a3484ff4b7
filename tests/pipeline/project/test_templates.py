"""The small Jinja of models: five names, no way out, and errors with a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeport.pipeline.graph import build_graph
from tests.pipeline.projects import graph, name_of, problems, tables
from tests.pipeline.projects import project as project_of

ONLY = "a template has this, is_incremental(), var(), ref() and source()"
OTHERS = {
    "models/shop/orders.sql": "SELECT 1 AS id",
    "models/old/orders.sql": "SELECT 1 AS id",
    "models/shop/clients.sql": "SELECT 1 AS id",
    "sources.toml": "[raw.events.columns]\nid = 'int'",
}


def test_names_render_as_the_projects_own(tmp_path: Path) -> None:
    text = """SELECT {{ var('size') }} AS size, '{{ var('gone', 'x') }}' AS gone
FROM {{ ref('shop', 'orders') }} JOIN {{ ref('clients') }} JOIN {{ source('raw.events') }}
{%- if is_incremental() %}
WHERE id > (SELECT max(id) FROM {{ this }})
{%- endif %}"""
    files = {**OTHERS, "models/a/b.sql": text}
    found = graph(tmp_path, files, vars={"size": 3}).node(name_of("a.b"))
    assert found.sql == (
        "SELECT 3 AS size, 'x' AS gone\n"
        "FROM `shop`.`orders` JOIN `shop`.`clients` JOIN `raw`.`events`"
    )
    assert [str(one.table) for one in found.references] == [
        "shop.orders",
        "shop.clients",
        "raw.events",
    ]
    later = graph(tmp_path, files, {"a.b": {"id": "int"}}, vars={"size": 3}).node(name_of("a.b"))
    assert later.sql.endswith("\nWHERE id > (SELECT max(id) FROM `a`.`b`)")
    assert [one.kind for one in later.references] == ["model", "model", "source", "self"]
    assert later.upstream == (name_of("shop.orders"), name_of("shop.clients"))


def test_who_decides_what_is_incremental(tmp_path: Path) -> None:
    text = "SELECT {{ is_incremental() }} AS it, '{{ this.table }}' AS me"
    project = project_of(tmp_path, {"models/a/b.sql": text})
    ask = tables({"a.b": {"it": "boolean"}})
    assert build_graph(project, ask).nodes[0].sql == "SELECT True AS it, 'b' AS me"
    assert (
        build_graph(project, ask, lambda _: False).nodes[0].sql == "SELECT False AS it, 'b' AS me"
    )


def test_a_file_without_templates_is_not_rendered(tmp_path: Path) -> None:
    text = "SELECT '{# not a comment #}' AS id"
    assert graph(tmp_path, {"models/a/b.sql": text}).nodes[0].sql == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SELECT 1 AS id\n{{ x }}", f"2: a template knows no `x`\n  {{{{ x }}}}\n  {ONLY}"),
        (
            "SELECT {{ is_incrementl() }}",
            (
                "1: a template knows no `is_incrementl`\n  SELECT {{ is_incrementl() }}\n"
                f"  did you mean `is_incremental`? {ONLY}"
            ),
        ),
        (
            "SELECT {{ range(9) }}",
            f"1: a template knows no `range`\n  SELECT {{{{ range(9) }}}}\n  {ONLY}",
        ),
        (
            "SELECT 1\nFROM {{ ref('ordrs') }}",
            "2: there is no model `ordrs`\n  FROM {{ ref('ordrs') }}\n  did you mean `orders`?",
        ),
        (
            "SELECT 1\nFROM {{ ref('orders') }}",
            (
                "2: `orders` could be `old.orders` and `shop.orders`\n  FROM {{ ref('orders') }}\n"
                "  write the namespace, too"
            ),
        ),
        (
            "SELECT 1\nFROM {{ source('shop', 'orders') }}",
            (
                "2: there is no source `shop.orders`\n  FROM {{ source('shop', 'orders') }}\n"
                "  sources.toml declares sources"
            ),
        ),
        (
            "SELECT {{ var('regio') }}",
            (
                "1: there is no var `regio`\n  SELECT {{ var('regio') }}\n  did you mean `region`? "
                "set it in [pipeline.vars], or give a default: var('regio', …)"
            ),
        ),
        (
            "SELECT {{ ''.__class__ }}",
            (
                "1: the template fails: access to attribute '__class__' of 'str' object is unsafe\n"
                f"  SELECT {{{{ ''.__class__ }}}}\n  {ONLY}"
            ),
        ),
        (
            "SELECT {{ this.__class__ }}",
            (
                "1: the template fails: access to attribute '__class__' of 'ThisTable' object is unsafe\n"
                f"  SELECT {{{{ this.__class__ }}}}\n  {ONLY}"
            ),
        ),
        (
            "{% include 'secrets' %}",
            "1: a template cannot read other files\n  {% include 'secrets' %}\n  write what it says here",
        ),
        (
            "{{ 'x' * 99999999999 }}",
            (
                "1: the template fails: the template makes a text of more than 10 MB\n"
                f"  {{{{ 'x' * 99999999999 }}}}\n  {ONLY}"
            ),
        ),
    ],
)
def test_templates_that_fail(text: str, told: str, tmp_path: Path) -> None:
    files = {**OTHERS, "models/a/b.sql": text}
    assert problems(tmp_path, files, vars={"region": "eu"}) == [f"models/a/b.sql:{told}"]


def test_an_open_block_has_its_line(tmp_path: Path) -> None:
    found = problems(tmp_path, {"models/a/b.sql": "SELECT 1\n{% if is_incremental() %}\n"})
    assert len(found) == 1
    assert found[0].startswith("models/a/b.sql:2: the template fails: unexpected end of template")


def test_problems_in_rendered_sql_point_into_the_file(tmp_path: Path) -> None:
    text = """SELECT *
FROM {{ ref('clients') }} AS one
{% for name in ['x', 'y'] %}
JOIN raw.{{ name }} USING (id)
{% endfor %}
JOIN raw.evnts USING (id)"""
    found = problems(tmp_path, {**OTHERS, "models/a/b.sql": text})
    assert [one.split("\n")[0] for one in found] == [
        "models/a/b.sql:4: there is no table `raw.x`",
        "models/a/b.sql:4: there is no table `raw.y`",
        "models/a/b.sql:6:6: there is no table `raw.evnts`",
    ]


def test_a_template_that_renders_to_nothing(tmp_path: Path) -> None:
    found = problems(tmp_path, {"models/a/b.sql": "{% if false %}SELECT 1{% endif %}"})
    assert [one.split("\n")[0] for one in found] == ["models/a/b.sql: there is no query"]

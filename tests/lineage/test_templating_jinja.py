"""Plain Jinja: the text it gives, the lines it came from, and the limits it cannot pass."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.lineage import analyze
from lakeport.lineage.issues import Issue
from lakeport.lineage.request import SourceFile, TemplateConfig
from lakeport.lineage.templating import Project, RenderedText


def render(text: str, context: dict[str, Any] | None = None, **macros: str) -> RenderedText:
    config = TemplateConfig(
        mode="jinja",
        context=context or {},
        macro_files=[SourceFile(name=name, content=body) for name, body in macros.items()],
    )
    rendering = Project(config).render(SourceFile(name="q.sql", content=text))
    assert rendering.issues == ()
    return rendering.texts[0]


def failure(text: str, clock: Callable[[], float] | None = None, **macros: str) -> Issue:
    config = TemplateConfig(
        mode="jinja",
        macro_files=[SourceFile(name=name, content=body) for name, body in macros.items()],
    )
    project = Project(config, clock=clock) if clock else Project(config)
    rendering = project.render(SourceFile(name="q.sql", content=text))
    assert rendering.texts == ()
    (issue,) = rendering.issues
    assert (issue.code, issue.severity, issue.source_name) == ("TEMPLATE_ERROR", "error", "q.sql")
    return issue


def test_raw_text_is_left_alone() -> None:
    rendering = Project(TemplateConfig()).render(SourceFile(name="q", content="SELECT '{{ x }}'"))
    assert rendering.texts == (RenderedText("SELECT '{{ x }}'"),)
    assert rendering.texts[0].source_line(1) == 1


def test_variables_loops_and_conditions() -> None:
    text = "SELECT {% for c in cols %}{{ c }}{% if not loop.last %}, {% endif %}{% endfor %} FROM t"
    assert render(text, {"cols": ["a", "b"]}).sql == "SELECT a, b FROM t"


def test_macro_files_can_be_imported_and_included() -> None:
    text = "{% import 'm' as m %}SELECT {{ m.twice('a') }} FROM {% include 'tail' %}"
    rendered = render(text, m="{% macro twice(x) %}{{ x }} * 2{% endmacro %}", tail="orders")
    assert rendered.sql == "SELECT a * 2 FROM orders"


def test_each_line_knows_its_source() -> None:
    rendered = render(
        "{# a\ncomment #}SELECT\n  {{ x }},\n{% if true %}\n  b\n{% endif %}FROM t", {"x": "a"}
    )
    assert rendered.sql.split("\n") == ["SELECT", "  a,", "", "  b", "FROM t"]
    lines = [rendered.source_line(number) for number in range(1, 6)]
    assert lines == [2, 3, None, 5, 6]


def test_lines_of_a_loop_lead_back_into_its_body() -> None:
    rendered = render("SELECT\n{% for c in ['a', 'b'] %}  {{ c }},\n{% endfor %}  1")
    assert [rendered.source_line(n) for n in range(1, 5)] == [1, 2, 2, 3]
    assert rendered.source_line(99) is None


def test_a_line_of_two_sources_has_none() -> None:
    rendered = render("SELECT a, {# over\ntwo lines #} b")
    assert rendered.sql == "SELECT a,  b"
    assert rendered.source_line(1) is None


def test_captured_text_is_compared_without_marks() -> None:
    text = "{% set x %}abc{% endset %}{% if x == 'abc' %}{{ x | length }}{% endif %}"
    assert render(text).sql == "3"


def test_an_undefined_name_fails_at_its_line() -> None:
    issue = failure("SELECT a\nFROM {{ nothing }}")
    assert "'nothing' is undefined" in issue.message
    assert issue.span is not None
    assert (issue.span.start, issue.span.end) == (9, 27)
    assert issue.hint


def test_bad_syntax_fails_at_its_line() -> None:
    issue = failure("SELECT 1\n{% if %}")
    assert "line 2" in issue.message


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__ }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ self.__init__.__globals__ }}",
        "{{ [].append(1) }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ lipsum() }}",
    ],
)
def test_there_is_no_way_out(text: str) -> None:
    failure(text)


@pytest.mark.parametrize(
    "text",
    [
        "{{ 'x' * 100000000 }}",
        "{{ 100000000 * 'x' }}",
        "{{ [0] * 100000000 }}",
        "{{ 10 ** 100000 }}",
        "{{ 'x' | center(1000000000) }}",
        "{{ 'x'.ljust(1000000000) }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '%1000000000d' | format(1) }}",
        "{{ '{:>1000000000}'.format(1) }}",
        "{% for i in range(1000000000) %}{% endfor %}",
        "{% set n = namespace(s='x') %}{% for i in range(99) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
        "{% set n = namespace(s='x') %}{% for i in range(99) %}{% set n.s = n.s + n.s %}{% endfor %}",
        "{% for i in range(9000) %}{{ 'x' * 9000 }}{% endfor %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ '(' * 5000 }}{% " + "if true %}{% " * 5000,
    ],
)
def test_nothing_grows_without_end(text: str) -> None:
    failure(text)


def test_a_file_that_includes_itself_fails() -> None:
    failure("{% include 'a' %}", a="{% include 'a' %}")


def test_a_hundred_calls_deep_is_fine() -> None:
    text = (
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{% else %}done{% endif %}{% endmacro %}{{ f(90) }}"
    )
    assert render(text).sql == "done"


@pytest.mark.parametrize(
    "text",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) %}x{% endfor %}",
        "{% macro f() %}{% endmacro %}{% for i in range(99999) %}{{ f() }}{% endfor %}",
    ],
)
def test_time_is_limited_also_where_nothing_is_printed(text: str) -> None:
    ticks = count()
    issue = failure(text, clock=lambda: next(ticks) / 100)
    assert "5 seconds" in issue.message


PROJECTS = [
    Project(TemplateConfig(mode="jinja", context={"a": 1, "b": "x"})),
    Project(TemplateConfig(mode="dbt", context={"a": 1, "b": "x"})),
]


@given(st.text(alphabet="{}%# \n'abc(|~*)[]-.", max_size=60))
@settings(derandomize=True, max_examples=200)
def test_no_template_raises(text: str) -> None:
    for project in PROJECTS:
        rendering = project.render(SourceFile(name="q.sql", content=text))
        assert rendering.texts or rendering.issues


@given(st.lists(st.text(alphabet="abc ,", max_size=5), min_size=1, max_size=8))
@settings(derandomize=True, max_examples=100)
def test_a_text_without_tags_is_itself_line_by_line(lines: list[str]) -> None:
    text = "\n".join([*lines, "end"])
    rendered = render(text)
    assert rendered.sql == text
    for number, line in enumerate(text.split("\n"), start=1):
        assert rendered.source_line(number) == (number if line.strip() else None)


@pytest.mark.parametrize("encoding", ["utf8", "utf16", "codepoint"])
def test_spans_count_in_the_part_of_the_text_that_is_shown(encoding: str) -> None:
    result = analyze(
        {
            "sql": "-- é\n{% if true %}\nSELECT 1;\n{% endif %}\nSELECT a, '😀' AS u\nFROM t\nWHERE zz = {{ one }}",
            "encoding": encoding,
            "schema": {"tables": [{"name": "t", "columns": [{"name": "a"}]}]},
            "templateConfig": {"mode": "jinja", "context": {"one": 1}},
        }
    )
    second = result.statements[1]
    assert second.resolved_sql == "SELECT a, '😀' AS u\nFROM t\nWHERE zz = 1"
    codec = {"utf8": "utf-8", "utf16": "utf-16-le", "codepoint": "utf-32-le"}[encoding]
    unit = {"utf8": 1, "utf16": 2, "codepoint": 4}[encoding]
    shown = second.resolved_sql.encode(codec)
    assert (second.span.start, second.span.end) == (0, len(shown) // unit)
    (issue,) = result.issues
    assert issue.span is not None
    assert shown[issue.span.start * unit : issue.span.end * unit].decode(codec) == "zz"


def test_a_span_has_the_line_of_its_template() -> None:
    result = analyze(
        {
            "sql": "{# one\ntwo #}\nSELECT a,\n{% for n in [1, 2] %}\n  zz + {{ n }} AS x{{ n }}{{ ', ' if not loop.last }}\n"
            "{% endfor %}\nFROM t WHERE yy > 1",
            "schema": {"tables": [{"name": "t", "columns": [{"name": "a"}]}]},
            "templateConfig": {"mode": "jinja"},
        }
    )
    lines = {issue.column: issue.source_line for issue in result.issues}
    assert lines == {"zz": 5, "yy": 7}
    assert result.statements[0].metadata == {"sourceLine": 3}

"""From a position in the text that Spark was given to the author's file, whatever was made of it on the way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lakeport.core.errors import ConflictError, LakeportError
from lakeport.pipeline.console import SparkError
from lakeport.pipeline.graph import Graph
from lakeport.pipeline.queries.placing import placed
from lakeport.pipeline.queries.reading import Reading
from lakeport.pipeline.staging import Query
from lakeport.pipeline.writing.failures import of_query
from tests.pipeline.projects import graph, name_of

# Words that begin with `m_` stand once in all of it, so that each can be looked for on both sides.
FILES = {
    "models/raw_ish/base.sql": "SELECT 1 AS m_base",
    "models/shop/hidden.sql": (
        '/* lakeport\nmaterialized = "ephemeral"\n*/\n\nSELECT m_hid1,\n'
        "  base.m_hid2 FROM raw_ish.base -- über\n;\n"
    ),
    "models/shop/deeper.sql": (
        '/* lakeport\nmaterialized = "ephemeral"\n*/\nSELECT\n  m_deep1 FROM shop.hidden WHERE m_deep2'
    ),
    "models/shop/top.sql": (
        "\n\n  SELECT m_top1, raw_ish.base.m_top2,\n"
        "    m_top3 FROM raw_ish.base, (SELECT m_top4 FROM shop.deeper) AS d JOIN\n"
        "  shop.hidden AS h\nON m_top5 = m_top6"
    ),
    "models/shop/templated.sql": (
        "{% set names = ['x', 'y'] %}\n\nSELECT\n"
        "{% for name in names %}\n  m_tem1_{{ name }},\n{% endfor %}\n"
        "  m_tem2\nFROM {{ ref('base') }}\nWHERE m_tem3 AND {{ is_incremental() }}\n"
    ),
}


@pytest.fixture
def built(tmp_path: Path) -> Graph:
    environments = {"dev": {"prefix": "a_long_prefix_"}}
    return graph(tmp_path, FILES, environment="dev", environments=environments)


def reading(graph: Graph) -> Reading:
    return Reading(graph, "lake", {("raw_ish", "base"): "run_branch"})


def told(graph: Graph, model: str, java: str) -> LakeportError:
    error = of_query(SparkError(RuntimeError(java)), "the log")
    return placed(error, graph.node(name_of(model)), reading(graph))


def sent(graph: Graph, model: str) -> str:
    return Query(reading(graph).rewritten(graph.node(name_of(model)).query)).text


@pytest.mark.parametrize("model", ["shop.top", "shop.templated"])
def test_every_word_is_found_in_the_file_that_has_it(built: Graph, model: str) -> None:
    found: set[str] = set()
    for row, text in enumerate(sent(built, model).split("\n"), 1):
        for word in re.finditer(r"m_\w+", text):
            at = f"line {row} pos {word.start()}"
            place = told(built, model, f"[WRONG] It is so. SQLSTATE: 42703; {at};").message
            stem = re.sub(r"_[xy]$", "_", word[0])
            path, line, column = _written(stem)
            shown = FILES[path].split("\n")[line - 1]
            is_whole = "{{" not in shown
            expected = f"{path}:{line}:{column}: " if is_whole else f"{path}:{line}: "
            assert place.startswith(f"{expected}Spark cannot run the query: [WRONG] It is so\n")
            assert place.split("\n")[1] == f"  {shown.strip()}"
            found.add(stem)
    wanted = {"shop.top": r"m_(top|hid|deep)", "shop.templated": r"m_tem"}[model]
    assert found == {word for word in _marked() if re.match(wanted, word)}


def test_a_value_that_fails_is_found_by_what_spark_shows_of_it(built: Graph) -> None:
    text = sent(built, "shop.top").split("\n")
    row = next(row for row, line in enumerate(text, 1) if "m_top3" in line)
    column = text[row - 1].index("m_top3") + 1
    head = "[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012"
    where = f"== SQL (line {row}, position {column}) =="
    shown = "... , m_top3 FROM..."
    right = told(built, "shop.top", f"{head}\n{where}\n{shown}\n      ^^^^^^\n\nat org.apache")
    assert right.message.startswith("models/shop/top.sql:4:5: Spark cannot run the query: [DIVIDE")
    # The same place in a statement of ours is not the author's.
    other = told(built, "shop.top", f"{head}\n{where}\nstaged.x / 0\n^^^^^^")
    assert other.message.startswith("models/shop/top.sql: Spark cannot run the query: [DIVIDE")
    view = told(built, "shop.top", f"{head}\n== SQL of VIEW v (line 1, position 1) ==\nm\n^")
    assert view.message.startswith("models/shop/top.sql: ")


def test_what_has_no_place_has_the_file(built: Graph) -> None:
    far = told(built, "shop.top", "[WRONG] SQLSTATE: 42703; line 900 pos 3;")
    assert far.message.startswith("models/shop/top.sql: ")
    plain = ConflictError("others were faster")
    assert placed(plain, built.node(name_of("shop.top")), reading(built)) is plain


def _marked() -> set[str]:
    return {word for text in FILES.values() for word in re.findall(r"m_\w+", text)}


def _written(word: str) -> tuple[str, int, int]:
    for path, text in FILES.items():
        for row, line in enumerate(text.split("\n"), 1):
            if re.search(rf"{word}(?![a-z0-9])", line):
                return path, row, line.index(word) + 1
    raise AssertionError(word)

"""Python models are read without being run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.projects import name_of, problems, project

FUNCTION = "def model(context):\n    return context.table('raw.t')\n"
SHAPE = (
    "write `def model(context):` and return a Spark DataFrame, an Arrow table or batches of rows"
)


def test_settings_are_literals_and_nothing_is_run(tmp_path: Path) -> None:
    text = f"""raise SystemExit("never run")
SETTINGS = {{
    "unique_key": ["id"],
    "audits": [
        {{"not_null": ["id"]}},
        {{"unique": ["id"]}},
    ],
    "depends_on": "raw.t",
}}
{FUNCTION}"""
    found = project(tmp_path, {"models/a/b.py": text, "sources.toml": "[raw.t]"})
    assert found.problems == ()
    model = found.models[name_of("a.b")]
    assert model.settings.unique_key == ("id",)
    assert [audit.line for audit in model.settings.audits] == [5, 6]
    assert (model.settings_line, model.line_of("depends_on")) == (2, 8)
    assert model.body == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "def model(context:\n    pass",
            (
                "1:10: this is no Python: '(' was never closed\n  def model(context:\n           ^\n"
                "  correct the line"
            ),
        ),
        (
            "def modell(context): ...",
            f"1: there is no function `model`\n  is `modell` meant? {SHAPE}",
        ),
        ("x = 1", f"1: there is no function `model`\n  {SHAPE}"),
        (
            "def model(): ...",
            f"1: `model` takes one argument, the context\n  def model(): ...\n  {SHAPE}",
        ),
        (
            "\ndef model(a, b): ...",
            f"2: `model` takes one argument, the context\n  def model(a, b): ...\n  {SHAPE}",
        ),
        (
            "async def model(context): ...",
            f"1: `model` cannot be async\n  async def model(context): ...\n  {SHAPE}",
        ),
        (
            f"SETTINGS = dict(unique_key='id')\n{FUNCTION}",
            (
                "1: SETTINGS is no dict of literals\n"
                '  the file is not run to read it: write SETTINGS = {"materialized": "table"}'
            ),
        ),
        (
            f"SETTINGS = {{\n  'materialized': 'view',\n}}\n{FUNCTION}",
            '2: a Python model cannot be `view`\n  write it in SQL, or set materialized = "table"',
        ),
        (
            f"SETTINGS = {{\n  'strategy': 'merge', 'keys': 'id'\n}}\n{FUNCTION}",
            (
                "2: `merge` needs a `unique_key`\n"
                '  name the columns that tell rows apart: unique_key = ["id"]'
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_python_model(text: str, told: str, tmp_path: Path) -> None:
    assert f"models/a/b.py:{told}" in problems(tmp_path, {"models/a/b.py": text})


def test_one_argument_may_be_followed_by_defaults(tmp_path: Path) -> None:
    text = "def model(context, size=3, *, deep=True): ...\n"
    assert problems(tmp_path, {"models/a/b.py": text}) == []

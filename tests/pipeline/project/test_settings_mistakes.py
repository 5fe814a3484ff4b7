"""Settings that mean nothing: each is told with its file, its line and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from lakeport.pipeline.project.model import ModelSettings, NullKeys, Strategy, WriteMode
from lakeport.pipeline.project.settings import SETTING_NAMES
from lakeport.pipeline.strategies import NullKeys as WrittenNullKeys
from lakeport.pipeline.strategies.registry import STRATEGIES
from lakeport.pipeline.writing.request import WriteMode as WrittenMode
from tests.pipeline.projects import name_of, problems, project

KNOWN = ", ".join(SETTING_NAMES)
MISTAKES = [
    (
        'materialised = "table"',
        f"2: there is no setting `materialised`\n  did you mean `materialized`? settings: {KNOWN}",
    ),
    (
        'strategy = "appendd"',
        (
            "2: `strategy` cannot be `appendd`\n  did you mean `append`? it is one of append, "
            "delete_insert, merge, overwrite_partitions, time_range, full"
        ),
    ),
    (
        "unique_key = 3",
        '2: `unique_key` cannot be 3\n  write a name or a list of names: unique_key = ["one", "two"]',
    ),
    ('unique_key = ["a", "A"]', "2: `unique_key` names `a` twice\n  name each column once"),
    (
        'strategy = "merge"',
        (
            "2: `merge` needs a `unique_key`\n"
            '  name the columns that tell rows apart: unique_key = ["id"]'
        ),
    ),
    (
        'strategy = "time_range"',
        (
            "2: `time_range` needs a `time_column`\n"
            '  name the column that rows are replaced by: time_column = "placed_at"'
        ),
    ),
    (
        'materialized = "view"\nunique_key = "id"',
        "3: `unique_key` says nothing here: a model that is `view` stores no rows\n  leave it out",
    ),
    (
        'materialized = "table"\nstrategy = "append"',
        (
            "3: `strategy` says nothing here: a model that is `table` replaces all of its rows\n"
            '  leave it out, or set materialized = "incremental"'
        ),
    ),
    (
        'time_column = "x"',
        (
            "2: `time_column` says nothing here: `append` writes whatever the query gives\n"
            '  leave it out, or set strategy = "time_range"'
        ),
    ),
    (
        'strategy = "append"\nunique_key = "id"',
        (
            "3: `unique_key` says nothing here: `append` does not look at keys\n"
            '  leave it out, or set strategy = "delete_insert"'
        ),
    ),
    (
        'strategy = "time_range"\ntime_column = "t"\nrange = [2024-01-02, 2024-01-01]',
        (
            "4: `range` from 2024-01-02 to 2024-01-01 is empty\n"
            "  the end comes after the start and is not part of the range"
        ),
    ),
    (
        'lookback = "3 potatoes"',
        "2: `lookback` cannot be `3 potatoes`\n  write a number and one of s, m, h, d, w: 12h, 3d",
    ),
    ("enabled = 1", "2: `enabled` cannot be 1\n  write true or false"),
    (
        "tags = [1]",
        '2: `tags` cannot be this list\n  write a name or a list of names: tags = ["one", "two"]',
    ),
    (
        "x = ",
        (
            "2: the settings are no TOML: invalid value\n  x =\n"
            "  a comment that begins with the word `lakeport` holds settings, as `key = value` lines"
        ),
    ),
    ('name = "orders"', '2: `orders` names no namespace\n  write name = "namespace.orders"'),
    (
        'name = "lakeport.x"',
        "2: the namespace `lakeport` is Lakeport's own\n  move the model to another one",
    ),
    (
        'publish = "run-atomic"',
        "2: `publish` cannot be `run-atomic`\n  it is one of direct, branch",
    ),
    (
        "audits = 3",
        '2: `audits` is no list\n  write a list: audits = [{ not_null = ["id", "name"] }]',
    ),
    (
        'depends_on = ["no.where"]',
        (
            "2: there is no table `no.where`\n"
            "  load it: lakeport load no.where FILE, or declare it in sources.toml: [no.where]"
        ),
    ),
]


@pytest.mark.parametrize(("settings", "told"), MISTAKES, ids=[text for text, _ in MISTAKES])
def test_a_mistake_in_settings_has_a_line_and_a_remedy(
    settings: str, told: str, tmp_path: Path
) -> None:
    files = {"models/a/b.sql": f"/* lakeport\n{settings}\n*/\nSELECT 1 AS id\n"}
    assert problems(tmp_path, files) == [f"models/a/b.sql:{told}"]


def test_each_audit_is_told_by_its_own_line(tmp_path: Path) -> None:
    settings = """/* lakeport
audits = [
  { not_null = "id" },
  { unik = "id" },
  { accepted_values = "s" },
  { row_count = { min = 3, max = 1 } },
  { relationships = "id", to = "no.where" },
  { sql = "SELECT * FROM this_rows WHERE id <" },
  { unique = "id", severity = "fatal" },
]
*/
SELECT 1 AS id
"""
    assert problems(tmp_path, {"models/a/b.sql": settings}) == [
        (
            "models/a/b.sql:4: an audit asks nothing that is known: `unik`\n  did you mean `unique`? it asks"
            " one of not_null, unique, accepted_values, relationships, row_count, sql"
        ),
        (
            "models/a/b.sql:5: `accepted_values` lacks `values`\n"
            '  for example { accepted_values = "status", values = ["open", "paid"] }'
        ),
        "models/a/b.sql:6: `row_count` accepts no number of rows\n  max is not below min",
        (
            "models/a/b.sql:7: there is no table `no.where`\n"
            "  load it: lakeport load no.where FILE, or declare it in sources.toml: [no.where]"
        ),
        (
            "models/a/b.sql:8: a part of an expression is missing near `<`\n"
            "  correct the SQL; if Spark does understand it, use a Python model with context.sql()"
        ),
        "models/a/b.sql:9: the severity of an audit cannot be 'fatal'\n  it is error or warn",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "/* lakeport\ntags = ['x']\nSELECT 1 AS id",
            "1: the settings do not end\n  end the comment with */ before the query",
        ),
        (
            "SELECT 1 AS id\n/* lakeport\ntags = ['x']\n*/",
            "2: the settings come after the query\n  put all of them into one comment at the top",
        ),
        (
            "/* lakeport */\n/* lakeport\ntags = ['x']\n*/\nSELECT 1 AS id",
            "2: there are settings twice\n  put all of them into one comment at the top",
        ),
    ],
)
def test_settings_stand_in_one_comment_at_the_top(text: str, told: str, tmp_path: Path) -> None:
    assert f"models/a/b.sql:{told}" in problems(tmp_path, {"models/a/b.sql": text})


def test_a_comment_ends_at_its_first_end(tmp_path: Path) -> None:
    text = "/* head */ SELECT 1 AS id /* x */ /* lakeport tags = ['x'] */"
    model = project(tmp_path, {"models/a/b.sql": text}).models[name_of("a.b")]
    assert (model.body, model.settings.tags) == (text, ())


def test_a_long_head_is_read_in_no_time(tmp_path: Path) -> None:
    text = "-- a line\n/* a */ " * 20_000 + "/* lakeport\ntags = ['x']\n*/ SELECT 1 AS id"
    model = project(tmp_path, {"models/a/b.sql": text}).models[name_of("a.b")]
    assert model.settings.tags == ("x",)


def test_the_words_of_settings_are_those_of_writes() -> None:
    assert set(get_args(Strategy)) == set(STRATEGIES)
    assert get_args(NullKeys) == get_args(WrittenNullKeys)
    assert get_args(WriteMode) == get_args(WrittenMode)
    assert set(SETTING_NAMES) == set(ModelSettings.__struct_fields__)


def test_a_default_that_makes_no_sense_for_a_model_is_left_out(tmp_path: Path) -> None:
    files = {
        "models/a/one.sql": "SELECT 1 AS id",
        "models/a/two.sql": '/* lakeport\nmaterialized = "view"\n*/ SELECT 1 AS id',
        "models/a/three.sql": '/* lakeport\nmaterialized = "table"\n*/ SELECT 1 AS id',
    }
    defaults = {"unique_key": ["id"], "null_keys": "fail", "write_mode": "cow", "lookback": "1d"}
    assert problems(tmp_path, files, defaults=defaults) == []


def test_wrong_defaults_are_told_once(tmp_path: Path) -> None:
    files = {"models/a/one.sql": "SELECT 1 AS id", "models/a/two.sql": "SELECT 1 AS id"}
    assert problems(tmp_path, files, defaults={"strategi": "append", "name": "a.b"}) == [
        "lakeport.toml: `name` belongs to one model and cannot be a default\n  set it in the model",
        f"lakeport.toml: there is no setting `strategi`\n  did you mean `strategy`? settings: {KNOWN}",
    ]

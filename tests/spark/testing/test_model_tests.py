"""Unit tests of models on Spark: rows in the place of tables, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from lakeport.pipeline.console import Console
from lakeport.pipeline.session import Spark
from lakeport.pipeline.testing import Executor, TestResult, read_tests
from tests.pipeline.projects import project

SOURCES = """
[raw.orders.columns]
id = "bigint"
amount = "decimal(10,2)"
tags = "array<string>"
who = "struct<name:string,age:int>"
at = "timestamp"
"""

Try: TypeAlias = Callable[..., TestResult]


@pytest.fixture
def outcome(tmp_path: Path, jvm: Spark) -> Try:
    def run(models: dict[str, str], text: str, **given: Any) -> TestResult:
        files = {f"models/{name}": body for name, body in models.items()}
        tests = {"tests/t.toml": f'[[test]]\nname = "t"\n{text}'}
        found = project(tmp_path, {"sources.toml": SOURCES, **files, **tests}, **given)
        read = read_tests(found)
        assert [*found.problems, *read.problems] == []
        (test,) = read.found
        return Executor(found, Console(jvm, jvm.fresh())).run(test)

    return run


def test_every_kind_of_value_goes_in_and_comes_out(outcome: Try) -> None:
    result = outcome(
        {
            "shop/t.sql": "SELECT *, map('n', id) AS m, X'00ff' AS b, 0.1D + 0.2D AS d FROM raw.orders"
        },
        """
model = "shop.t"
given."raw.orders" = [
  { id = 1, amount = "1.50", tags = ["a", "it's"], who = { name = "x" }, at = 2026-03-01T12:00:00 },
  { id = 2 },
]
expect = [
  { id = 2, m = { n = 2 }, b = "0x00ff", d = 0.3 },
  { id = 1, amount = 1.5, tags = ["a", "it's"], who = { name = "x" }, at = "2026-03-01T12:00:00Z", m = { n = 1 }, b = "0x00ff", d = 0.3 },
]
""",
    )
    assert (result.status, result.message, result.difference) == ("passed", None, None)


def test_types_of_models_upstream_are_known_and_missing_columns_are_null(outcome: Try) -> None:
    models = {
        "shop/a.sql": "SELECT id, CAST(amount * 2 AS DECIMAL(12, 2)) AS twice, at FROM raw.orders",
        "shop/b.sql": "SELECT a.id, shop.a.twice / 2 AS once, typeof(a.at) AS t, at FROM shop.a",
    }
    result = outcome(
        models,
        'model = "shop.b"\ngiven."shop.a" = [{ id = 1, twice = "3.00" }]\n'
        'expect = [{ id = 1, once = "1.50", t = "timestamp", at = "2026-01-01" }]',
    )
    assert result.status == "failed"
    assert result.difference is not None
    (changed,) = result.difference.changed
    assert changed.columns == ("at",)
    assert changed.got[-1] == "NULL"


def test_a_table_that_nobody_declared_is_guessed_from_its_rows(outcome: Try) -> None:
    result = outcome(
        {"shop/t.sql": "SELECT k, typeof(v) AS t, v FROM other.things"},
        'model = "shop.t"\ngiven."other.things" = [{ k = 1, v = 1.5 }, { k = 2, v = 2 }]\n'
        'expect = [{ k = 1, t = "double", v = 1.5 }, { k = 2, t = "double", v = 2.0 }]',
    )
    assert (result.status, result.message) == ("passed", None)


@pytest.mark.parametrize(
    ("missing", "status", "told"),
    [
        ("", "error", "`shop.t` reads `raw.orders`, which is not given"),
        ('missing = "empty"', "passed", None),
    ],
)
def test_a_table_that_is_not_given_is_named_or_empty(
    outcome: Try, missing: str, status: str, told: str | None
) -> None:
    result = outcome(
        {"shop/t.sql": "SELECT count(*) AS n, sum(amount) AS s FROM raw.orders"},
        f'model = "shop.t"\n{missing}\nexpect = [{{ n = 0 }}]',
    )
    assert (result.status, result.message) == (status, told)
    assert (result.path, result.line) == ("tests/t.toml", 1)


def test_rows_for_a_table_that_is_not_read_are_a_mistake(outcome: Try) -> None:
    result = outcome(
        {"shop/t.sql": "SELECT * FROM raw.orders"},
        'model = "shop.t"\ngiven."raw.order" = []\nexpect = []',
    )
    assert result.status == "error"
    assert result.message == "`shop.t` does not read `raw.order`"
    assert result.hint == "did you mean `raw.orders`? it reads: raw.orders"
    assert result.line == 4


def test_a_value_that_does_not_fit_is_told_with_its_row(outcome: Try) -> None:
    result = outcome(
        {"shop/t.sql": "SELECT * FROM raw.orders"},
        'model = "shop.t"\ngiven."raw.orders" = [{ id = 1 }, { id = "x" }]\nexpect = []',
    )
    assert (result.status, result.line) == ("error", 4)
    assert result.message == '`raw.orders.id`: row 2: "x" is no bigint'


def test_ephemeral_models_are_part_of_the_query_unless_they_are_given(outcome: Try) -> None:
    models = {
        "shop/e.sql": '/* lakeport\nmaterialized = "ephemeral"\n*/\nSELECT id FROM raw.orders WHERE id >= :least',
        "shop/t.sql": "SELECT count(*) AS n FROM shop.e",
    }
    through = outcome(
        models,
        'model = "shop.t"\nparameters.least = 2\n'
        'given."raw.orders" = [{ id = 1 }, { id = 2 }]\nexpect = [{ n = 1 }]',
        parameters={"least": 0},
    )
    assert (through.status, through.message) == ("passed", None)
    given = outcome(
        models,
        'model = "shop.t"\ngiven."shop.e" = [{ id = 1 }, { id = 2 }]\nexpect = [{ n = 2 }]',
        parameters={"least": 0},
    )
    assert (given.status, given.message) == ("passed", None)


LATER = """
SELECT id FROM raw.orders
{% if is_incremental() %}
WHERE id > (SELECT max(id) FROM {{ this }}) AND '{{ var("region") }}' = 'eu'
{% endif %}
"""


@pytest.mark.parametrize(
    ("how", "ids"),
    [
        ("", [1, 2]),
        ('is_incremental = true\nvars.region = "eu"\ngiven.this = [{ id = 1 }]\n', [2]),
        ('is_incremental = true\nvars.region = "us"\ngiven.this = [{ id = 1 }]\n', []),
        ('is_incremental = true\nvars.region = "eu"\n', []),
    ],
)
def test_later_runs_read_the_rows_that_are_there(outcome: Try, how: str, ids: list[int]) -> None:
    expect = ", ".join(f"{{ id = {each} }}" for each in ids)
    result = outcome(
        {"shop/t.sql": LATER},
        f'model = "shop.t"\n{how}given."raw.orders" = [{{ id = 1 }}, {{ id = 2 }}]\nexpect = [{expect}]',
        vars={"region": "none"},
    )
    assert (result.status, result.message) == ("passed", None)


def test_time_and_order(outcome: Try) -> None:
    result = outcome(
        {
            "shop/t.sql": "SELECT id, :run_id AS r FROM raw.orders WHERE at >= :start AND at < :end ORDER BY id DESC"
        },
        """
model = "shop.t"
parameters = { start = 2026-03-01, end = 2026-03-02T00:00:00Z, run_id = "r1" }
given."raw.orders" = [
  { id = 1, at = 2026-03-01T00:00:00 }, { id = 2, at = 2026-03-01T23:59:59 }, { id = 3, at = 2026-03-02T00:00:00 },
]
ordered = true
expect = [{ id = 2, r = "r1" }, { id = 1, r = "r1" }]
""",
    )
    assert (result.status, result.message) == ("passed", None)


@pytest.mark.parametrize(
    ("expected", "status"), [("DIVIDE_BY_ZERO", "passed"), ("out of paper", "failed")]
)
def test_a_model_that_must_fail(outcome: Try, expected: str, status: str) -> None:
    result = outcome(
        {"shop/t.sql": "SELECT 1 / id AS x FROM raw.orders"},
        f'model = "shop.t"\ngiven."raw.orders" = [{{ id = 0 }}]\nexpect_error = "{expected}"',
    )
    assert result.status == status
    assert "\n" not in (result.message or "")


def test_a_model_that_does_not_fail_though_it_must(outcome: Try) -> None:
    result = outcome({"shop/t.sql": "SELECT 1 AS x"}, 'model = "shop.t"\nexpect_error = "anything"')
    assert result.message == "the model did not fail, and 'anything' was expected"


def test_a_model_that_fails_is_told_without_java(outcome: Try) -> None:
    result = outcome(
        {"shop/t.sql": "SELECT nope(id) AS x FROM raw.orders"},
        'model = "shop.t"\ngiven."raw.orders" = []\nexpect = []',
    )
    assert result.status == "error"
    assert "nope" in (result.message or "")
    assert "\tat " not in (result.message or "")


def test_a_query_that_cannot_be_is_told_with_its_file_and_line(outcome: Try) -> None:
    result = outcome(
        {"shop/t.sql": "SELECT id,\n  idd AS x\nFROM raw.orders"},
        'model = "shop.t"\ngiven."raw.orders" = [{ id = 1 }]\nexpect = []',
    )
    assert (result.status, result.message) == (
        "error",
        "models/shop/t.sql:2:3: there is no column `idd`\n  idd AS x\n  ^",
    )
    assert (result.hint or "").startswith("did you mean `")


def test_a_read_of_the_past_cannot_be_tested(outcome: Try) -> None:
    result = outcome(
        {"shop/t.sql": "SELECT count(*) AS n FROM other.things.snapshots"},
        'model = "shop.t"\ngiven."other.things" = []\nexpect = []',
    )
    assert result.status == "error"
    assert "is read with its history" in (result.message or "")


PYTHON = """
import pyarrow as pa

SETTINGS = {"depends_on": ["raw.orders"]}

def model(context):
    rows = context.sql("SELECT id FROM raw.orders WHERE id >= :least")
    if context.vars["form"] == "frame":
        return rows
    return pa.table({"id": [row["id"] for row in rows.collect()], "least": [context.parameters["least"]]})
"""


@pytest.mark.parametrize("form", ["frame", "arrow"])
def test_models_in_python(outcome: Try, form: str) -> None:
    result = outcome(
        {"shop/t.py": PYTHON},
        f'model = "shop.t"\nvars.form = "{form}"\n'
        'given."raw.orders" = [{ id = 1 }, { id = 2 }]\nexpect = [{ id = 2 }]',
        parameters={"least": 2},
    )
    assert (result.status, result.message) == ("passed", None)


def test_what_a_model_in_python_raises_is_told_with_its_line(outcome: Try) -> None:
    result = outcome(
        {"shop/t.py": "def model(context):\n    raise ValueError('no')\n"},
        'model = "shop.t"\nexpect = []',
    )
    assert result.status == "error"
    assert (result.message or "").startswith("models/shop/t.py:2: ValueError: no")

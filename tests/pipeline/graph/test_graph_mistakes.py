"""What makes a graph impossible: each with its file, line, column, caret and remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.projects import graph, name_of, problems

ONE = "SELECT 1 AS id"
SOURCES = {"sources.toml": "[raw.orders]"}


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (
            {
                "models/a/x.sql": "SELECT *\nFROM raw.ordrs AS o\n  JOIN stagin.y USING (id)",
                "models/staging/y.sql": ONE,
                **SOURCES,
            },
            [
                (
                    "2:6: there is no table `raw.ordrs`\n  FROM raw.ordrs AS o\n       ^\n"
                    "  did you mean `raw.orders`? if not, load it: lakeport load raw.ordrs FILE, or declare it in "
                    "sources.toml: [raw.ordrs]"
                ),
                (
                    "3:8: there is no table `stagin.y`\n  JOIN stagin.y USING (id)\n       ^\n"
                    "  did you mean `staging.y`? if not, load it: lakeport load stagin.y FILE, or declare it in "
                    "sources.toml: [stagin.y]"
                ),
            ],
        ),
        (
            {"models/a/x.sql": "SELECT * FROM orders", "models/b/orders.sql": ONE, **SOURCES},
            [
                (
                    "1:15: `orders` could be `b.orders` or `raw.orders`\n  SELECT * FROM orders\n"
                    "                ^\n  write the namespace, too"
                )
            ],
        ),
        (
            {"models/a/x.sql": "SELECT * FROM ordes", "models/b/orders.sql": ONE},
            [
                (
                    "1:15: there is no model or source `ordes`\n  SELECT * FROM ordes\n                ^\n"
                    "  did you mean `b.orders`? a table of the catalog is written with its namespace: "
                    "namespace.ordes"
                )
            ],
        ),
        (
            {"models/a/x.sql": "SELECT id,\n  (1 +\nFROM t"},
            [
                (
                    "3:1: a part of an expression is missing near `FROM`\n  FROM t\n  ^\n"
                    "  correct the SQL; if Spark does understand it, use a Python model with context.sql()"
                )
            ],
        ),
        (
            {"models/a/x.sql": "SELECT 'it"},
            [
                (
                    "1:8: this string does not end\n  SELECT 'it\n         ^\n"
                    "  correct the SQL; if Spark does understand it, use a Python model with context.sql()"
                )
            ],
        ),
        (
            {"models/a/x.sql": "SELEC 1"},
            [
                (
                    "1:7: `1` is not expected here\n  SELEC 1\n        ^\n"
                    "  did you mean SELECT instead of SELEC?"
                )
            ],
        ),
        (
            {"models/a/x.sql": "SELECT 1;\nSELECT 2"},
            [
                (
                    "2:1: there is a second statement\n  SELECT 2\n  ^\n"
                    "  a model is one query: move the other statement to a file of its own"
                )
            ],
        ),
        (
            {"models/a/x.sql": "INSERT INTO a.b SELECT 1"},
            [
                (
                    "1:1: INSERT is no query\n  INSERT INTO a.b SELECT 1\n  ^\n"
                    "  a model is a SELECT: Lakeport writes the table for it"
                )
            ],
        ),
        (
            {
                "models/a/x.sql": "SELECT ':no' AS a, id::int -- :neither\nFROM a.y WHERE d > :strat",
                "models/a/y.sql": ONE,
            },
            [
                (
                    "2:20: there is no parameter `:strat`\n  FROM a.y WHERE d > :strat\n"
                    "                     ^\n  did you mean `:start`? if not, set it in [pipeline.parameters]: strat = …"
                )
            ],
        ),
        (
            {"models/a/x.sql": "/* lakeport\nmaterialized = 'view'\n*/ SELECT :start AS id"},
            [
                (
                    "3:11: a view cannot take the parameter `:start`\n  */ SELECT :start AS id\n"
                    "            ^\n"
                    '  a view is read without a run: set materialized = "table", or use var()'
                )
            ],
        ),
        (
            {"models/a/x.sql": "SELECT * FROM a.x"},
            [
                (
                    "1:15: `a.x` reads itself, and there is no such table yet\n  SELECT * FROM a.x\n"
                    "                ^\n  read it inside of {% if is_incremental() %} … {% endif %}"
                )
            ],
        ),
        (
            {"models/a/x.sql": "/* lakeport\nmaterialized = 'view'\n*/ SELECT * FROM a.x"},
            [
                (
                    "3:18: `a.x` reads itself\n  */ SELECT * FROM a.x\n                   ^\n"
                    "  only a stored model can read its former rows"
                )
            ],
        ),
        (
            {"models/a/x.sql": "SELECT * FROM IDENTIFIER(:start)"},
            [
                (
                    "1:15: the table `IDENTIFIER(:start)` is known only when it runs\n"
                    "  SELECT * FROM IDENTIFIER(:start)\n                ^\n"
                    "  name tables in the text: a template can do that with var()"
                )
            ],
        ),
    ],
)
def test_a_problem_points_at_its_place(
    files: dict[str, str], told: list[str], tmp_path: Path
) -> None:
    assert problems(tmp_path, files) == [f"models/a/x.sql:{one}" for one in told]


def test_a_view_that_takes_a_parameter_in_by_an_ephemeral_model(tmp_path: Path) -> None:
    head = "/* lakeport\nmaterialized = 'ephemeral'\n*/\n"
    files = {
        "models/a/x.sql": f"{head}SELECT 1 AS id WHERE :start > DATE '2026-01-01'",
        "models/a/y.sql": f"{head}SELECT id FROM a.x",
        "models/a/seen.sql": "/* lakeport\nmaterialized = 'view'\n*/ SELECT id FROM y",
        "models/a/kept.sql": "SELECT id FROM y",
    }
    assert problems(tmp_path, files) == [
        (
            "models/a/x.sql:4:22: the view `a.seen` takes this query in, and cannot take the parameter"
            ' `:start`\n  a view is read without a run: set materialized = "table" in'
            " models/a/seen.sql, or use var()"
        )
    ]


def test_a_circle_names_every_file_and_line(tmp_path: Path) -> None:
    files = {
        "models/a/x.sql": "SELECT * FROM a.y",
        "models/a/y.sql": "SELECT *\nFROM a.z",
        "models/a/z.py": "SETTINGS = {\n  'depends_on': ['a.x']}\ndef model(context): ...",
        "models/a/aside.sql": "SELECT * FROM a.x",
    }
    assert problems(tmp_path, files) == [
        (
            "models/a/x.sql:1:15: models read each other in a circle:\n"
            "  `a.x` reads `a.y` (models/a/x.sql:1:15)\n"
            "  `a.y` reads `a.z` (models/a/y.sql:2:6)\n"
            "  `a.z` reads `a.x` (models/a/z.py:2)\n"
            "  take one of these reads out, or move what both need into a model of its own"
        )
    ]


def test_two_circles_are_two_problems(tmp_path: Path) -> None:
    files = {
        f"models/{space}/{table}.sql": f"SELECT * FROM {space}.{other}"
        for space in ("a", "b")
        for table, other in (("x", "y"), ("y", "x"))
    }
    found = problems(tmp_path, files)
    assert [one.split(":")[0] for one in found] == ["models/a/x.sql", "models/b/x.sql"]


def test_an_audit_that_reads_another_model_waits_for_it(tmp_path: Path) -> None:
    related = "/* lakeport\naudits = [{relationships = 'id', to = 'a.y', field = 'id'}]\n*/"
    asked = "/* lakeport\naudits = [{sql = 'SELECT * FROM this_rows JOIN a.y USING (id)'}]\n*/"
    for settings in (related, asked):
        files = {"models/a/x.sql": f"{settings} SELECT 1 AS id", "models/a/y.sql": ONE}
        found = graph(tmp_path, files)
        assert [str(name) for name in found.names] == ["a.y", "a.x"]
        assert found.upstream(name_of("a.x")) == (name_of("a.y"),)


def test_a_source_that_is_not_loaded_is_an_issue(tmp_path: Path) -> None:
    declared = {"sources.toml": "[raw.orders.columns]\nid = 'int'"}
    files = {"models/a/x.sql": "SELECT * FROM raw.orders", **declared}
    issue = next(iter(graph(tmp_path, files).issues))
    assert (issue.code, issue.severity, str(issue.place)) == (
        "SOURCE_NOT_LOADED",
        "warning",
        "models/a/x.sql:1:15",
    )
    loaded: dict[str, Any] = {"raw.orders": {"id": "int"}}
    assert not list(graph(tmp_path, files, loaded).issues)


def test_columns_that_are_not_there_are_issues(tmp_path: Path) -> None:
    files = {"models/a/x.sql": "SELECT id,\n  nam FROM raw.orders", **SOURCES}
    found = list(graph(tmp_path, files, {"raw.orders": {"id": "int", "name": "string"}}).issues)
    assert [(one.code, str(one.place)) for one in found] == [
        ("UNKNOWN_COLUMN", "models/a/x.sql:2:3")
    ]

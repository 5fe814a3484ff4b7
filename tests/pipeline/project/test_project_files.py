"""From a folder to models: which files count, what they are called, what each says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from lakeport.core.errors import NotFoundError
from lakeport.pipeline.project import Given, ProjectError, read_project, strategy_of
from tests.pipeline.projects import graph, name_of, problems, project, write

QUERY = "SELECT 1 AS id\n"


def test_paths_name_tables_and_settings_may_name_others(tmp_path: Path) -> None:
    files = {
        "models/staging/deep/er/orders.sql": QUERY,
        "models/marts/value.sql": f'/* lakeport\nname = "sales.eu.value"\n*/\n{QUERY}',
        "models/loose.sql": f'/* lakeport\nname = "marts.loose"\n*/\n{QUERY}',
        "models/marts/scores.py": "def model(context):\n    return context.table('a.b')\n",
        "models/marts/off.sql": "/* lakeport\nenabled = false\n*/ nothing at all",
        "models/marts/notes.md": "no model",
        "models/marts/.hidden.sql": "no model",
        "models/marts/__pycache__/x.py": "no model",
        "models/marts/__init__.py": "no model",
    }
    found = project(tmp_path, files)
    assert found.problems == ()
    assert {str(name): model.path for name, model in found.models.items()} == {
        "staging.orders": "models/staging/deep/er/orders.sql",
        "sales.eu.value": "models/marts/value.sql",
        "marts.loose": "models/loose.sql",
        "marts.scores": "models/marts/scores.py",
    }
    assert found.models[name_of("MARTS.Scores")].language == "python"


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Root may read everything, so it is somebody else meanwhile."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


def test_a_folder_that_cannot_be_read_is_told() -> None:
    """Models that are only seen by some would otherwise be gone without a word."""
    with TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        closed = write(root, {"models/a/b.sql": QUERY, "models/c/d.sql": QUERY}) / "models" / "c"
        closed.chmod(0o311)
        with ordinary_user():
            found = read_project(Given(root, root / "models"))
        assert [str(one) for one in found.problems] == [
            "models/c: the folder cannot be read: Permission denied\n  look at its rights"
        ]


def test_the_body_keeps_its_lines_and_columns(tmp_path: Path) -> None:
    text = "-- a head\n/* lakeport\ntags = ['x']\n*/ SELECT 1 AS id"
    model = project(tmp_path, {"models/a/b.sql": text}).models[name_of("a.b")]
    assert model.body == "-- a head\n           \n            \n   SELECT 1 AS id"
    assert (model.settings_line, model.line_of("tags"), model.settings.tags) == (2, 3, ("x",))


def test_settings_are_typed(tmp_path: Path) -> None:
    text = """/* lakeport
strategy = "time_range"
time_column = "day"
range = [2024-01-01, 2024-02-01]
lookback = "3d"
partitioned_by = "day"
properties = { "commit.retry" = 3, "x.y" = true }
audits = [{ accepted_values = "status", values = ["a", "b"], severity = "warn" }]
*/
SELECT 1 AS id"""
    model = project(tmp_path, {"models/a/b.sql": text}).models[name_of("a.b")]
    settings = model.settings
    assert settings.range == (date(2024, 1, 1), date(2024, 2, 1))
    assert settings.partitioned_by == ("day",)
    assert settings.properties == {"commit.retry": "3", "x.y": "true"}
    audit = settings.audits[0]
    assert (audit.name, audit.line, audit.columns) == ("accepted_values_status", 8, ("status",))
    assert (audit.severity, audit.store_failures) == ("warn", False)
    assert strategy_of(model) == "time_range"


def test_audits_of_one_kind_get_names_of_their_own(tmp_path: Path) -> None:
    text = "/* lakeport\naudits = [{unique = 'id'}, {unique = ['id']}]\n*/ SELECT 1 AS id"
    model = project(tmp_path, {"models/a/b.sql": text}).models[name_of("a.b")]
    assert [audit.name for audit in model.settings.audits] == ["unique_id", "unique_id_2"]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (
            {"models/orders.sql": QUERY},
            (
                "models/orders.sql: it is in no namespace's folder\n"
                '  move it to models/NAMESPACE/orders.sql, or set name = "namespace.table"'
            ),
        ),
        (
            {"models/a/orders.v2.sql": QUERY},
            (
                "models/a/orders.v2.sql: a table cannot be called `orders.v2`: a dot separates namespace "
                'and table\n  rename the file, or set name = "namespace.table"'
            ),
        ),
        (
            {"models/a/b.sql": QUERY, "models/a/x/B.sql": QUERY},
            (
                "models/a/x/B.sql: `a.B` is built by models/a/b.sql, too\n"
                "  rename one of the files, or give one of them another name"
            ),
        ),
        (
            {
                "models/a/b.sql": QUERY,
                "models/a/c.py": "SETTINGS = {'name': 'a.b'}\ndef model(c): ...",
            },
            (
                "models/a/c.py:1: `a.b` is built by models/a/b.sql, too\n"
                "  rename one of the files, or give one of them another name"
            ),
        ),
        (
            {"models/a/b.sql": "/* lakeport\n*/\n -- only words\n;"},
            (
                "models/a/b.sql:1: there is no query\n"
                "  write the SELECT that builds the table, or remove the file"
            ),
        ),
        (
            {"models/a/b.sql": QUERY, "sources.toml": "[a.B]\n"},
            (
                "sources.toml:1: `a.B` is declared as a source, and models/a/b.sql builds it\n"
                "  a source is filled by others: rename the model, or do not declare the table"
            ),
        ),
        (
            {"models/README.md": "nothing yet"},
            (
                "models: there is no model\n  write a query to models/NAMESPACE/NAME.sql: it builds the "
                "table NAMESPACE.NAME"
            ),
        ),
    ],
)
def test_files_that_are_no_models_as_they_are(
    files: dict[str, str], told: str, tmp_path: Path
) -> None:
    assert problems(tmp_path, files) == [told]


def test_a_file_must_be_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "models/a/b.sql"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"SELECT 1 AS id,\n'caf\xe9' AS place")
    assert problems(tmp_path, {}) == [
        "models/a/b.sql:2: it is not UTF-8 text (byte 20)\n  save it as UTF-8"
    ]


def test_a_project_without_its_folder_of_models(tmp_path: Path) -> None:
    assert problems(tmp_path, {}) == [
        (
            "lakeport.toml: there is no folder of models\n"
            "  make models/NAMESPACE/NAME.sql, or set pipeline.models to the folder"
        )
    ]


def test_all_problems_come_at_once_in_the_order_of_files(tmp_path: Path) -> None:
    files = {
        "models/z/last.sql": "SELEC 1",
        "models/a/first.sql": "/* lakeport\nx = 1\ny = 2\n*/ SELECT * FROM nowhere.t",
        "models/b/c.py": "def run(context): ...",
    }
    with pytest.raises(ProjectError) as caught:
        graph(tmp_path, files)
    places = [str(problem.place) for problem in caught.value.problems]
    assert places == [
        "models/a/first.sql:2",
        "models/a/first.sql:3",
        "models/a/first.sql:4:18",
        "models/b/c.py:1",
        "models/z/last.sql:1:7",
    ]
    assert caught.value.message.startswith("there are 5 problems in this project\n\nmodels/a/first")
    shown = caught.value.as_dict()
    assert shown["code"] == "project"
    assert isinstance(shown["problems"], list)
    assert shown["problems"][2]["code"] == "unknown-table"


def test_fingerprints_follow_text_settings_and_vars(tmp_path: Path) -> None:
    def fingerprint(text: str, **given: Any) -> str:
        files = {"models/a/b.sql": text}
        return project(tmp_path, files, **given).models[name_of("a.b")].fingerprint

    plain = fingerprint(QUERY)
    assert fingerprint(QUERY) == plain
    assert fingerprint(QUERY.replace("\n", "\r\n")) == plain
    assert fingerprint(QUERY.replace("1", "2")) != plain
    assert fingerprint(QUERY, defaults={"tags": ["x"]}) != plain
    assert fingerprint(QUERY, vars={"x": 1}) == plain
    template = "SELECT {{ var('x', 1) }} AS id"
    assert fingerprint(template, vars={"x": 1}) != fingerprint(template, vars={"x": 2})


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        (
            {"a-b": 1},
            (
                "a parameter cannot be called `a-b`\n"
                "  use letters without accents, digits and _; SQL names it as :name"
            ),
        ),
        ({"start": 1}, "every run gives `:start` itself\n  give it another name"),
        (
            {"x": [1]},
            (
                "the parameter `x` is no plain value\n"
                "  write a text, a number, true or false, a date or a point in time"
            ),
        ),
    ],
)
def test_parameters_are_plain_values_with_names(
    parameters: dict[str, object], told: str, tmp_path: Path
) -> None:
    files = {"models/a/b.sql": QUERY}
    assert problems(tmp_path, files, parameters=parameters) == [f"lakeport.toml: {told}"]


def test_an_unknown_environment_names_the_nearest(tmp_path: Path) -> None:
    files = {"models/a/b.sql": QUERY}
    with pytest.raises(NotFoundError, match="did you mean `dev`"):
        project(tmp_path, files, "deb", environments={"dev": {"prefix": "dev_"}})
    with pytest.raises(NotFoundError, match="no environment `dev`"):
        project(tmp_path, files, "dev")

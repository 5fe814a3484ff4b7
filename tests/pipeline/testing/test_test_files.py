"""Files of tests: what is in them, and everything that is wrong with them by file and line."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from lakeport.pipeline.growth.model import LONG
from lakeport.pipeline.project import Given, Project, read_project
from lakeport.pipeline.testing import UnitTest, read_tests

TEST = """
[[test]]
name = "a"
model = "shop.totals"
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    model = tmp_path / "models" / "shop" / "totals.sql"
    model.parent.mkdir(parents=True)
    model.write_text("SELECT id, count(*) AS n FROM raw.orders GROUP BY id")
    return read_project(Given(root=tmp_path, models=tmp_path / "models", parameters={"least": 1}))


def write(project: Project, text: str, name: str = "one.toml") -> None:
    file = project.root / "tests" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def only(project: Project) -> UnitTest:
    read = read_tests(project)
    assert not read.problems
    (found,) = read.found
    return found


def problems(project: Project, text: str) -> list[str]:
    write(project, text)
    return [str(problem) for problem in read_tests(project).problems]


def test_a_project_without_tests_has_none(project: Project) -> None:
    assert read_tests(project).found == []


def test_everything_that_a_test_can_say(project: Project) -> None:
    write(
        project,
        """
# a comment first
[[test]]
name = "all of it"
model = "SHOP.Totals"
given."raw.orders" = [{ id = 1 }, { id = 2, at = 2026-03-01T12:00:00 }]
columns."raw.orders" = { id = "bigint" }
parameters = { least = 5, start = 2026-01-01 }
vars.region = "eu"
ordered = true
is_incremental = true
missing = "empty"
expect = [
  { id = 1, n = 1 },
]
""",
    )
    test = only(project)
    assert (test.name, str(test.model)) == ("all of it", "shop.totals")
    assert str(test.place) == "tests/one.toml:3"
    assert str(test.expect_place) == "tests/one.toml:13"
    rows = test.given["raw.orders"]
    assert str(rows.place) == "tests/one.toml:6"
    assert rows.rows == ({"id": 1}, {"id": 2, "at": datetime(2026, 3, 1, 12)})  # noqa: DTZ001
    assert test.columns == {"raw.orders": {"id": LONG}}
    assert test.parameters["least"] == 5
    assert test.vars == {"region": "eu"}
    assert (test.ordered, test.is_incremental, test.empty) == (True, True, True)
    assert test.expect == ({"id": 1, "n": 1},)


def test_rows_are_csv_in_the_file_or_beside_it(project: Project) -> None:
    write(project, 'id,note\n1,\n2,"a, b"\n', "rows.csv")
    write(
        project,
        f'{TEST}given."raw.orders" = "rows.csv"\nexpect = """\nid, n\n1,  2\n"""\n',
    )
    test = only(project)
    assert test.given["raw.orders"].rows == ({"id": "1"}, {"id": "2", "note": "a, b"})
    assert test.expect == ({"id": "1", "n": "2"},)


def test_each_of_several_tests_knows_its_lines(project: Project) -> None:
    second = TEST.replace('"a"', '"b"')
    write(project, f'{TEST}expect = []\n{second}given."raw.orders" = []\nexpect = []\n')
    read = read_tests(project)
    assert [str(test.place) for test in read.found] == ["tests/one.toml:2", "tests/one.toml:7"]
    assert str(read.found[1].given["raw.orders"].place) == "tests/one.toml:10"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[test]\n", "tests/one.toml:1:7: "),
        (
            "[[tests]]\nname = 'a'\n",
            "tests/one.toml:1: there is no `tests` in a file of tests\n  did you mean [[test]]?",
        ),
        ("test = 1\n", "tests/one.toml:1: `test` is no list of tables"),
        (
            f"{TEST}expext = []\nexpect = []\n",
            "tests/one.toml:5: a test has no `expext`\n  did you mean `expect`?",
        ),
        (TEST, "tests/one.toml:2: a test needs `expect` or `expect_error`, and not both"),
        (
            f'{TEST}expect = []\nexpect_error = "x"\n',
            "tests/one.toml:2: a test needs `expect` or `expect_error`",
        ),
        ('[[test]]\nname = "a"\nexpect = []\n', "tests/one.toml:1: a test has no `model`"),
        (
            '[[test]]\nname = ""\nmodel = "shop.totals"\nexpect = []\n',
            "tests/one.toml:2: a test has a wrong `name`",
        ),
        (
            '[[test]]\nname = "a"\nmodel = "shop.total"\nexpect = []\n',
            "tests/one.toml:3: there is no model `shop.total`\n  did you mean `shop.totals`?",
        ),
        (
            f'{TEST}given."raw.orders" = 5\nexpect = []\n',
            "tests/one.toml:5: the rows of `raw.orders` are no list of tables",
        ),
        (
            f'{TEST}given."raw.orders" = [1]\nexpect = []\n',
            "tests/one.toml:5: the rows of `raw.orders` are no list of tables",
        ),
        (
            f'{TEST}given."raw.orders" = "no.csv"\nexpect = []\n',
            "tests/one.toml:5: `no.csv` cannot be read",
        ),
        (
            f'{TEST}given."raw.orders" = "a,b\\n1\\n"\nexpect = []\n',
            "tests/one.toml:5: this is no CSV: line 2 has 1 cells instead of 2",
        ),
        (f"{TEST}given = 1\nexpect = []\n", "tests/one.toml:5: `given` is no table"),
        (f"{TEST}expect = 1\n", "tests/one.toml:5: the rows of `expect` are no list of tables"),
        (f"{TEST}expect = []\nordered = 1\n", "tests/one.toml:6: `ordered` is true or false"),
        (
            f'{TEST}expect = []\nmissing = "null"\n',
            'tests/one.toml:6: `missing` is "error" or "empty"',
        ),
        (
            f"{TEST}expect = []\nparameters.leest = 1\n",
            "tests/one.toml:6: there is no parameter `leest`\n  did you mean `least`?",
        ),
        (
            f"{TEST}expect = []\nparameters.least = [1]\n",
            "tests/one.toml:6: the parameter `least` is no plain value",
        ),
        (
            f'{TEST}expect = []\ncolumns."raw.orders".id = "biggint"\n',
            "tests/one.toml:6: `id`: there is no type biggint",
        ),
        (
            f'{TEST}expect = []\ncolumns."raw.orders" = 1\n',
            "tests/one.toml:6: columns of `raw.orders` are no table",
        ),
        (
            f"{TEST}expect = []\n{TEST}expect = []\n",
            "tests/one.toml:7: two tests are called `a`\n  the other is on line 2",
        ),
    ],
)
def test_mistakes_are_told_with_their_line(project: Project, text: str, told: str) -> None:
    (problem,) = problems(project, text)
    assert problem.startswith(told)


def test_a_file_that_is_no_text_is_told(project: Project) -> None:
    file = project.root / "tests" / "one.toml"
    file.parent.mkdir()
    file.write_bytes(b"\xff\xfe")
    (problem,) = read_tests(project).problems
    assert str(problem).startswith("tests/one.toml:1: this is no UTF-8 text")


def test_all_mistakes_of_all_files_are_found_at_once(project: Project) -> None:
    write(project, "[[test]\n", "sub/two.toml")
    assert len(problems(project, f"{TEST}ordered = 1\nvars = 2\n")) == 4

"""`lakeport functions` and what `doctor` says of a project's functions."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run

GOOD = """from lakeport.functions import scalar_function

@scalar_function
def double(x: int) -> int:
    return 2 * x
"""


def project(**files: str) -> None:
    Path("functions").mkdir()
    Path("lakeport.toml").write_text('[functions]\nisolation = "none"\n')
    for name, text in files.items():
        Path("functions", f"{name}.py").write_text(text)


def test_functions_are_listed(lakeport: Run) -> None:
    project(calc=GOOD)
    shown = lakeport("functions")
    assert (shown.code, shown.err) == (0, "")
    assert [line.split() for line in shown.out.splitlines()] == [
        ["function", "returns", "kind", "where"],
        ["calc.double(x", "int64)", "int64", "scalar", "functions/calc.py:4"],
    ]
    (told,) = json.loads(lakeport("functions", "--json").out)["functions"]
    assert told["parameters"] == [{"name": "x", "type": "int64", "named": False}]
    assert told["stability"] == "consistent"
    checks = json.loads(lakeport("doctor", "--json").out)["checks"]
    (check,) = [each for each in checks if each["name"] == "functions"]
    assert (check["state"], check["found"]) == ("ok", "1 function in functions/")


def test_a_broken_module_is_told_with_its_line_and_the_answer_is_no(lakeport: Run) -> None:
    project(calc=GOOD, broken="def f(:")
    shown = lakeport("functions")
    assert shown.code == 1
    assert "problem: functions/broken.py:1: this is no Python: invalid syntax" in shown.out
    assert "calc.double" in shown.out
    (problem,) = json.loads(lakeport("functions", "--json").out)["problems"]
    assert (problem["path"], problem["line"]) == ("functions/broken.py", 1)
    checks = json.loads(lakeport("doctor", "--json").out)["checks"]
    (check,) = [each for each in checks if each["name"] == "functions"]
    assert (check["state"], check["remedy"]) == ("fail", "correct it")


def test_a_project_without_functions_has_none(lakeport: Run) -> None:
    Path("lakeport.toml").touch()
    shown = lakeport("functions")
    assert shown.code == 0
    assert shown.out.startswith("there are no functions in ")


def test_an_unknown_setting_of_functions_is_wrong_use(lakeport: Run) -> None:
    Path("lakeport.toml").write_text("[functions]\nworker = 2\n")
    shown = lakeport("functions")
    assert shown.code == 2
    assert "did you mean `functions.workers`" in shown.err

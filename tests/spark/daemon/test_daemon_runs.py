"""Projects that run on a daemon, one run after the other."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys

import pytest

import lakeport
from lakeport.app.doctor.spark import checks
from lakeport.app.project.daemon import place_of, start_daemon
from lakeport.app.project.request import RunRequest
from lakeport.app.project.run import run_project
from lakeport.app.project.test import TestRequest, run_tests
from lakeport.app.settings import Settings, load
from lakeport.pipeline.session.daemon.locks import is_shared
from lakeport.pipeline.writing import Progress
from tests.pipeline.projects import write

FILES = {
    "models/runs/a.sql": "/* lakeport\nunique_key = ['id']\n*/\nSELECT id, id * :by AS v FROM range(3)",
    "models/runs/b.sql": "/* lakeport\nmaterialized = 'table'\n*/\nSELECT sum(v) AS v FROM runs.a",
    "tests/runs.toml": '[[test]]\nname = "sums"\nmodel = "runs.b"\n'
    'given."runs.a" = [{ v = 1 }, { v = 2 }]\nexpect = [{ v = 3 }]\n',
}

LOUD = """
import beside_models
from pyspark.sql.functions import udf

def model(context):
    return context.sql("SELECT 'a' AS x").select(udf(lambda x: beside_models.loud(x))("x").alias("x"))
"""


@pytest.fixture
def project(warm: Settings) -> Settings:
    write(warm.root, FILES)
    return load(project=warm.root, flags={"pipeline.parameters.by": 1})


def test_runs_and_tests_leave_nothing_behind_in_it(project: Settings) -> None:
    users = place_of(project).users
    for by in (1, 2):
        used: list[bool] = []

        def observe(_seen: Progress, used: list[bool] = used) -> None:
            used.append(is_shared(users))

        settings = load(project=project.root, flags={"pipeline.parameters.by": by})
        assert run_project(settings, RunRequest(), observe=observe).status == "succeeded"
        assert set(used) == {True}
        assert not is_shared(users)
    assert run_tests(project, TestRequest()).passed == 1
    assert not is_shared(users)
    with lakeport.open(project.root) as lake, lake.table("runs.b").scan() as rows:
        assert rows.read_all().to_pylist() == [{"v": 6}]


def test_modules_beside_the_models_reach_workers_that_stay(
    project: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    folder = project.root / "models" / "shouts"
    write(project.root, {"models/shouts/loud.py": LOUD})
    try:
        for end in ("!", "?"):
            # A worker that went by the module's name would know the first text of it.
            write(
                project.root,
                {"beside_models.py": f"def loud(x):\n    return x.upper() + '{end}'\n"},
            )
            importlib.invalidate_caches()
            result = run_project(project, RunRequest(select=("shouts.loud",)))
            assert result.status == "succeeded", [model.error for model in result.models]
            del sys.modules["beside_models"]  # as in a new process
            with lakeport.open(project.root) as lake, lake.table("shouts.loud").scan() as rows:
                assert rows.read_all().to_pylist() == [{"x": f"A{end}"}]
    finally:
        shutil.rmtree(folder)


def test_doctor_tells_of_it(warm: Settings) -> None:
    found = start_daemon(warm)
    (told,) = [check for check in checks(warm) if check.name == "spark daemon"]
    assert (told.state, told.remedy) == ("ok", None)
    assert str(found.address) in told.found
    other = load(project=warm.root, flags={"pipeline.spark.master": "local[1]"})
    (told,) = [check for check in checks(other) if check.name == "spark daemon"]
    assert told.state == "warn"
    assert "`lakeport daemon start` replaces it" in (told.remedy or "")


def test_a_command_is_done_by_the_process_that_stands_by(project: Settings) -> None:
    front = (
        "import sys; from lakeport.cli.standby.front import handed_over\n"
        "code = handed_over(sys.argv[1:])\n"
        "sys.exit(99 if code is None else code)"
    )
    line = [sys.executable, "-c", front, "run", "--set", "pipeline.parameters.by=5", "--json"]
    done = subprocess.run(line, cwd=project.root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert {model["status"] for model in json.loads(done.stdout)["models"]} == {"succeeded"}
    with lakeport.open(project.root) as lake, lake.table("runs.b").scan() as rows:
        assert rows.read_all().to_pylist() == [{"v": 15}]

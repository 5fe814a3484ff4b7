"""Projects that run on a daemon, one run after the other."""

from __future__ import annotations

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


def test_doctor_tells_of_it(warm: Settings) -> None:
    found = start_daemon(warm)
    (told,) = [check for check in checks(warm) if check.name == "spark daemon"]
    assert (told.state, told.remedy) == ("ok", None)
    assert str(found.address) in told.found
    other = load(project=warm.root, flags={"pipeline.spark.master": "local[1]"})
    (told,) = [check for check in checks(other) if check.name == "spark daemon"]
    assert told.state == "warn"
    assert "`lakeport daemon start` replaces it" in (told.remedy or "")

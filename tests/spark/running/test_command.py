"""`lakeport run` as a person runs it: a process of its own with a JVM of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lakeport.pipeline.session import Spark
from tests.spark.running.folder import Folder

PROGRAM = str(Path(sys.executable).with_name("lakeport"))


def lakeport(folder: Folder, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, check=False, cwd=folder.root
    )


@pytest.mark.timeout(300)
def test_a_run_on_the_command_line(folder: Folder, jvm: Spark) -> None:
    del jvm  # so that there is one on this machine
    folder.toml("[pipeline]\narchive = false\n[pipeline.spark]\nmaster = 'local[2]'\n")
    folder.load("raw.n", [{"n": 1}, {"n": 2}])
    folder.model("t.good", "SELECT n FROM raw.n", unique_key=["n"])
    folder.model("t.bad", "SELECT n / 0 AS n FROM t.good")
    folder.model("t.below", "SELECT * FROM t.bad")
    done = lakeport(folder, "run", "--jobs", "1")
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines[:4]] == [
        ["model", "result"],
        ["t.good", "created"],
        ["t.bad", "failed"],
        ["t.below", "blocked"],
    ]
    assert "error: t.bad: models/t/bad.sql" in done.stdout
    assert "3 models: 1 done, 1 failed, 1 blocked; 2 rows in " in done.stdout
    assert done.stderr.splitlines()[0].startswith("1/3 t.good succeeded, 2 rows in ")
    folder.model("t.bad", "SELECT n + 1 AS n FROM t.good")
    again = lakeport(folder, "run", "--retry", "--json")
    assert again.returncode == 0, again.stderr
    told = json.loads(again.stdout)
    assert {model["model"]: model["status"] for model in told["models"]} == {
        "t.good": "recovered",
        "t.bad": "succeeded",
        "t.below": "succeeded",
    }
    assert folder.rows("t.below") == [(2,), (3,)]
    # What ran is known to whoever asks: runs, columns and where they come from.
    status = json.loads(lakeport(folder, "status", "--json").stdout)
    assert told["run_id"] in json.dumps(status)

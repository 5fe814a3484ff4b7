"""`lakeport run` as a person runs it, in a process of its own, where a daemon is."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import lakeport
from lakeport.app.settings import Settings
from tests.pipeline.projects import write

PROGRAM = (sys.executable, "-m", "lakeport")  # a daemon is for those with the same Python
FILES = {
    "models/t/good.sql": "/* lakeport\nunique_key = ['n']\n*/\nSELECT n FROM raw.n",
    "models/t/bad.sql": "SELECT n / 0 AS n FROM t.good",
    "models/t/below.sql": "SELECT * FROM t.bad",
}


@pytest.fixture
def root(warm: Settings) -> Iterator[Path]:
    """A folder where these are the only models, since others have theirs in it too."""
    shutil.rmtree(warm.root / "models", ignore_errors=True)
    with lakeport.open(warm.root) as lake:
        rows = pa.table({"n": [1, 2]})
        lake.create_table("raw.n", rows.schema).append(rows)
    yield write(warm.root, FILES)
    shutil.rmtree(warm.root / "models")


def command(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, text=True, check=False, cwd=root
    )


def test_a_run_on_the_command_line(root: Path) -> None:
    done = command(root, "run", "--jobs", "1")
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
    write(root, {"models/t/bad.sql": "SELECT n + 1 AS n FROM t.good"})
    again = command(root, "run", "--retry", "--json")
    assert again.returncode == 0, again.stderr
    told = json.loads(again.stdout)
    assert {model["model"]: model["status"] for model in told["models"]} == {
        "t.good": "recovered",
        "t.bad": "succeeded",
        "t.below": "succeeded",
    }
    with lakeport.open(root) as lake, lake.table("t.below").scan() as rows:
        assert sorted(row["n"] for row in rows.read_all().to_pylist()) == [2, 3]
    # What ran is known to whoever asks: runs, columns and where they come from.
    status = json.loads(command(root, "status", "--json").stdout)
    assert told["run_id"] in json.dumps(status)

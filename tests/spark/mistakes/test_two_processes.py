"""Runs as processes of their own: two at once on the same models, and one after another that was killed.

A model in Python stops at a pipe, so that a test knows where its process is without waiting for a time. The
same within one process, and so without Sparks of their own, is in `tests/spark/running/test_together.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lakeport.app import wiring
from lakeport.pipeline.session import Spark
from tests.spark.running.folder import Folder

PROGRAM = str(Path(sys.executable).with_name("lakeport"))
STOPS = """\
from pathlib import Path

ROOT = Path(__file__).parents[2]


def model(context):
    if not (ROOT / "go").exists():
        (ROOT / "arrived").write_text(context.run_id)
        (ROOT / "gate").read_text()
    return context.table("t.first")
"""


@pytest.fixture
def shop(folder: Folder, jvm: Spark) -> Folder:
    del jvm  # so that there is one on this machine
    folder.toml("[pipeline]\narchive = false\n[pipeline.spark]\nmaster = 'local[2]'\n")
    folder.model("t.first", "SELECT 1 AS id, :run_id AS run", strategy="append")
    folder.python("t.stops", STOPS, depends_on=["t.first"], strategy="append")
    os.mkfifo(folder.root / "arrived")
    os.mkfifo(folder.root / "gate")
    return folder


def begun(folder: Folder, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [PROGRAM, "run", *arguments],
        cwd=folder.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.long
@pytest.mark.timeout(400)
def test_the_lease_of_a_killed_process_holds_up_nobody(shop: Folder) -> None:
    with begun(shop) as process:
        run_id = (shop.root / "arrived").read_text()
        with wiring.open_state(shop.settings()) as store:
            assert [str(lease.table) for lease in store.leases.held()] == ["t.stops"]
        process.kill()
    (shop.root / "go").touch()
    with begun(shop, "--json") as again:
        out, err = again.communicate()
    assert again.returncode == 0, err
    told = json.loads(out)
    assert told["run_id"] == run_id
    assert {model["model"]: model["status"] for model in told["models"]} == {
        "t.first": "recovered",
        "t.stops": "succeeded",
    }
    assert shop.rows("t.stops") == [(1, run_id)]
    assert shop.runs("t.first") == [run_id]
    with wiring.open_state(shop.settings()) as store:
        assert store.leases.held() == []


@pytest.mark.long
@pytest.mark.timeout(400)
def test_two_processes_on_the_same_models_wait_for_each_other(shop: Folder) -> None:
    with begun(shop) as first:
        one = (shop.root / "arrived").read_text()
        (shop.root / "go").touch()
        with begun(shop) as second:
            assert second.stderr is not None
            said = next(line for line in second.stderr if "t.stops" in line)
            assert one in said, said  # it waits, and says for whom
            (shop.root / "gate").write_text("on")
            _, err = first.communicate()
            assert first.returncode == 0, err
            _, err = second.communicate()
            assert second.returncode == 0, err
    runs = shop.runs("t.stops")
    assert runs[0] == one
    assert len(set(runs)) == 2
    assert runs == shop.runs("t.first")
    # Both read both rows: the first was let go when the second had written its own.
    assert len(shop.rows("t.first")) == 2
    assert len(shop.rows("t.stops")) == 4
    with wiring.open_state(shop.settings()) as store:
        assert store.leases.held() == []

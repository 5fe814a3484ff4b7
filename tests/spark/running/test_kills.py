"""SIGKILL for the JVM or for Python at the points of a run: the next run leaves the lake of one that was not.

What is compared is everything a reader sees: rows, columns, and that no table has rows of a run twice.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from lakeport.app import wiring
from lakeport.pipeline.session import Spark
from tests.spark.kills.dying import ROOT, await_end
from tests.spark.running.folder import Folder, statuses

_PATIENCE = 250.0
AT_ONCE = 2
TABLES = ("t.kept", "t.below", "t.beside")
Publish = Literal["direct", "branch", "run-atomic"]


@dataclass(frozen=True)
class Death:
    moment: str
    who: Literal["jvm", "python"]
    publish: Publish = "direct"

    @property
    def name(self) -> str:
        return f"{self.moment}_{self.who}_{self.publish}".replace("-", "_")


def project(root: Path, jvm: Spark) -> Folder:
    """Built once, and then changed: a column leaves, one arrives, rows are new."""
    root.mkdir()
    folder = Folder(root, jvm)
    folder.toml("")
    folder.load("raw.n", [{"k": 1}, {"k": 2}])
    folder.model("t.kept", "SELECT k, 'old' AS gone FROM raw.n", unique_key=["k"])
    folder.model("t.below", "SELECT count(*) AS n FROM t.kept", strategy="full")
    folder.model("t.beside", "SELECT k FROM raw.n", unique_key=["k"])
    assert folder.run().status == "succeeded"
    folder.load("raw.n", [{"k": 3}])
    folder.model(
        "t.kept",
        "SELECT k, k * 10 AS came FROM raw.n WHERE k > 1",
        unique_key=["k"],
        audits=[{"not_null": "k"}],
    )
    return folder


def seen(folder: Folder) -> dict[str, tuple[list[str], list[Any]]]:
    return {name: (folder.columns(name), folder.rows(name)) for name in TABLES}


def die(folders: dict[Death, Folder]) -> dict[Death, dict[str, Any]]:
    """What each of them told before it ended."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = pool.map(lambda item: _die(*item), folders.items())
        return dict(zip(folders, told, strict=True))


def _die(death: Death, folder: Folder) -> dict[str, Any]:
    line = (sys.executable, "-m", "tests.spark.running.victim", str(folder.root))
    done = subprocess.run(
        [*line, death.moment, death.who, death.publish],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    facts: dict[str, Any] = {}
    for line_ in done.stdout.splitlines():
        facts |= json.loads(line_)
    expected = -signal.SIGKILL if death.who == "python" else 0
    assert done.returncode == expected, (death, facts, done.stderr[-4000:])
    await_end(facts["jvm"])
    return facts


def recovered(death: Death, folder: Folder, facts: dict[str, Any], whole: dict[str, Any]) -> None:
    result = folder.run(publish=death.publish)
    assert result.status == "succeeded", (death, [model.error for model in result.models])
    assert seen(folder) == whole, death
    if death.who == "python":
        assert result.resumed, death
    elif death.moment == "grown":
        # Whoever only lost the JVM goes on with a new one, for all but the models below.
        assert facts["models"] == {
            "t.kept": "failed",
            "t.below": "blocked",
            "t.beside": "succeeded",
        }
    elif death.moment == "written":
        assert facts["status"] == "succeeded"  # it asked the table, and has nothing to be sorry for
    for name in TABLES:
        assert folder.refs(name) == {"main"}, (death, name)
        runs = folder.runs(name)
        assert len(runs) == len(set(runs)), (death, name)
    if death.moment == "written" and death.publish == "direct" and death.who == "python":
        assert statuses(result)["t.kept"] == "recovered"
    if death.moment == "done" and death.publish != "direct" and death.who == "python":
        assert statuses(result)["t.kept"] == "recovered"  # from its branch
    with wiring.open_state(folder.settings()) as store:
        assert store.leases.held() == []
        assert store.runs.interrupted("lake") == []


def survived(tmp_path: Path, jvm: Spark, deaths: Sequence[Death]) -> None:
    uninterrupted = project(tmp_path / "whole", jvm)
    assert uninterrupted.run().status == "succeeded"
    whole = seen(uninterrupted)
    assert whole["t.kept"] == (
        ["k", "gone", "came"],
        [(1, "old", None), (2, None, 20), (3, None, 30)],
    )
    folders = {death: project(tmp_path / death.name, jvm) for death in deaths}
    told = die(folders)
    for death, folder in folders.items():
        recovered(death, folder, told[death], whole)


@pytest.mark.timeout(400)
def test_killed_with_columns_added_and_with_the_commit_made(tmp_path: Path, jvm: Spark) -> None:
    survived(
        tmp_path,
        jvm,
        [
            Death("grown", "python"),
            Death("grown", "jvm"),
            Death("written", "python"),
            Death("written", "jvm"),
        ],
    )


@pytest.mark.long
@pytest.mark.timeout(900)
def test_killed_at_every_other_point(tmp_path: Path, jvm: Spark) -> None:
    both: tuple[Literal["jvm", "python"], ...] = ("python", "jvm")
    direct = [Death(at, who) for at in ("leased", "staged", "uncommitted") for who in both]
    # `done` on a branch: it is written, and not published.
    modes: tuple[Publish, ...] = ("branch", "run-atomic")
    aside = [Death("done", who, how) for how in modes for who in both]
    late = [Death("published", "python", "branch"), Death("audited", "python", "run-atomic")]
    survived(tmp_path, jvm, [*direct, *aside, *late])

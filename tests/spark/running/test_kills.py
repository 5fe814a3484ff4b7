"""SIGKILL for the JVM or for Python at the points of a run: the next run leaves the lake of one that was not.

What is compared is everything a reader sees: rows, columns, and that no table has rows of a run twice. All
die in one project, whose files are put back in their place each time: tables know them by whole paths.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from lakeport.app import wiring
from lakeport.pipeline.session import Spark
from tests.spark.kills.dying import die_as
from tests.spark.running.folder import Folder, statuses

TABLES = ("t.kept", "t.below", "t.beside")

Publish = Literal["direct", "branch", "run-atomic"]


@dataclass(frozen=True)
class Death:
    moment: str
    who: Literal["jvm", "python"]
    publish: Publish = "direct"

    def __str__(self) -> str:
        return f"{self.moment}-{self.who}-{self.publish}"


@dataclass(frozen=True)
class Doomed:
    """A project that is about to run, a copy of its files, and what a run that is left alone makes of it."""

    folder: Folder
    kept: Path
    whole: dict[str, tuple[list[str], list[Any]]]

    def again(self) -> Folder:
        shutil.rmtree(self.folder.root)
        shutil.copytree(self.kept, self.folder.root)
        return self.folder


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


def die(death: Death, folder: Folder) -> dict[str, Any]:
    """What it told before it ended."""
    words = (str(folder.root), death.moment, death.who, death.publish)
    return die_as("tests.spark.running.victim", *words, who=death.who)


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


@pytest.fixture(scope="session")
def doomed(jvm: Spark, tmp_path_factory: pytest.TempPathFactory) -> Doomed:
    folder = project(tmp_path_factory.mktemp("kills") / "shop", jvm)
    kept = Path(shutil.copytree(folder.root, folder.root.with_name("kept")))
    assert folder.run().status == "succeeded"
    whole = seen(folder)
    assert whole["t.kept"] == (
        ["k", "gone", "came"],
        [(1, "old", None), (2, None, 20), (3, None, 30)],
    )
    return Doomed(folder, kept, whole)


def survived(doomed: Doomed, death: Death) -> None:
    folder = doomed.again()
    recovered(death, folder, die(death, folder), doomed.whole)


BOTH: tuple[Literal["jvm", "python"], ...] = ("jvm", "python")


@pytest.mark.timeout(400)
@pytest.mark.parametrize("death", [Death("grown", "jvm"), Death("written", "python")], ids=str)
def test_killed_with_columns_added_and_with_the_commit_made(doomed: Doomed, death: Death) -> None:
    """Each point once and each process once; who else may die there is with the others below."""
    survived(doomed, death)


# `done` on a branch: it is written, and not published.
OTHERS = [
    Death("grown", "python"),
    Death("written", "jvm"),
    *(Death(moment, who) for moment in ("leased", "staged", "uncommitted") for who in BOTH),
    *(Death("done", who, "branch") for who in BOTH),
    Death("published", "python", "branch"),
    Death("audited", "python", "run-atomic"),
]


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize("death", OTHERS, ids=str)
def test_killed_at_every_other_point(doomed: Doomed, death: Death) -> None:
    survived(doomed, death)

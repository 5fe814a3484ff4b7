"""Selectors on the command line, against what a real run has left: the models that people mean who know dbt."""

from __future__ import annotations

import json

import pytest

from lakeport.cli.main import run
from tests.spark.running.folder import Folder, statuses

ALL = {
    "staging.a",
    "staging.b",
    "staging.eph",
    "mid.c",
    "marts.d",
    "marts.e",
    "marts.f",
    "marts.g",
}


@pytest.fixture
def shop(folder: Folder) -> Folder:
    """a and b feed c, which feeds d and e; b feeds f; b feeds g through an ephemeral model."""
    folder.toml('[pipeline.environments.dev]\nprefix = "dev_"\n[pipeline.vars]\nn = 1\n')
    folder.model("staging.a", "SELECT 1 AS id", tags=["nightly"])
    folder.model("staging.b", "SELECT {{ var('n') }} AS id")
    folder.model("staging.eph", "SELECT id FROM staging.b", materialized="ephemeral")
    folder.model("mid.c", "SELECT a.id FROM staging.a JOIN staging.b USING (id)")
    folder.model("marts.d", "SELECT id FROM mid.c", tags=["nightly"])
    folder.model("marts.e", "SELECT id FROM mid.c", materialized="view")
    folder.model("marts.f", "SELECT id FROM staging.b")
    folder.model("marts.g", "SELECT id FROM staging.eph")
    return folder


def chosen(folder: Folder, capsys: pytest.CaptureFixture[str], *arguments: str) -> set[str]:
    capsys.readouterr()
    line = ["plan", "--no-spark", "--json", "--project", str(folder.root), *arguments]
    assert run(line) in {0, 1}  # 1: what is upstream was not built yet
    return {model["model"] for model in json.loads(capsys.readouterr().out)["models"]}


@pytest.mark.parametrize(
    ("words", "models"),
    [
        ("-s staging.a", "staging.a"),
        ("-s a", "staging.a"),
        ("-s STAGING.A", "staging.a"),
        ("-s marts.*", "marts.d marts.e marts.f marts.g"),
        ("-s +mid.c", "mid.c staging.a staging.b"),
        ("-s mid.c+", "mid.c marts.d marts.e"),
        ("-s +mid.c+", "mid.c staging.a staging.b marts.d marts.e"),
        ("-s 1+marts.d", "marts.d mid.c"),
        ("-s 2+marts.d", "marts.d mid.c staging.a staging.b"),
        ("-s staging.a+1", "staging.a mid.c"),
        ("-s 1+mid.c+1", "mid.c staging.a staging.b marts.d marts.e"),
        ("-s @staging.a", "staging.a mid.c marts.d marts.e staging.b"),
        ("-s tag:nightly", "staging.a marts.d"),
        ("-s tag:nightly+", "staging.a mid.c marts.d marts.e"),
        ("-s path:models/staging", "staging.a staging.b staging.eph"),
        ("-s models/marts/f.sql", "marts.f"),
        ("-s tag:nightly,path:models/marts", "marts.d"),
        ("-s +marts.d,+marts.f", "staging.b"),
        ("-s a -s f", "staging.a marts.f"),
        ("-s marts.* --exclude d --exclude g", "marts.e marts.f"),
        ("--exclude staging.b+", "staging.a"),
        ("-s staging.b+ --exclude mid.c+", "staging.b staging.eph marts.f marts.g"),
        ("-s +marts.g", "marts.g staging.eph staging.b"),
    ],
)
def test_what_selectors_choose(
    shop: Folder, capsys: pytest.CaptureFixture[str], words: str, models: str
) -> None:
    assert chosen(shop, capsys, *words.split()) == set(models.split())


def test_what_was_modified_since_it_was_built(
    shop: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    def modified(*more: str, selector: str = "state:modified") -> set[str]:
        return chosen(shop, capsys, "-s", selector, *more)

    assert modified() == ALL  # nothing was ever built
    assert shop.run().status == "succeeded"
    assert modified() == set()
    assert modified(selector="state:modified+") == set()
    # The query of one.
    shop.model("staging.a", "SELECT 1 AS id, 2 AS n", tags=["nightly"])
    assert modified() == {"staging.a"}
    assert modified(selector="state:modified+") == {"staging.a", "mid.c", "marts.d", "marts.e"}
    assert modified(selector="state:modified+1") == {"staging.a", "mid.c"}
    assert modified("--exclude", "tag:nightly") == set()
    assert modified(selector="state:modified,path:models/marts") == set()
    assert modified(selector="state:modified+,path:models/marts") == {"marts.d", "marts.e"}
    # A setting alone; one that is nobody's table; one that is a view; one that is new.
    shop.model("marts.f", "SELECT id FROM staging.b", description="changed")
    shop.model("staging.eph", "SELECT id + 1 AS id FROM staging.b", materialized="ephemeral")
    shop.model("marts.e", "SELECT id + 0 AS id FROM mid.c", materialized="view")
    shop.model("marts.new", "SELECT id FROM mid.c")
    assert modified() == {"staging.a", "marts.f", "staging.eph", "marts.e", "marts.new"}
    # What is built is modified no more; what fails still is.
    shop.model("marts.new", "SELECT id / 0 AS id FROM mid.c")
    done = statuses(shop.run("state:modified+"))
    assert done == {
        "staging.a": "succeeded",
        "staging.eph": "skipped",
        "mid.c": "succeeded",
        "marts.d": "succeeded",
        "marts.e": "succeeded",
        "marts.f": "succeeded",
        "marts.g": "succeeded",
        "marts.new": "failed",
    }
    assert modified() == {"marts.new"}
    # A template's variable is a part of its query; another environment has a memory of its own.
    shop.toml('[pipeline.environments.dev]\nprefix = "dev_"\n[pipeline.vars]\nn = 2\n')
    assert modified() == {"marts.new", "staging.b"}
    assert modified("--env", "dev") == ALL | {"marts.new"}

"""The shell reads tables over files, and what functions know of folders, like any other table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_guides import follow


def test_a_table_over_files_is_read_listed_and_shown(lakeport: Run, tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").write_text('[files.tables.raw.t]\npath = "in/*.csv"\n')
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.csv").write_text("id,name\n1,a\n2,\n")
    assert json.loads(lakeport("read", "raw.t", "--format", "json").out) == [
        {"id": 1, "name": "a"},
        {"id": 2, "name": None},
    ]
    assert "raw.t" in lakeport("tables").out
    assert "name" in lakeport("show", "raw.t").out
    (tmp_path / "in" / "one.csv").unlink()
    gone = lakeport("read", "raw.t")
    assert gone.code != 0
    assert "has no file" in gone.err


def test_the_guide_to_files_shows_what_comes(
    lakeport: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert follow(lakeport, "files.md", monkeypatch) == 2

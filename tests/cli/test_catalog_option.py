"""A project with several catalogs from the shell: `--catalog NAME`, and the first one without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lakeport.toml").write_text("[catalogs.archive]\n")
    (tmp_path / "new.csv").write_text("id\n1\n2\n")
    (tmp_path / "old.csv").write_text("id\n3\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def both(project: Path, lakeport: Run) -> Path:
    assert lakeport("load", "shop.orders", "new.csv").code == 0
    assert lakeport("load", "shop.orders", "old.csv", "--catalog", "archive").code == 0
    return project


def told(lakeport: Run, *arguments: str) -> Any:
    return json.loads(lakeport(*arguments, "--json").out)


@pytest.mark.usefixtures("both")
def test_each_has_tables_of_its_own(lakeport: Run) -> None:
    assert told(lakeport, "read", "shop.orders") == [{"id": 1}, {"id": 2}]
    assert told(lakeport, "read", "shop.orders", "--catalog", "Archive") == [{"id": 3}]
    lakeport("load", "old.items", "old.csv", "--catalog", "archive")
    assert [row["name"] for row in told(lakeport, "tables")] == ["shop.orders"]
    there = told(lakeport, "tables", "--catalog", "archive")
    assert [row["name"] for row in there] == ["old.items", "shop.orders"]
    assert len(told(lakeport, "history", "shop.orders", "--catalog", "archive")) == 1
    assert told(lakeport, "show", "old.items", "--catalog", "archive")["figures"]["rows"] == 1


@pytest.mark.usefixtures("both")
def test_each_is_maintained_by_itself(lakeport: Run) -> None:
    lakeport("load", "old.items", "old.csv", "--catalog", "archive")
    report = told(lakeport, "maintain", "--dry-run", "--catalog", "archive")
    assert [table["table"] for table in report["tables"]] == ["old.items", "shop.orders"]
    report = told(lakeport, "maintain", "--dry-run")
    assert [table["table"] for table in report["tables"]] == ["shop.orders"]


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize("command", [("tables",), ("load", "s.t", "new.csv"), ("maintain",)])
def test_a_catalog_that_is_not_there_is_named(lakeport: Run, command: tuple[str, ...]) -> None:
    shown = lakeport(*command, "--catalog", "archiv")
    assert shown.code == 1
    assert "there is no catalog `archiv`" in shown.err
    assert "did you mean `archive`? catalogs: archive, lake" in shown.err


@pytest.mark.usefixtures("both")
def test_config_shows_each_with_its_sources(lakeport: Run) -> None:
    entries = told(lakeport, "config", "catalogs.archive")["settings"]
    assert {entry["name"] for entry in entries} >= {"catalogs.archive.uri", "catalogs.archive.type"}


@pytest.mark.usefixtures("both")
def test_doctor_looks_at_each(lakeport: Run, project: Path) -> None:
    toml = '[catalogs.archive]\n[catalogs.far]\nuri = "http://127.0.0.1:1/catalog"\n'
    (project / "lakeport.toml").write_text(toml)
    lakeport("load", "lakeport.t", "old.csv", "--catalog", "archive")
    lakeport("load", "main.t", "old.csv")
    report = lakeport("doctor", "--json")
    assert report.code == 1
    checks = json.loads(report.out)["checks"]
    found = [
        (check["name"], check["state"])
        for check in checks
        if check["name"].partition(" ")[0] in {"catalog", "tables", "namespaces"}
    ]
    assert found == [
        ("catalog", "ok"),
        ("namespaces", "warn"),
        ("tables", "ok"),
        ("catalog (archive)", "ok"),
        ("namespaces (archive)", "warn"),
        ("tables (archive)", "ok"),
        ("catalog (far)", "fail"),
    ]

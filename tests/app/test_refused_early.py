"""What a run is refused for before a JVM is launched. A program that only notes its name stands for Java."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeport.app.project.request import RunRequest
from lakeport.app.project.run import run_project
from lakeport.app.settings import load
from lakeport.core.errors import LakeportError, UnsupportedError
from tests.catalog.iceberg.rest_server import RestServer, rest_server

NOTES = """#!/bin/sh
echo "$@" >> "{notes}"
exit 1
"""
TOML = """
[catalog]
type = "rest"
uri = "{uri}"

[pipeline]
java_home = "{java}"
jars = ["{jar}"]
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RestServer]:
    """It says nothing about what it has."""
    with rest_server(tmp_path / "rest") as running:
        yield running


@pytest.fixture
def project(tmp_path: Path, server: RestServer) -> Path:
    root, java = tmp_path / "project", tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(NOTES.format(notes=tmp_path / "notes"))
    java.chmod(0o755)
    (root / "models" / "a").mkdir(parents=True)
    (root / "models" / "a" / "one.sql").write_text("SELECT 1 AS n")
    jar = tmp_path / "iceberg-spark-runtime.jar"
    jar.touch()
    (root / "lakeport.toml").write_text(
        TOML.format(uri=server.url, java=java.parent.parent, jar=jar)
    )
    return root


def test_all_at_once_on_a_service_that_cannot_starts_no_java(project: Path) -> None:
    notes = project.parent / "notes"
    settings = load(folder=project, variables={})
    with pytest.raises(UnsupportedError, match="cannot change several tables as one") as caught:
        run_project(settings, RunRequest(publish="run-atomic"))
    assert "transactions/commit" in (caught.value.hint or "")
    always = load(folder=project, variables={}, flags={"pipeline.publish": "run-atomic"})
    with pytest.raises(UnsupportedError, match="cannot change several tables as one"):
        run_project(always, RunRequest())
    assert not notes.exists()
    # What can be done there is begun with Java.
    with pytest.raises(LakeportError):
        run_project(settings, RunRequest(publish="branch"))
    assert notes.exists()

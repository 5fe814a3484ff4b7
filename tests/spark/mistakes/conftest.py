"""A project's folder for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeport.pipeline.session import Spark
from tests.spark.running.folder import Folder


@pytest.fixture
def folder(tmp_path: Path, jvm: Spark) -> Folder:
    root = tmp_path / "shop"
    root.mkdir()
    made = Folder(root, jvm)
    made.toml("")
    return made

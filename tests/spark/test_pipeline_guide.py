"""The guide is followed in a process of its own, with a Spark of its own, and shows what comes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from lakeport.pipeline.session import Spark
from lakeport.pipeline.strategies import STRATEGIES
from lakeport.pipeline.writing import Point, WriteMode, WriteSettings

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "pipeline.md").read_text()
BLOCKS: list[tuple[str, str]] = re.findall(r"(?ms)^```(\w+)\n(.*?)^```", PAGE)


@pytest.mark.timeout(300)
def test_the_guide_shows_what_comes(tmp_path: Path, jvm: Spark) -> None:
    assert jvm.is_local
    project = tmp_path / "shop"
    project.mkdir()
    settings = '[pipeline]\narchive = false\n[pipeline.spark]\nmaster = "local[2]"\n'
    (project / "lakeport.toml").write_text(settings)
    code = "\n".join(text for language, text in BLOCKS if language == "python")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(text for language, text in BLOCKS if language == "text")


@pytest.mark.parametrize(
    "word", [*WriteSettings.__annotations__, *STRATEGIES, *get_args(WriteMode), *Point]
)
def test_every_word_is_on_the_page(word: str) -> None:
    assert f"`{word}`" in PAGE

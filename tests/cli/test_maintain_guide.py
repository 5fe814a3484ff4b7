"""The guide to maintenance is run line by line, and shows what comes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_guides import blocks, session
from tests.cli.test_lake_commands import plain as without_ids

LOOP = "for k in "


def plain(text: str) -> str:
    """Without sizes of files, either: they are Arrow's business."""
    return re.sub(r"[\d.]+ B\b", "SIZE", without_ids(text))


def test_the_guide_to_maintenance_shows_what_comes(
    lakeport: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed = 0
    for command, expected in session("maintain.md"):
        if command.startswith(LOOP):
            load_one_by_one(lakeport)
        elif command.startswith("cd "):
            monkeypatch.chdir(command.removeprefix("cd "))
        else:
            word, *arguments = command.split()
            assert word == "lakeport"
            shown = lakeport(*arguments)
            if arguments[0] != "init":
                assert plain(shown.out + shown.err) == plain(expected), command
                followed += 1
    assert followed == 3
    (code,) = (text for language, text in blocks("maintain.md") if language == "python")
    (output,) = (text for language, text in blocks("maintain.md") if language == "text")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == output


def load_one_by_one(lakeport: Run) -> None:
    """The shell's loop, without a process for each turn."""
    for k in range(1, 9):
        Path("one.csv").write_text(f"k\n{k}\n")
        assert lakeport("load", "shop.orders", "one.csv").code == 0

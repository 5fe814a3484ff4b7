"""The guides' commands are run in order, and what they show is what comes."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_lake_commands import plain

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
_BLOCK = re.compile(r"^```(console|python|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(guide: str) -> list[tuple[str, str]]:
    return _BLOCK.findall((GUIDES / guide).read_text(encoding="utf-8"))


def session(guide: str) -> Iterator[tuple[str, str]]:
    """Each command of a guide with the output below it."""
    for language, text in blocks(guide):
        if language == "console":
            for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = piece.partition("\n")
                yield command, output


def follow(lakeport: Run, guide: str, monkeypatch: pytest.MonkeyPatch) -> int:
    followed = 0
    for command, expected in session(guide):
        word, *arguments = shlex.split(command)
        if word == "cd":
            monkeypatch.chdir(arguments[0])
        elif word == "lakeport":
            shown = lakeport(*arguments)
            if arguments[0] != "init":
                assert plain(shown.out + shown.err) == plain(expected), command
            followed += 1
        else:
            subprocess.run(command, shell=True, check=True)  # noqa: S602  a line of our own guide
    return followed


def test_the_guides_show_what_comes(
    lakeport: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert follow(lakeport, "load.md", monkeypatch) >= 4
    assert follow(lakeport, "read.md", monkeypatch) >= 4
    assert shown_by_python("read.md", tmp_path) == outputs("read.md")


def test_the_guide_to_writing_shows_what_comes(
    lakeport: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert follow(lakeport, "write.md", monkeypatch) == 1
    assert shown_by_python("write.md", tmp_path) == outputs("write.md")


def outputs(guide: str) -> list[str]:
    return [text for language, text in blocks(guide) if language == "text"]


def shown_by_python(guide: str, folder: Path) -> list[str]:
    """What each block of Python prints, when they run one after the other in one process."""
    end = "-- end of block --\n"
    code = [text for language, text in blocks(guide) if language == "python"]
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-c",
            "\n".join(f"{one}\nprint({end!r}, end='')" for one in code),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split(end)[:-1]

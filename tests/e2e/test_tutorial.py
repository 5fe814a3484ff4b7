"""The tutorial is followed in a shell, as a newcomer would, and shows what comes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_guides import session
from tests.house.shown import plain


@pytest.mark.timeout(800)
def test_the_tutorial_shows_what_comes(tmp_path: Path) -> None:
    folder = tmp_path
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    followed = []
    for command, expected in session("tutorial.md"):
        if command.startswith("cd "):
            folder /= command.removeprefix("cd ")
            continue
        done = subprocess.run(  # noqa: S602  a line of our own guide
            command,
            shell=True,
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        if command.startswith("lakeport ") and command != "lakeport init":
            # Rows come in the order of their files, which are named at random.
            assert sorted(plain(done.stdout)) == sorted(plain(expected)), command
            followed.append(command.split()[1])
    assert followed == ["load", "plan", "run", "read", "load", "plan", "run", "read"]

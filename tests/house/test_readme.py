"""The README's commands and code are run, and what it shows of their output is what comes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from importlib import util
from itertools import pairwise
from pathlib import Path

import pytest

from tests.house.shown import plain

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS: list[tuple[str, str]] = re.findall(
    r"^```(\w+)\n(.*?)^```", README, re.DOTALL | re.MULTILINE
)


def console(first_words: str) -> list[str]:
    """The lines of the console block that starts with this command."""
    for language, text in BLOCKS:
        lines = text.splitlines()
        if language == "console" and lines[0].startswith(f"$ {first_words}"):
            return lines
    raise AssertionError(f"the README has no block for `{first_words}`")


def run(command: list[str], folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    bin_folder = Path(sys.executable).parent
    # Under `make test` a make of ours must not take itself for a part of that one.
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    environment = {**inherited, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_first_screen_names_the_two_commands() -> None:
    first_screen = "\n".join(README.splitlines()[:20])
    assert "`make demo`" in first_screen
    assert "`make test`" in first_screen


@pytest.mark.timeout(800)
def test_make_demo_prints_what_the_readme_shows() -> None:
    command, *expected = console("make demo")
    done = run(command.removeprefix("$ ").split())
    assert done.returncode == 0, done.stderr
    # Rows come in the order of their files, which are named at random.
    assert sorted(plain(done.stdout)) == sorted(plain("\n".join(expected)))


def test_make_test_runs_the_lanes_the_readme_shows() -> None:
    spec = util.spec_from_file_location("lanes_of_readme", ROOT / "scripts" / "lanes.py")
    assert spec is not None
    assert spec.loader is not None
    lanes = util.module_from_spec(spec)
    sys.modules[spec.name] = lanes
    spec.loader.exec_module(lanes)
    shown = [line.split()[0] for line in console("make test") if " passed " in line]
    assert shown == [lane.name for lane in lanes.LANES["test"]]
    assert "make test" in run(["make", "help"]).stdout


def test_the_command_lines_run(tmp_path: Path) -> None:
    for line in console("lakeport init"):
        done = run(shlex.split(line.removeprefix("$ ")), tmp_path)
        # Doctor answers about this machine: "no" is a right answer where a port is taken.
        allowed = {0, 1} if "doctor" in line else {0}
        assert done.returncode in allowed, done.stdout + done.stderr
        assert done.stdout
    assert (tmp_path / "shop" / "lakeport.toml").exists()


PYTHON = [
    (code, output)
    for (language, code), (next_language, output) in pairwise(BLOCKS)
    if language == "python" and next_language == "text"
]


def test_every_python_block_shows_its_output() -> None:
    assert len(PYTHON) == sum(language == "python" for language, _ in BLOCKS)


@pytest.mark.parametrize(("code", "output"), PYTHON)
def test_python_in_the_readme_prints_what_is_shown(code: str, output: str, tmp_path: Path) -> None:
    script = tmp_path / "readme.py"
    script.write_text(code)
    done = run([sys.executable, "-W", "error", str(script)], tmp_path)
    assert done.stderr == ""
    assert done.stdout == output

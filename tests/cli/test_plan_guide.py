"""The guide to plans shows what comes."""

from __future__ import annotations

import json
import shlex
import subprocess

import pytest

from tests.cli.conftest import Run
from tests.cli.test_guides import session
from tests.cli.test_lake_commands import plain


def test_the_guide_to_plans_shows_what_comes(
    lakeport: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: dict[str, int] = {}
    for command, expected in session("plan.md"):
        word, *arguments = shlex.split(command)
        if word == "cd":
            monkeypatch.chdir(arguments[0])
        elif word != "lakeport":
            subprocess.run(command, shell=True, check=True)  # noqa: S602  a line of our own guide
        else:
            shown = lakeport(*arguments)
            codes[command] = shown.code
            if "--json" in arguments:
                assert json.loads(shown.out)["version"] == 1
            elif expected:
                assert plain(shown.out + shown.err) == plain(expected), command
    assert codes["lakeport plan"] == 0
    assert codes["lakeport plan --check"] == 1

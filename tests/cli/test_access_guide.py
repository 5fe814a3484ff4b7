"""The guide to access is run line by line, and shows what comes."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.cli.conftest import Run
from tests.cli.test_guides import session
from tests.cli.test_lake_commands import plain as without_times


def plain(text: str) -> str:
    return re.sub(r"lp_[\w-]{43}", "TOKEN", without_times(text))


def test_the_guide_to_access_shows_what_comes(
    lakeport: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "me")
    followed = 0
    for command, expected in session("access.md"):
        word, *arguments = shlex.split(command)
        if word == "cd":
            monkeypatch.chdir(arguments[0])
            continue
        shown = lakeport(*arguments)
        if arguments[0] == "token":
            assert plain(shown.out + shown.err) == plain(expected), command
            followed += 1
    assert followed == 6

"""The command line in this process, in an empty folder and without this machine's variables."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from lakeport.app import logs
from lakeport.cli.main import run


@dataclass(frozen=True, slots=True)
class Outcome:
    code: int
    out: str
    err: str


Run: TypeAlias = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """Each command sends them to the stderr of its own test, where nobody may write after it."""
    root, own = logging.getLogger(), logging.getLogger(logs.ROOT)
    handlers, level = list(root.handlers), own.level
    yield
    root.handlers[:] = handlers
    own.setLevel(level)


@pytest.fixture
def lakeport(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("LAKEPORT_") or name in {"JAVA_HOME", "XDG_CACHE_HOME", "FORCE_COLOR"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", "/home/me")

    def lakeport(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = run(list(arguments))
        shown = capsys.readouterr()
        return Outcome(code, shown.out, shown.err)

    return lakeport

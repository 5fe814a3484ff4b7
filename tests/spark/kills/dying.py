"""Victims as a test runs them: several at a time, each until its end, and the JVMs with them."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).parents[3]
AT_ONCE = 2
_PATIENCE = 250.0

Moment = Literal["staged", "grown", "uncommitted", "committed", "untidied"]
Who = Literal["jvm", "python"]


@dataclass(frozen=True)
class Death:
    moment: Moment
    who: Who
    keyed: bool = False

    @property
    def table(self) -> str:
        return f"{'keyed' if self.keyed else 'plain'}_{self.moment}_{self.who}"

    @property
    def has_committed(self) -> bool:
        return self.moment in {"committed", "untidied"}


def die(folder: Path, deaths: Sequence[Death]) -> dict[Death, dict[str, Any]]:
    """What each of them told before it ended."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(deaths, pool.map(lambda death: _die(folder, death), deaths), strict=True))


def _die(folder: Path, death: Death) -> dict[str, Any]:
    words = (str(folder), death.table, death.moment, death.who)
    return die_as("tests.spark.kills.victim", *words, who=death.who)


def die_as(victim: str, *words: str, who: Who) -> dict[str, Any]:
    """What a module told that is run until it, or its JVM, is killed."""
    done = subprocess.run(
        [sys.executable, "-m", victim, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    facts: dict[str, Any] = {}
    for told in done.stdout.splitlines():
        facts |= json.loads(told)
    expected = -signal.SIGKILL if who == "python" else 0
    assert done.returncode == expected, (words, facts, done.stderr[-4000:])
    await_end(facts["jvm"])
    return facts


def await_end(process: int) -> None:
    """A JVM goes with the process that started it, however that ends."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return
    try:
        ended, _, _ = select.select([handle], [], [], _PATIENCE)
        assert ended, f"the JVM {process} is still there"
    finally:
        os.close(handle)

"""Programs beside a bench: each says in its first line that it is ready, and ends when its stdin does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Program:
    """`ready` is its first line: where it listens, if it does."""

    pid: int
    ready: str
    _given: IO[str]
    _said: IO[str]

    def ask(self, line: str = "") -> str:
        """What it answers to a line, in one line."""
        print(line, file=self._given, flush=True)
        return _next(self._said, "the program ended in the middle of its work")

    def cpu(self) -> float:
        """Seconds of all its threads so far."""
        after_name = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(after_name[11]) + int(after_name[12])) / _TICKS


@contextmanager
def running(*command: str | Path) -> Iterator[Program]:
    """The command's program, with Python in front of it where it is a file of Python."""
    if str(command[0]).endswith(".py"):
        command = (sys.executable, *command)
    pipe = subprocess.PIPE
    with subprocess.Popen([*map(str, command)], stdin=pipe, stdout=pipe, text=True) as process:
        if process.stdin is None or process.stdout is None:
            raise SystemExit("the program has no pipes")
        try:
            ready = _next(process.stdout, f"{Path(command[1]).name} did not start")
            yield Program(process.pid, ready, process.stdin, process.stdout)
        finally:
            process.stdin.close()


def _next(said: IO[str], otherwise: str) -> str:
    line = said.readline()
    if not line:
        raise SystemExit(otherwise)
    return line.strip()

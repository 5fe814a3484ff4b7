"""Processor time of programs that are not this one: on a busy machine the clock that tells the same twice."""

from __future__ import annotations

import os
from pathlib import Path


def seconds(process: int) -> float:
    """Of a process and all below it, those that ended included."""
    # After the name, which may hold anything: user and system time, then those of ended children.
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    below = [int(child) for task in tasks for child in task.read_text().split()]
    return own + sum(map(seconds, below))

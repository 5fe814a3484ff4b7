"""Who holds a lease or does a run: one process of one machine, told apart from all that ever were.

A number of a process is used again, so its start belongs to it; and it means something only among the
processes that see each other, so the boot of the machine and the namespace of process ids belong to it, too
(two containers may have one host name). Whether an owner is dead is said only where it can be known, which is
on Linux: `False` means "not known to be dead", and then its lease lasts until it expires.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PROC = Path("/proc")
_BOOT = _PROC / "sys/kernel/random/boot_id"
_NAMESPACE = _PROC / "self/ns/pid"
_STATE, _START = 0, 19
"""Where they are in a process's `stat`, behind its name."""
_ENDED = frozenset("ZXx")
"""Though its parent has not asked how, yet."""


@dataclass(frozen=True, slots=True)
class Owner:
    """`place` is where `pid` means this process, `process` when it was started there; both are empty
    where they cannot be known.
    """

    run_id: str
    host: str
    place: str
    pid: int
    process: str

    @classmethod
    def here(cls, run_id: str) -> Owner:
        """The process that asks."""
        pid = os.getpid()
        return cls(run_id, socket.gethostname(), _place(), pid, _started(pid) or "")

    @property
    def is_dead(self) -> bool:
        """Whether it is certain that the process has ended."""
        if not self.place or not self.process or self.place != _place():
            return False
        started = _started(self.pid)
        return started is not None and started != self.process

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


@cache
def _place() -> str:
    try:
        return f"{_BOOT.read_text().strip()}/{_NAMESPACE.readlink()}"
    except OSError:
        return ""


def _started(pid: int) -> str | None:
    """When a process was started; empty if it has ended, None if that cannot be known here."""
    try:
        # The name of a program may hold blanks and brackets; what follows the last one is ours.
        _, _, rest = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    except OSError:
        return None
    words = rest.split()
    return "" if words[_STATE] in _ENDED else words[_START]

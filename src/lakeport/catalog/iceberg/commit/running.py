"""Files that a write of this process has begun and that no snapshot names yet.

Whoever looks for files that nobody needs must leave these alone, however old they are: a long statement
commits at its end. What other processes have begun is protected by a grace period only.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable


class Running:
    """By path. A file is held from before its first byte until its commit is over or it is removed."""

    def __init__(self) -> None:
        self._held: set[str] = set()
        self._lock = threading.Lock()

    def begin(self, path: str) -> None:
        with self._lock:
            self._held.add(path)

    def end(self, paths: Iterable[str]) -> None:
        with self._lock:
            self._held.difference_update(paths)

    def holds(self, path: str) -> bool:
        with self._lock:
            return path in self._held


RUNNING = Running()
"""The one of this process: two catalogs may be open on one warehouse."""

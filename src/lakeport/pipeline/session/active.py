"""The session that PySpark means where nobody says which: in one thread, for a while.

Its client for Spark Connect takes the first one that the process has opened for all threads that have none,
and keeps it so even if its server refused it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def active(session: Any) -> Iterator[None]:
    """In this thread alone. A JVM of one's own needs no telling."""
    kept = getattr(type(session), "_active_session", None)  # Spark Connect has it, and only it
    if kept is None:
        yield
        return
    before = getattr(kept, "session", None)
    kept.session = session
    try:
        yield
    finally:
        kept.session = before

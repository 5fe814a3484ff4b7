"""The wish to stop, known to everybody who works for a run: no model begins, statements that run are cancelled.

What has been committed stays. A commit that is on its way is not cut off: whoever sent it looks whether it
was made.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from lakeport.core.errors import CancelledError
from lakeport.pipeline.session import Session


class StoppedError(CancelledError):
    """The run was asked to stop before this was done."""

    code = "stopped"

    def __init__(self) -> None:
        super().__init__("it was stopped", hint="the same run goes on with what is left: --retry")


class Stop:
    def __init__(self) -> None:
        self._asked = threading.Event()
        self._lock = threading.Lock()
        self._working: dict[int, Session] = {}

    @property
    def is_asked(self) -> bool:
        return self._asked.is_set()

    def ask(self) -> None:
        """May be asked again: a statement may have begun between two questions."""
        self._asked.set()
        with self._lock:
            working = list(self._working.values())
        for session in working:
            with suppress(Exception):  # of a Spark that is gone, which is as good
                session.interruptAll()

    def require(self) -> None:
        if self.is_asked:
            raise StoppedError

    def wait(self, seconds: float) -> None:
        """`StoppedError` as soon as somebody asks for it."""
        if self._asked.wait(seconds):
            raise StoppedError

    @contextmanager
    def watching(self, session: Session) -> Iterator[None]:
        """What the session does in the block is cancelled, too."""
        with self._lock:
            self._working[id(session)] = session
        try:
            self.require()
            yield
        finally:
            with self._lock:
                del self._working[id(session)]

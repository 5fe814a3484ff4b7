"""What functions print and log, as lines of the server's log, with the function that was running."""

from __future__ import annotations

import logging
import subprocess
import threading
from typing import IO

_log = logging.getLogger(__name__)

_LONGEST = 2_000
_MOST_LINES = 1_000  # of one function, until another one runs


class Said:
    """`function` is whoever runs. stdout is `info`, stderr `warning`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._function = ""
        self._lines = 0
        self._pipes = [
            (pipe, level)
            for pipe, level in ((process.stdout, logging.INFO), (process.stderr, logging.WARNING))
            if pipe is not None
        ]
        self._threads = [
            threading.Thread(
                target=self._pass_on, args=(pipe, level), name="lakeport-said", daemon=True
            )
            for pipe, level in self._pipes
        ]
        for thread in self._threads:
            thread.start()

    @property
    def function(self) -> str:
        return self._function

    @function.setter
    def function(self, name: str) -> None:
        if name != self._function:
            self._function, self._lines = name, 0

    def close(self) -> None:
        """After the process ended. One that it forked off may still hold the pipes: nobody waits for it."""
        for thread in self._threads:
            thread.join(0.5)

    def _pass_on(self, pipe: IO[bytes], level: int) -> None:
        with pipe:
            # A line that never ends is passed on in pieces.
            while line := pipe.readline(_LONGEST):
                self._lines += 1
                text = line.decode("utf-8", "replace").rstrip()
                if text and self._lines <= _MOST_LINES:
                    _log.log(
                        level, "function.said", extra={"function": self._function, "text": text}
                    )
                elif self._lines == _MOST_LINES + 1:
                    _log.warning("function.said_too_much", extra={"function": self._function})

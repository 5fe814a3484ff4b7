"""A JVM with Spark in it, as a process of ours: started, asked for its gateway, ended.

It lives exactly as long as its standard input is open, so it also ends when this process is killed. It
has a session of its own (the operating system's), so that Ctrl-C reaches Python alone, which then ends
it in order. Whatever it prints goes to the log file.
"""

from __future__ import annotations

import contextlib
import re
import struct
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from lakeport.core.closing import Closing
from lakeport.core.errors import UnavailableError

_CONNECTION = "_PYSPARK_DRIVER_CONN_INFO_PATH"
_TURN = 0.02
_PATIENCE = 300.0
_LOG_BYTES = 16 << 20
_THROWN = re.compile(r'^Exception in thread "main" [\w.$]+: (?P<message>.+)$', re.MULTILINE)
_CRASHED = re.compile(r"^# A fatal error .*\n#\n#\s+(?P<how>\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Gateway:
    """Where the JVM listens for Py4J, and the word it wants to hear."""

    port: int
    secret: str = field(repr=False)


class Jvm(Closing):
    """`scratch` is an existing folder, which the JVM may fill."""

    def __init__(
        self, command: Sequence[str], variables: Mapping[str, str], scratch: Path, log: Path
    ) -> None:
        self._told = scratch / "gateway"
        self._log = log
        with open_log(log) as out:
            self._begin = out.tell()
            self._process = subprocess.Popen(  # noqa: S603  the Java that was found
                command,
                env={**variables, _CONNECTION: str(self._told)},
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    @property
    def process_id(self) -> int:
        return self._process.pid

    def gateway(self) -> Gateway:
        """When it is up; `UnavailableError` when it ended before, or takes too long."""
        deadline = time.monotonic() + _PATIENCE
        while not self._told.exists():  # it is renamed to that name when it is whole
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_TURN)
                raise self._down("ended before it was up")
            if time.monotonic() > deadline:
                raise self._down(f"was not up after {_PATIENCE:.0f} seconds")
        port, length = struct.unpack_from(">ii", told := self._told.read_bytes())
        return Gateway(port, told[8 : 8 + length].decode())

    def wait(self) -> str:
        """Until it ends by itself, and how that was."""
        return _how(self._process.wait())

    def ended(self, patience: float = 0.0) -> str | None:
        """How it ended; None if it still runs after `patience` seconds."""
        try:
            code = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            return None
        return _how(code)

    def _down(self, how: str) -> UnavailableError:
        said = _reason(self._log.read_bytes()[self._begin :].decode("utf-8", "replace"))
        return UnavailableError(
            f"Spark's JVM {how}{said and f': {said}'}",
            hint=f"see `pipeline.spark`; all of what it said is in {self._log}",
        )

    def close(self) -> None:
        self.end(_PATIENCE)

    def end(self, patience: float) -> bool:
        """Whether it ended by itself; after `patience` seconds it is killed."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            return self._process.wait(patience) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()


def _how(code: int) -> str:
    return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"


def _reason(text: str) -> str:
    """The exception that ended it, else the first line that is no warning."""
    thrown = _THROWN.search(text)
    if thrown is not None:
        return thrown["message"]
    crashed = _CRASHED.search(text)
    if crashed is not None:
        return f"Java itself crashed, {crashed['how']}"
    lines = (line for line in text.splitlines() if line.strip() and "WARN" not in line)
    return next(lines, "")


def open_log(log: Path) -> IO[bytes]:
    """To be appended to; what is long is put aside first, over what was put aside before."""
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > _LOG_BYTES:
        log.replace(log.with_suffix(".old.log"))
    return log.open("ab")

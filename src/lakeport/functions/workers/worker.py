"""The server's end of one worker process: what is asked of it is answered in time, or it is killed.

Whoever waits for an answer watches the process itself as well: a pipe does not end with it if a function has
forked and left its child behind. A worker is killed with all that it started.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import msgspec
import pyarrow as pa

from lakeport.core.errors import (
    CancelledError,
    FunctionError,
    LakeportError,
    LimitError,
    UnavailableError,
)
from lakeport.core.names import quoted
from lakeport.functions.limits import Limits, too_large, too_slow
from lakeport.functions.workers.frames import LENGTHS, pieces, rows_in
from lakeport.functions.workers.messages import (
    Answer,
    Done,
    Failed,
    Load,
    Loaded,
    Loading,
    Question,
)
from lakeport.functions.workers.said import Said

LOAD_SECONDS = 30.0
_PIPE_BYTES = 1 << 20
_LOOK_SECONDS = 0.05  # how often a process is looked at where the system cannot tell of its end
_HEAD_BYTES = 64 << 20
_MODULE = "lakeport.functions.workers.child"


class LoadingError(FunctionError):
    """The process ended, or did not get on, while it loaded the module of a namespace."""

    def __init__(self, namespace: str, reason: str) -> None:
        super().__init__(f"functions of {quoted(namespace)} cannot be run: {reason}")
        self.namespace = namespace
        self.reason = reason


_UNREADABLE = (msgspec.MsgspecError, pa.ArrowException, UnicodeError)


class _EndedError(Exception):
    """There is no process any more."""


class _LateError(Exception):
    """There is no time any more."""


class Worker:
    """One thread asks at a time; any thread may kill."""

    def __init__(self, load: Load) -> None:
        with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
            ask_read, self._ask = _pipe(theirs, ours)
            self._answer, answer_write = _pipe(ours, theirs)
            life_read, self._life = _pipe(theirs, ours)
            for end in (self._ask, self._answer):
                os.set_blocking(end, False)
                with contextlib.suppress(OSError):
                    fcntl.fcntl(end, getattr(fcntl, "F_SETPIPE_SZ", 1031), _PIPE_BYTES)
            self._process = _started((ask_read, answer_write, life_read))
            ours.pop_all()  # closed by `close`
        self._pidfd = _pidfd(self._process.pid)
        self._decoder = msgspec.msgpack.Decoder(Answer)
        self._state = threading.Lock()
        self._is_closed = False
        self.was_cancelled = False
        self.is_fit = True
        self.idle_since = time.monotonic()
        self.said = Said(self._process)
        self._load = load

    def load(self) -> Loaded:
        """All modules. `LoadingError` if one of them ends the process or keeps it."""
        namespace = text = ""
        deadline = time.monotonic() + LOAD_SECONDS
        try:
            self._send(self._load, None, deadline)
            while True:
                answer, _ = self._receive(deadline, None)
                if isinstance(answer, Loaded):
                    return answer
                if isinstance(answer, Loading):
                    namespace = answer.namespace
                    deadline = time.monotonic() + LOAD_SECONDS  # for each
                    self.said.function = f"{namespace} (import)"
        except _LateError:
            self.kill()
            text = f"importing it took longer than {LOAD_SECONDS:g} s"
        except _EndedError:
            text = f"importing it ended the process ({self._end()})"
        except (_TooLargeError, *_UNREADABLE):
            self.kill()
            text = "importing it wrote into the pipes of its process"
        if not namespace:
            raise UnavailableError(
                "a process for functions could not be started",
                hint="the server's log has what it said",
                outside="functions cannot be run at the moment",
            )
        raise LoadingError(namespace, text)

    def ask(
        self, question: Question, rows: pa.RecordBatch | None, what: str, limits: Limits
    ) -> tuple[Answer, pa.RecordBatch | None]:
        """What it says, failures of a function included; the error of ours if it can say nothing."""
        seconds = limits.seconds
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            self._send(question, rows, deadline)
            answer, given = self._receive(deadline, limits.output_bytes)
        except _LateError:
            self.kill()
            raise too_slow(what, limits) from None
        except _EndedError:
            raise self._ended(what) from None
        except LimitError:
            self.kill()
            raise
        except _TooLargeError as large:
            self.kill()
            raise too_large(what, large.size, limits) from None
        except _UNREADABLE:
            self.kill()
            raise FunctionError(
                f"{what} gave an answer that cannot be read",
                hint="its author should leave the process's pipes alone",
            ) from None
        if isinstance(answer, Failed | Done) and answer.worn:
            self.is_fit = False
        return answer, given

    def cancel(self) -> None:
        """Somebody waits for an answer that nobody wants."""
        self.was_cancelled = True
        self.kill()

    def kill(self) -> None:
        self.is_fit = False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """By whoever holds it, once nobody waits for it any more."""
        with self._state:
            if self._is_closed:
                return
            self._is_closed = True
        self.kill()
        self._process.wait()
        for end in (self._ask, self._answer, self._life, self._pidfd):
            if end is not None:
                os.close(end)
        self.said.close()

    def is_alive(self) -> bool:
        return self._process.poll() is None

    # -- pipes -------------------------------------------------------------------------------------

    def _send(
        self, question: Question, rows: pa.RecordBatch | None, deadline: float | None
    ) -> None:
        for piece in pieces(question, rows):
            view = piece
            while view:
                try:
                    view = view[os.write(self._ask, view) :]
                except BlockingIOError:
                    self._wait(self._ask, select.POLLOUT, deadline)
                except BrokenPipeError:
                    raise _EndedError from None

    def _receive(
        self, deadline: float | None, most: int | None
    ) -> tuple[Answer, pa.RecordBatch | None]:
        head, body = LENGTHS.unpack(self._read(LENGTHS.size, deadline))
        # An Arrow stream is a little larger than its values.
        if head > _HEAD_BYTES or (most is not None and body > most + most // 8 + (1 << 20)):
            raise _TooLargeError(head + body)
        answer = self._decoder.decode(self._read(head, deadline))
        return answer, rows_in(self._read(body, deadline)) if body else None

    def _read(self, size: int, deadline: float | None) -> bytearray:
        buffer = bytearray(size)
        view = memoryview(buffer)
        while view:
            try:
                count = os.readv(self._answer, [view])
            except BlockingIOError:
                self._wait(self._answer, select.POLLIN, deadline)
                continue
            if not count:
                raise _EndedError
            view = view[count:]
        return buffer

    def _wait(self, end: int, event: int, deadline: float | None) -> None:
        """Until something can be done, the process has ended, or the time is over."""
        watched = select.poll()
        watched.register(end, event)
        if self._pidfd is not None:
            watched.register(self._pidfd, select.POLLIN)
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise _LateError
            pause = left if self._pidfd is not None else min(left or 1.0, _LOOK_SECONDS)
            ready = watched.poll(None if pause is None else 1000 * pause)
            if any(each == end for each, _ in ready):
                return
            if ready or not self.is_alive():
                raise _EndedError

    def _ended(self, what: str) -> LakeportError:
        self.kill()
        if self.was_cancelled:
            return CancelledError(f"{what} was stopped: nobody waits for it any more")
        return FunctionError(
            f"{what} ended its process ({self._end()})",
            hint="the next call has a new one; the server's log has what it said before",
        )

    def _end(self) -> str:
        code = self._process.wait()
        if code >= 0:
            return f"exit code {code}"
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"


class _TooLargeError(Exception):
    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    """Each end is closed by one of the two."""
    read, write = os.pipe()
    reader.callback(os.close, read)
    writer.callback(os.close, write)
    return read, write


def _started(given: tuple[int, ...]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  our own module
        [sys.executable, "-P", "-u", "-X", "faulthandler", "-m", _MODULE]
        + [str(each) for each in given],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=given,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": _path(), "MALLOC_ARENA_MAX": "2"},
    )


def _path() -> str:
    """A worker finds what the server finds."""
    return os.pathsep.join(each for each in sys.path if each)


def _pidfd(pid: int) -> int | None:
    opener: Any = getattr(os, "pidfd_open", None)
    try:
        return None if opener is None else int(opener(pid))
    except OSError:
        return None

"""The end of a command that somebody has typed: everything is done elsewhere, but looks as if it were done here.

Signals are passed on, and the process ends as the other one did, by a signal too. If this one is killed, so is
the other. Whatever is not as it should be before the other end has accepted the command means: do it yourself.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from lakeport.cli.standby.identity import identity
from lakeport.cli.standby.wire import ACCEPTED, ENDED, PATIENCE, SOCKET, Request, is_own, send

COMMANDS = ("run", "plan", "test")
"""Those that Spark has a part in."""

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGCONT)
_INTERRUPTED = 130
_FAILED = 3


def handed_over(arguments: list[str]) -> int | None:
    """The exit code of a command that another process has done, None if this one has to."""
    if not arguments or arguments[0] not in COMMANDS or "--no-daemon" in arguments:
        return None
    try:
        with socket.socket(socket.AF_UNIX) as line:
            if not _is_accepted(line, arguments):
                return None
            with _passing_on(line):
                return _ended(line)
    except KeyboardInterrupt:
        return _INTERRUPTED


def _is_accepted(line: socket.socket, arguments: list[str]) -> bool:
    try:
        found = meeting_place(arguments)
        if found is None:
            return False
        line.settimeout(PATIENCE)
        line.connect(found)
        if not is_own(line):
            return False
        send(line, identity(), Request.here(arguments))
        if line.recv(1) != ACCEPTED:
            return False
        line.settimeout(None)
    except OSError:  # nobody there, or not any more
        return False
    return True


def meeting_place(arguments: list[str]) -> str | None:
    """The socket of the project's daemon, if there is one; the project is found as `settings` finds it."""
    project = _given(arguments) or os.environ.get("LAKEPORT_PROJECT")
    if project:
        root: str | None = project.removesuffix("lakeport.toml") or "."
    else:
        root = _upward(os.getcwd())  # noqa: PTH109  pathlib takes longer than the rest of this
    if root is None:
        return None
    found = os.path.join(root, ".lakeport", "daemon", SOCKET)  # noqa: PTH118  as above
    return found if os.path.exists(found) else None  # noqa: PTH110  as above


def _given(arguments: list[str]) -> str | None:
    """The last one counts."""
    given = None
    for place, word in enumerate(arguments):
        if word == "--project" and place + 1 < len(arguments):
            given = arguments[place + 1]
        elif word.startswith("--project="):
            given = word.partition("=")[2]
    return given


def _upward(folder: str) -> str | None:
    while True:
        if os.path.isfile(os.path.join(folder, "lakeport.toml")):  # noqa: PTH113, PTH118  as above
            return folder
        above = os.path.dirname(folder)  # noqa: PTH120  as above
        if above == folder:
            return None
        folder = above


@contextmanager
def _passing_on(line: socket.socket) -> Iterator[None]:
    """A signal that is ignored here, as `nohup` has it, stays ignored."""

    def pass_on(number: int, _: FrameType | None) -> None:
        try:
            line.sendall(bytes([number]))
        except OSError:  # it has ended just now
            return

    def pause(_: int, __: FrameType | None) -> None:
        pass_on(signal.SIGSTOP, None)
        os.kill(os.getpid(), signal.SIGSTOP)

    handlers = {**dict.fromkeys(_PASSED_ON, pass_on), signal.SIGTSTP: pause}
    before = {
        number: signal.signal(number, handler)
        for number, handler in handlers.items()
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _ended(line: socket.socket) -> int:
    told = b""
    while len(told) < ENDED.size:
        part = _read(line, ENDED.size - len(told))
        if not part:
            sys.stderr.write(
                "error: the daemon's process that worked on this has ended\n"
                "hint: run it again; what was committed is not repeated\n"
            )
            return _FAILED
        told += part
    code = os.waitstatus_to_exitcode(ENDED.unpack(told)[0])
    if code >= 0:
        return code
    if -code != signal.SIGKILL:
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    return 128 - code


def _read(line: socket.socket, size: int) -> bytes:
    try:
        return line.recv(size)
    except ConnectionError:
        return b""

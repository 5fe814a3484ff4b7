"""The process that stands by: `python -m lakeport.cli.standby.server FOLDER`, started by a daemon's keeper.

It has loaded what commands need, opens nothing, has no threads of its own, and answers at a socket in the daemon's
folder. When it does, its standard output ends. It lives as long as its standard input, which is the keeper's; commands at
work are waited for. If the code has changed since it was loaded, it starts itself anew.
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import signal
import socket
import struct
import sys
import time
from importlib import import_module
from pathlib import Path

from lakeport.cli.standby.identity import identity
from lakeport.cli.standby.wire import (
    ACCEPTED,
    ENDED,
    PATIENCE,
    REFUSED,
    SOCKET,
    Request,
    close_all,
    is_own,
    receive,
)

_LOADED = (
    "lakeport.cli.line",
    "lakeport.cli.commands.run",
    "lakeport.cli.commands.plan",
    "lakeport.cli.commands.test",
    "lakeport.cli.output.live",
    "lakeport.cli.output.plan",
    "lakeport.cli.output.run",
    "lakeport.app.project.carry",
    "lakeport.app.project.daemon",
    "lakeport.app.project.test",
    "lakeport.app.lake.pipeline",
    "lakeport.pipeline.session.client",
)
_TAKEN = frozenset(
    {
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGHUP,
        signal.SIGQUIT,
        signal.SIGSTOP,
        signal.SIGCONT,
    }
)
_KEEPER = 0
_NAME = "lakeport.cli.standby.server"


class Desk:
    """Who has asked for what. `turns` gives a request in a process of its own, and None in this one at the end."""

    def __init__(self, door: socket.socket, own: bytes) -> None:
        self._door = door
        self._own = own
        self._lines: dict[int, socket.socket | None] = {}
        self._is_open = True
        self.is_stale = False
        self._woken, self._wake = socket.socketpair()
        self._selector = selectors.DefaultSelector()

    def turns(self) -> Request | None:
        self._woken.settimeout(0)
        self._wake.settimeout(0)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # which wakes us
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        for waited in (_KEEPER, self._door, self._woken):
            self._selector.register(waited, selectors.EVENT_READ)
        while self._is_open or self._lines:
            for key, _ in self._selector.select():
                asked = self._heard(key.fileobj, key.data)
                if asked is not None:
                    return asked
        return None

    def _heard(self, who: object, process: int | None) -> Request | None:
        if who is self._door:
            return self._asked()
        if who is self._woken:
            with contextlib.suppress(BlockingIOError):
                self._woken.recv(4096)
            self._reap()
        elif who == _KEEPER:
            if not os.read(_KEEPER, 1):
                self._close()
        elif process is not None:
            self._signalled(process)
        return None

    def _close(self) -> None:
        """Nobody is let in any more."""
        if self._is_open:
            self._is_open = False
            self._selector.unregister(_KEEPER)
            self._selector.unregister(self._door)
            self._door.close()

    def _asked(self) -> Request | None:
        line, _ = self._door.accept()
        line.settimeout(PATIENCE)
        try:
            asked = receive(line, self._own) if is_own(line) else None
            line.sendall(REFUSED if asked is None else ACCEPTED)
        except (
            OSError,
            ValueError,
            EOFError,
            TypeError,
            struct.error,
        ):  # whoever it was, it was none of ours
            line.close()
            return None
        if asked is None:
            line.close()
            self._check_age()
            return None
        process = os.fork()
        if process == 0:
            self._leave(line)
            return asked
        close_all(asked.files)
        self._lines[process] = line
        self._selector.register(line, selectors.EVENT_READ, process)
        return None

    def _leave(self, line: socket.socket) -> None:
        """In the copy: what is the server's is let go. Its line stays, so that `front` waits for the last of us."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for other in (self._door, self._woken, self._wake, *self._lines.values()):
            if other is not None:
                other.close()
        line.detach()

    def _signalled(self, process: int) -> None:
        line = self._lines[process]
        if line is None:
            return
        try:
            told = line.recv(64)
        except OSError:
            told = b""
        for number in told:
            if number in _TAKEN:
                os.kill(process, number)  # ours until we have asked how it ended
        if not told:
            # Whoever typed it was killed: as if that had been the process at work.
            self._drop(process)
            self._lines[process] = None
            os.kill(process, signal.SIGKILL)

    def _reap(self) -> None:
        for process in list(self._lines):
            ended, status = os.waitpid(process, os.WNOHANG)
            if not ended:
                continue
            line = self._lines[process]
            if line is not None:
                with contextlib.suppress(OSError):
                    line.sendall(ENDED.pack(status))
            self._drop(process)
            del self._lines[process]

    def _drop(self, process: int) -> None:
        line = self._lines[process]
        if line is not None:
            self._selector.unregister(line)
            line.close()

    def _check_age(self) -> None:
        if identity() != self._own:
            self.is_stale = True
            self._close()


def main(folder: Path) -> int:
    own = identity()  # before anything is loaded that may change meanwhile
    for name in _LOADED:
        import_module(name)
    gc.collect()
    gc.freeze()  # or the first collection of each copy would touch, and so copy, all of it
    place = folder / SOCKET
    with socket.socket(socket.AF_UNIX) as door:
        try:
            _listen(door, place)
        except OSError as error:  # a path may be too long for a socket
            sys.stderr.write(f"nobody stands by for commands, {place}: {error}\n")
            return 1
        number = place.stat().st_ino
        desk = Desk(door, own)
        asked = desk.turns()
    if asked is not None:
        return _carried_out(asked)
    with contextlib.suppress(FileNotFoundError):
        if place.stat().st_ino == number:  # and not that of the next daemon
            place.unlink()
    if desk.is_stale:
        os.execv(sys.executable, [sys.executable, "-m", _NAME, str(folder)])  # noqa: S606  ourselves
    return 0


def _listen(door: socket.socket, place: Path) -> None:
    place.unlink(missing_ok=True)
    os.umask(0o077)  # of a copy it is what its own command has
    door.bind(str(place))
    door.listen()
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), 1)  # whoever waits for it sees its end


def _carried_out(request: Request) -> int:
    """As if it were the process in which this was typed."""
    *streams, folder = request.files
    os.fchdir(folder)
    for place, file in enumerate(streams):
        os.dup2(file, place)
    close_all(request.files)
    os.umask(request.umask)
    os.environb.clear()
    os.environb.update(request.variables)
    time.tzset()
    sys.argv = [request.program, *request.arguments]
    sys.path[:] = request.path
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _open_streams()
    from lakeport.cli.line import carried_out  # noqa: PLC0415  loaded long ago

    return carried_out(request.arguments)


def _open_streams() -> None:
    """Anew: Python has found out at its start whether each is a terminal, or a file."""
    at, lines = sys.stdin, 1 if os.isatty(1) else -1
    sys.stdin = open(0, encoding=at.encoding, errors=at.errors, closefd=False)  # noqa: SIM115  until the end
    at = sys.stdout
    sys.stdout = open(1, "w", lines, at.encoding, at.errors, closefd=False)  # noqa: SIM115  as above
    at = sys.stderr
    sys.stderr = open(2, "w", 1, at.encoding, at.errors, closefd=False)  # noqa: SIM115  as above


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

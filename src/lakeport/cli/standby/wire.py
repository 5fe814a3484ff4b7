"""What `front` and `server` say to each other over a socket that its owner alone can reach.

First the request: the lengths of an identity and of the rest, with the standard streams and the folder as open files;
then one byte that accepts it or not. From then on each byte to the server is the number of a signal, and
the one answer is how the process ended. The rest is decoded only where the identity, and so the Python, is the same.
"""

from __future__ import annotations

import marshal
import os
import socket
import struct
import sys
from dataclasses import dataclass, replace

SOCKET = "standby"
"""The name of the socket in a daemon's folder."""

ACCEPTED = b"y"
REFUSED = b"n"

ENDED = struct.Struct("!i")
"""The wait status of the command's process."""

PATIENCE = 5.0
"""Seconds to wait for the other end before anything is accepted."""

_LENGTHS = struct.Struct("!II")
_LONGEST = 16 << 20
_FILES = 4
_PEER = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Request:
    """A command as somebody has typed it. `files` are the standard streams and the folder, opened by the reader."""

    arguments: list[str]
    program: str
    path: list[str]
    umask: int
    variables: dict[bytes, bytes]
    files: tuple[int, ...] = ()

    @classmethod
    def here(cls, arguments: list[str]) -> Request:
        umask = os.umask(0o077)
        os.umask(umask)
        return cls(arguments, sys.argv[0], list(sys.path), umask, dict(os.environb))


def send(line: socket.socket, identity: bytes, request: Request) -> None:
    rest = marshal.dumps(
        (request.arguments, request.program, request.path, request.umask, request.variables)
    )
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        lengths = _LENGTHS.pack(len(identity), len(rest))
        socket.send_fds(line, [lengths], [0, 1, 2, folder])
    finally:
        os.close(folder)
    line.sendall(identity + rest)


def receive(line: socket.socket, identity: bytes) -> Request | None:
    """None from somebody who is another one. The files are the caller's to close."""
    lengths, files, _, _ = socket.recv_fds(line, _LENGTHS.size, _FILES)
    try:
        rest = _rest(line, lengths, identity) if len(files) == _FILES else None
        if rest is not None:
            told = Request(*marshal.loads(rest))  # noqa: S302  of our own user
            return replace(told, files=tuple(files))
    except BaseException:
        close_all(files)
        raise
    close_all(files)
    return None


def _rest(line: socket.socket, lengths: bytes, identity: bytes) -> bytes | None:
    own, more = _LENGTHS.unpack(lengths)
    if max(own, more) > _LONGEST or _exactly(line, own) != identity:
        return None
    return _exactly(line, more)


def close_all(files: list[int] | tuple[int, ...]) -> None:
    for file in files:
        os.close(file)


def is_own(line: socket.socket) -> bool:
    """Whether the process at the other end is our own user's. Only Linux tells; elsewhere nobody stands by."""
    if not hasattr(socket, "SO_PEERCRED"):
        return False
    told = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return bool(_PEER.unpack(told)[1] == os.geteuid())


def _exactly(line: socket.socket, size: int) -> bytes:
    read = bytearray()
    while len(read) < size:
        part = line.recv(size - len(read))
        if not part:
            raise ConnectionError("cut off")
        read += part
    return bytes(read)

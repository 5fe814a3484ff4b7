"""A network between an engine and the door that does what networks do: it loses answers.

Bytes pass as they are. Of each commit of a table the test decides before it is sent on: it may do
something first, and say what becomes of the answer.
"""

from __future__ import annotations

import re
import select
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import urlsplit

_COMMIT = re.compile(rb"POST \S*/(namespaces/[^/]+/tables/[^/? ]+|transactions/commit) HTTP/")
_UNAVAILABLE = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_CHUNK = 65_536


class Fate(Enum):
    """What becomes of the answer to a commit; the commit itself always arrives."""

    PASSED = "passed"
    LOST = "lost"  # the connection is closed
    HIDDEN = "hidden"  # another machine between says 503


@dataclass
class Proxy:
    url: str
    decide: Callable[[], Fate] = lambda: Fate.PASSED
    commits: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fate(self) -> Fate:
        with self.lock:
            self.commits += 1
            return self.decide()


@contextmanager
def proxy_to(door: str) -> Iterator[Proxy]:
    parts = urlsplit(door)
    target = (parts.hostname or "", parts.port or 0)
    open_sockets: set[socket.socket] = set()

    class Link(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection(target) as behind:
                open_sockets.update((self.request, behind))
                with suppress(OSError):  # either side may leave, or be told to
                    _pass_on(self.request, behind, proxy)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = False  # so that closing waits for them

    with Server(("127.0.0.1", 0), Link) as server:
        port = server.server_address[1]
        proxy = Proxy(parts._replace(netloc=f"127.0.0.1:{port}").geturl())
        # The argument is how often it looks whether to stop.
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="proxy")
        thread.start()
        try:
            yield proxy
        finally:
            server.shutdown()
            thread.join()
            for one in open_sockets:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)


def _pass_on(engine: socket.socket, door: socket.socket, proxy: Proxy) -> None:
    fate = Fate.PASSED
    while True:
        ready, _, _ = select.select([engine, door], [], [])
        if engine in ready:
            data = engine.recv(_CHUNK)
            if _COMMIT.match(data):
                fate = proxy.fate()
            door.sendall(data)
        else:
            data = door.recv(_CHUNK)
            if fate is Fate.HIDDEN:
                engine.sendall(_UNAVAILABLE)
            if fate is not Fate.PASSED:
                return
            engine.sendall(data)
        if not data:
            return

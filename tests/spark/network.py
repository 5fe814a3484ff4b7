"""The network between Spark and the door: each request passes a judge, who may do anything to it.

He sees what is asked, sends it on when he likes, and says what the client hears, or that it hears nothing.
Nothing here waits for a time: who wants an answer to be late holds it until something has happened.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias
from urllib.parse import unquote, urlsplit

from lakeport.app.lake.pipeline import Pipeline
from lakeport.catalog.iceberg.attachment import Attachment

_COMMIT = re.compile(r"/namespaces/([^/]+)/tables/([^/?]+)$")
_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "host", "date", "server"}
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    line: socket.socket = field(repr=False)

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def commits_to(self) -> str | None:
        """The table that it is a commit to."""
        found = _COMMIT.search(self.path) if self.method == "POST" else None
        return None if found is None else unquote(found[2])

    @property
    def commits_together(self) -> bool:
        """Whether it is one commit to several tables."""
        return self.method == "POST" and self.path.endswith("/transactions/commit")

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def actions(self) -> list[str]:
        return [update["action"] for update in self.json.get("updates", ())]

    @property
    def moves_main(self) -> bool:
        """Whether rows become the table's by it."""
        return self.commits_to is not None and any(
            update["action"] == "set-snapshot-ref" and update["ref-name"] == "main"
            for update in self.json.get("updates", ())
        )

    def await_leaving(self) -> None:
        """Until the client has given up."""
        self.line.settimeout(_PATIENCE)
        with suppress(ConnectionResetError):
            assert not self.line.recv(1, socket.MSG_PEEK), "it asked for more"


Send: TypeAlias = Callable[[], Reply]
Judge: TypeAlias = Callable[[Asked, Send], Reply | None]


def passed(_: Asked, send: Send) -> Reply:
    return send()


def error(status: int, kind: str, message: str = "said by the network") -> Reply:
    told = {"error": {"message": message, "type": kind, "code": status}}
    return Reply(status, {"content-type": "application/json"}, json.dumps(told).encode())


class Network:
    """`judge` may be changed at any time. What he raises is raised again when the network closes."""

    def __init__(self) -> None:
        self.judge: Judge = passed
        self.failures: list[BaseException] = []
        self.port = 0
        self._behind = ""

    def to(self, uri: str) -> str:
        """The address by which that one is reached from now on."""
        parts = urlsplit(uri)
        self._behind = parts.netloc
        return parts._replace(netloc=f"127.0.0.1:{self.port}").geturl()

    def forward(self, asked: Asked) -> Reply:
        with_host = {**asked.headers, "Host": self._behind}
        line = http.client.HTTPConnection(self._behind, timeout=_PATIENCE)
        try:
            line.request(asked.method, asked.target, asked.body or None, with_host)
            answer = line.getresponse()
            headers = {k: v for k, v in answer.getheaders() if k.lower() not in _HOP}
            return Reply(answer.status, headers, answer.read())
        finally:
            line.close()

    def answer(self, asked: Asked) -> Reply | None:
        try:
            return self.judge(asked, lambda: self.forward(asked))
        except BaseException as failure:  # noqa: BLE001  the test raises it
            self.failures.append(failure)
            return None


@contextmanager
def network() -> Iterator[Network]:
    opened, lines = Network(), set[socket.socket]()

    class Link(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Else the body waits until the client has said that it has the headers: 40 ms for each answer.
        disable_nagle_algorithm = True

        def handle(self) -> None:
            lines.add(self.request)
            with suppress(OSError):  # either side may leave, or be told to
                super().handle()

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            sent = {k: v for k, v in self.headers.items() if k.lower() not in _HOP}
            asked = Asked(self.command, self.path, sent, body, self.request)
            reply = opened.answer(asked)
            if reply is None:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_HEAD = do_POST = do_DELETE = _pass  # noqa: N815  the names are the library's

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = False  # so that closing waits for them

    with Server(("127.0.0.1", 0), Link) as server:
        opened.port = server.server_port
        # The argument is how often it looks whether to stop.
        serving = threading.Thread(target=server.serve_forever, args=(0.01,), name="network")
        serving.start()
        try:
            yield opened
        finally:
            server.shutdown()
            serving.join()
            for line in lines:
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)
    if opened.failures:
        raise opened.failures[0]


class FarPipeline(Pipeline):
    """Spark reaches the door of this one through a network; `settings` are more of Spark's catalog."""

    def __init__(self, network: Network, *given: Any, settings: Any = None, **named: Any) -> None:
        super().__init__(*given, **named)
        self._network = network
        self._settings = dict(settings or {})

    def attachment(self) -> Attachment:
        near = super().attachment()
        proof = {**near.proof, **self._settings}
        return replace(near, uri=self._network.to(near.uri), proof=proof)

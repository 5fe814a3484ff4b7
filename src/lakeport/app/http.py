"""The HTTP port: an ASGI application on uvicorn, in a thread of its own.

The socket is bound before the thread starts, so a port in use is an error of the caller and port 0 is
known at once.
"""

from __future__ import annotations

import socket
import ssl
import threading
from typing import TYPE_CHECKING

import uvicorn
from starlette.types import ASGIApp

from lakeport.app.settings.values import Address
from lakeport.core.errors import UnavailableError

if TYPE_CHECKING:
    from lakeport.flight.options import Tls

_GRACE_SECONDS = 5  # a commit that has begun should be able to say that it was made
_KEEP_ALIVE_SECONDS = 75  # longer than clients hold on to an idle connection: they, not we, end it


class HttpServer:
    """`tls` was checked by whoever opened the gRPC port with it."""

    def __init__(self, app: ASGIApp, address: Address, tls: Tls | None = None) -> None:
        self._scheme = "http" if tls is None else "https"
        self._host = address.host
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        )
        if tls is not None:
            config.ssl_certfile, config.ssl_keyfile = str(tls.cert), str(tls.key)
            if tls.client_ca is not None:
                config.ssl_ca_certs = str(tls.client_ca)
                config.ssl_cert_reqs = ssl.CERT_REQUIRED
        config.load()
        self._server = uvicorn.Server(config)
        self._socket = _bound(address)
        self._thread = threading.Thread(target=self._run, name="lakeport-http", daemon=True)

    @property
    def address(self) -> str:
        return f"{self._scheme}://{Address(self._host, self._socket.getsockname()[1])}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """A request that still runs after the grace is left to the process's end."""
        self._server.should_exit = True
        self._thread.join(_GRACE_SECONDS + 1)
        self._socket.close()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])


def _bound(address: Address) -> socket.socket:
    """Listening already: a client that comes before uvicorn waits instead of being refused."""
    try:
        family, _, _, _, place = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.create_server(place[:2], family=family)
    except OSError:
        raise UnavailableError(
            f"cannot listen on {address}",
            hint="another program uses the port, or the host is not this machine's; "
            "choose another with `--http HOST:PORT` (port 0 means any free one)",
        ) from None
    # Connections inherit it; asyncio does not set it for a socket that it did not open. Without it an
    # answer's body waits 40 ms for the client to acknowledge the headers.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening

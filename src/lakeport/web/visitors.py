"""Web pages of others, kept out: what a browser sends for them is not what its user wants.

While no token is needed, whatever runs on this machine is admin, and a browser runs code of strangers: a page
could send requests here, or have its own name point here. Browsers say where a request comes from, and
which name it was sent to; programs do not pretend to be one.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from lakeport.access import Authenticator
from lakeport.access.exposure import is_loopback
from lakeport.core.errors import LakeportError, PermissionDeniedError

_FORBIDDEN = 403


class OwnPagesOnly:
    """Around the application of the HTTP port."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator) -> None:
        self._app = app
        self._authenticator = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and await self._is_strange(Headers(scope=scope)):
            refusal = PermissionDeniedError(
                "a page of another site cannot call this server",
                hint="call it from a program, or by the name that the server is known by",
            )
            answer = JSONResponse({"error": refusal.as_dict()}, _FORBIDDEN)
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _is_strange(self, headers: Headers) -> bool:
        host, origin = headers.get("host", ""), headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return True
        if is_loopback(urlsplit(f"//{host}").hostname or ""):
            return False
        # Somebody who stands before the server, such as a proxy, has other names for it, and tokens.
        return await to_thread.run_sync(self._needs_no_token)

    def _needs_no_token(self) -> bool:
        try:
            return self._authenticator.is_open
        except LakeportError:
            return False  # then nobody is let in further on, either

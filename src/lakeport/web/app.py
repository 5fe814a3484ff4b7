"""The application of the HTTP port.

`/health` (the process answers) and `/ready` (calls would be answered) need no token, because load
balancers have none; everything else does once there are tokens. Below `/iceberg` is the door of engines.
"""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

import lakeport
from lakeport.app.serve import Insight
from lakeport.app.serve.iceberg import PATH
from lakeport.core.errors import LakeportError
from lakeport.core.status import status_of
from lakeport.web.visitors import OwnPagesOnly

_OK = 200
_UNAVAILABLE = 503
_UNAUTHORIZED = 401


def build(insight: Insight, iceberg: ASGIApp) -> Starlette:
    # Plain functions: starlette runs them in its threads, and a slow catalog holds up nobody else.
    def health(_request: Request) -> Response:
        return JSONResponse({"status": "ok", "version": lakeport.__version__})

    def ready(_request: Request) -> Response:
        found = insight.readiness()
        body = {"status": "ready" if found.ready else "not ready"}
        if found.reason is not None:
            body["reason"] = found.reason
        return JSONResponse(body, _OK if found.ready else _UNAVAILABLE)

    def metrics(request: Request) -> Response:
        text = insight.metrics(request.headers.get("authorization"))
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    return Starlette(
        routes=[
            Route("/health", health),
            Route("/ready", ready),
            Route("/metrics", metrics),
            Mount(PATH, iceberg),
        ],
        exception_handlers={LakeportError: _refuse},
        middleware=[Middleware(OwnPagesOnly, authenticator=insight.authenticator)],
    )


def _refuse(_request: Request, error: Exception) -> Response:
    """Our errors carry a sentence for the caller; starlette answers any other with a bare 500."""
    body = {"error": error.as_dict()} if isinstance(error, LakeportError) else {}
    code = status_of(error).http
    headers = {"www-authenticate": "Bearer"} if code == _UNAUTHORIZED else None
    return JSONResponse(body, code, headers)

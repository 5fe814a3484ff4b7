"""The door as an ASGI application: who calls, which endpoint, its answer or the reason why not.

A handler runs in a thread of its own and to its end, also if the client has left: a commit that has begun
is not undone by a closed connection. Who calls is asked before a body is read; a change is refused when
too many others run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import parse_qsl, quote

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from lakeport.access import Identity
from lakeport.access.lending import Lender
from lakeport.catalog.catalogs import Catalogs
from lakeport.catalog.ports import Catalog
from lakeport.core.errors import InvalidRequestError, LakeportError, LimitError, NotFoundError
from lakeport.core.names import quoted
from lakeport.rest import commits, namespaces, oauth, tables, views
from lakeport.rest.account import Account, Watch
from lakeport.rest.answers import Answer
from lakeport.rest.config import WAREHOUSE, config_route
from lakeport.rest.desk import Desk
from lakeport.rest.discretion import discreet
from lakeport.rest.failures import (
    NO_ENDPOINT,
    NO_WAREHOUSE,
    NOTHING_KNOWN,
    NamedError,
    Subject,
    refused,
)
from lakeport.rest.incoming import body_of
from lakeport.rest.routes import Matched, Route, Routes, segments_of

BODY_BYTES = 64 << 20
CHANGES = 64
"""Requests that change something, at a time: who waits for a lock must not hold up who reads."""

_METHOD_NOT_ALLOWED, _NOT_FOUND = 405, 404
_JSON = "application/json"
_READING, _WITH_BODY = ("GET", "HEAD"), "POST"
_NOBODY = Identity("", frozenset())

_OF_CATALOGS = (*namespaces.ROUTES, *tables.ROUTES, *commits.ROUTES, *views.ROUTES)
ROUTES = Routes((config_route(_OF_CATALOGS), oauth.ROUTE, *_OF_CATALOGS))


class IcebergDoor:
    """`authenticate` takes the header `authorization`; `watches` are told of every request at its end."""

    def __init__(
        self,
        catalogs: Iterable[Catalog],
        authenticate: Callable[[str | None], Identity],
        *,
        body_bytes: int = BODY_BYTES,
        changes: int = CHANGES,
        lender: Lender | None = None,
        watches: Sequence[Watch] = (),
    ) -> None:
        self._catalogs = Catalogs(catalogs)
        self._authenticate = authenticate
        self._body_bytes = body_bytes
        self._changes = CapacityLimiter(changes)
        self._lender = lender
        self._watches = watches

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            answer = await self._answer(request)
        except ClientDisconnect:
            return
        response = Response(answer.body, answer.status, dict(answer.headers))
        if answer.body:
            response.headers["content-type"] = _JSON
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Answer:
        try:
            matched = self._matched(request)
        except (LakeportError, NamedError) as error:
            return refused(error, NO_ENDPOINT, commits=False)
        account = Account(request.method, matched.route.action, _peer(request))
        answer = await self._handled(request, matched, account)
        done = account.done(answer)
        for watch in self._watches:
            watch(done)
        return answer

    async def _handled(self, request: Request, matched: Matched, account: Account) -> Answer:
        route = matched.route
        try:
            if request.method in _READING:
                return await to_thread.run_sync(self._read, request, matched, account)
            account.desk = desk = await to_thread.run_sync(self._desk, request, matched)
            self._require_room()
            if request.method == _WITH_BODY:
                desk.body = await body_of(request, self._body_bytes)
            return await to_thread.run_sync(route.handler, desk, limiter=self._changes)
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001  every error is translated, ours and others'
            account.failure = error
            told = error if account.desk is None else discreet(account.desk, error)
            about = _about(account.desk, route)
            return refused(told, route.missing, about, commits=route.commits)

    def _read(self, request: Request, matched: Matched, account: Account) -> Answer:
        """In one go, as there is no body to wait for."""
        account.desk = self._desk(request, matched)
        return matched.route.handler(account.desk)

    def _matched(self, request: Request) -> Matched:
        segments = segments_of(_path(request.scope))
        found = ROUTES.find(request.method, segments)
        if isinstance(found, Matched):
            return found
        what = f"{request.method} {'/'.join(segments)}"
        if found:
            error = InvalidRequestError(
                f"{quoted(what)} is not offered", hint=f"the path has {', '.join(found)}"
            )
            name, allow = "UnsupportedOperationException", {"allow": ", ".join(found)}
            raise NamedError(error, _METHOD_NOT_ALLOWED, name, headers=allow)
        raise NotFoundError(f"there is no {quoted(what)}", hint="GET /v1/config lists what is here")

    def _desk(self, request: Request, matched: Matched) -> Desk:
        query, headers = _query(request), request.headers
        if matched.route.is_open:
            catalog = self._catalogs.default
            return Desk(_NOBODY, catalog, matched.path, query, headers, lender=self._lender)
        identity = self._authenticate(headers.get("authorization"))
        named = matched.path.get("prefix") or query.get(WAREHOUSE)
        catalog = self._catalog(identity, named)
        return Desk(identity, catalog, matched.path, query, headers)

    def _catalog(self, identity: Identity, named: str | None) -> Catalog:
        wanted = named or self._catalogs.default.name
        identity.require_sight(wanted)
        known = [each.name for each in self._catalogs if identity.sees(each.name)]
        try:
            return self._catalogs.find(wanted, known)
        except NotFoundError as error:
            raise NamedError(error, _NOT_FOUND, NO_WAREHOUSE) from error

    def _require_room(self) -> None:
        if not self._changes.available_tokens:
            raise LimitError("too much is being changed at once", hint="send it again")


def _about(desk: Desk | None, route: Route) -> Subject:
    if desk is None:
        return NOTHING_KNOWN
    return Subject(desk.namespace, desk.table, "View" if "view" in route.template else "Table")


def _peer(request: Request) -> str | None:
    client = request.client
    return None if client is None else f"{client.host}:{client.port}"


def _path(scope: Scope) -> bytes:
    """Below the mount, and not decoded: a name may hold an encoded slash."""
    raw: bytes = scope.get("raw_path") or quote(scope["path"]).encode()
    return raw.removeprefix(quote(scope.get("root_path", "")).encode())


def _query(request: Request) -> Mapping[str, str]:
    text = request.scope.get("query_string", b"").decode("latin-1")
    return dict(parse_qsl(text, keep_blank_values=True))

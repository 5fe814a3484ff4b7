"""One running server: the lake's catalogs, who may do what, the gRPC port and the HTTP port.

Opened from the inside out and closed from the outside in, whatever fails on the way: no port listens
before what is behind it is there, and the audit is written after the last call ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from starlette.types import ASGIApp

from lakeport.access import AuditLog, Authenticator, Pace, StatementLimits
from lakeport.access.exposure import check_exposure, opens_at_first
from lakeport.access.tokens import list_tokens
from lakeport.airport.announcements import Announcements
from lakeport.airport.library.server import Server
from lakeport.airport.scans import Pins
from lakeport.app import wiring
from lakeport.app.files import files_of
from lakeport.app.functions import opened_functions
from lakeport.app.http import HttpServer
from lakeport.app.serve.catalogs import ServedCatalogs, opened_catalogs
from lakeport.app.serve.collector import calm_collector
from lakeport.app.serve.functions import function_notices, function_overlay
from lakeport.app.serve.greeting import Greeting, client_address, client_location
from lakeport.app.serve.iceberg import PATH, iceberg_door
from lakeport.app.serve.insight import Insight
from lakeport.app.serve.lending import lending
from lakeport.app.serve.metrics import CallMetrics
from lakeport.app.serve.options import flight_options, issuer_of, tls_of
from lakeport.app.serve.requests import RequestMetrics
from lakeport.app.serve.view import Audit, Models, system_overlay
from lakeport.app.serve.warming import warming
from lakeport.app.settings import Settings
from lakeport.functions.project import ProjectFunctions
from lakeport.state import Store

WebApp: TypeAlias = Callable[[Insight, ASGIApp], ASGIApp]
"""Makes the application of the HTTP port, with the Iceberg door in it; faces are above use cases."""

_NOBODY = (
    "there is no token yet, so nobody can come in; `lakeport token create NAME` makes the first"
)


@dataclass(frozen=True, slots=True)
class Running:
    grpc: str
    http: str
    greeting: Greeting


@contextmanager
def running(settings: Settings, web: WebApp, *, insecure: bool = False) -> Iterator[Running]:
    """Serving while the block runs. Leaving it takes `server.limits.stop_seconds` at most, and a little."""
    with ExitStack() as stack:
        behind = _behind(stack, settings, insecure=insecure)
        insight = Insight(behind.served.catalogs, behind.authenticator, behind.exposition)
        flight = _flight(settings, behind)
        stack.callback(flight.stop)
        flight.start()
        http = HttpServer(
            web(insight, _iceberg(settings, behind)), settings.server.http, tls_of(settings.server)
        )
        http.start()
        stack.callback(http.stop)
        greeting = _greeting(settings, flight.address, http.address, behind)
        stack.enter_context(calm_collector())
        stack.enter_context(warming(behind.served.catalogs))
        try:
            yield Running(flight.address, http.address, greeting)
        finally:
            # While the last calls finish, the other port still tells that no new ones are taken.
            insight.stopping.set()
            flight.stop()


@dataclass(frozen=True, slots=True)
class _Behind:
    """What both ports share."""

    store: Store
    served: ServedCatalogs
    functions: ProjectFunctions
    audit: AuditLog
    authenticator: Authenticator
    has_issuer: bool
    calls: CallMetrics
    requests: RequestMetrics
    pace: Pace

    def exposition(self) -> bytes:
        return self.calls.exposition() + self.requests.exposition()


def _behind(stack: ExitStack, settings: Settings, *, insecure: bool) -> _Behind:
    server = settings.server
    hosts = (server.grpc.host, server.http.host)
    store = stack.enter_context(wiring.open_state(settings))
    check_exposure(
        hosts,
        has_tokens=_has_tokens(store) or server.oidc.issuer is not None,
        has_tls=tls_of(server) is not None,
        insecure=insecure,
    )
    served = stack.enter_context(opened_catalogs(settings))
    functions = stack.enter_context(opened_functions(settings))
    audit = stack.enter_context(AuditLog(store.audit, keep_days=settings.state.audit_days))
    issued = issuer_of(server)
    is_open = issued is None and opens_at_first(server.auth, hosts)
    return _Behind(
        store=store,
        served=served,
        functions=functions,
        audit=audit,
        authenticator=Authenticator(store.tokens, open_at_first=is_open, issued=issued),
        has_issuer=issued is not None,
        calls=CallMetrics(served.catalogs, lambda: audit.dropped),
        requests=RequestMetrics(),
        pace=Pace(),
    )


def _flight(settings: Settings, behind: _Behind) -> Server:
    server = settings.server
    options = flight_options(server)
    system = system_overlay(
        Audit(behind.store.audit, behind.audit),
        Models(behind.store.runs, behind.store.lineage),
        files_of(settings),
    )
    return Server(
        *behind.served.catalogs,
        host=options.host,
        port=options.port,
        auth=behind.authenticator,
        tls=options.tls,
        public_address=server.public_address,
        limits=options.limits,
        insecure=True,  # asked before, for both ports
        audit=behind.audit,
        overlay=function_overlay(settings, behind.functions, system),
        existing_schema_ok=server.existing_schema_ok,
        pins=Pins(behind.store.pins) if server.replicated else None,
        statement_limits=StatementLimits(
            server.limits.statement_rows, server.limits.statement_bytes
        ),
        lends=lending(server.data_uris, server.data_uri_functions),
        watchers=(behind.calls,),
        grace_seconds=server.limits.stop_seconds,
        announcements=Announcements(behind.store.announcements),
        pace=behind.pace,
    )


def _iceberg(settings: Settings, behind: _Behind) -> ASGIApp:
    return iceberg_door(
        behind.served.catalogs,
        behind.authenticator,
        store=behind.store,
        audit=behind.audit,
        metrics=behind.requests,
        pace=behind.pace,
        body_bytes=settings.server.limits.request_bytes,
    )


def _has_tokens(store: Store) -> bool:
    known = list_tokens(store.tokens, now_ns=time.time_ns())
    return any(token.state == "active" for token in known)


def _greeting(settings: Settings, grpc: str, http: str, behind: _Behind) -> Greeting:
    server = settings.server
    is_open = behind.authenticator.is_open
    anybody = is_open or behind.has_issuer or _has_tokens(behind.store)
    return Greeting(
        grpc=grpc,
        http=http,
        iceberg=client_address(http, server.http.host) + PATH,
        location=client_location(server.public_address, grpc, server.grpc.host),
        catalogs=tuple(catalog.name for catalog in behind.served.catalogs),
        is_open=is_open,
        notices=(
            *(() if anybody else (_NOBODY,)),
            *behind.served.notices(),
            *function_notices(behind.functions),
        ),
    )

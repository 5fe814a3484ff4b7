"""Settings as the gRPC server takes them."""

from __future__ import annotations

from collections.abc import Callable

from lakeport.access import Identity
from lakeport.access.oidc import Oidc
from lakeport.access.recognise import Asking
from lakeport.app.settings.sections import Server
from lakeport.flight.limits import Limits
from lakeport.flight.options import Options, Tls


def flight_options(server: Server) -> Options:
    given = server.limits
    limits = Limits(
        calls=given.calls,
        exchanges=given.exchanges,
        message_bytes=given.message_bytes,
        action_bytes=given.action_bytes,
        decompressed_bytes=given.decompressed_bytes,
        stream_bytes=given.stream_bytes,
        batch_rows=given.batch_rows,
        call_seconds=given.call_seconds,
        idle_seconds=given.idle_seconds,
    )
    return Options(server.grpc.host, server.grpc.port, tls_of(server), limits)


def tls_of(server: Server) -> Tls | None:
    """Both files or none of them: the settings' own rules see to that."""
    cert, key = server.tls.cert, server.tls.key
    return Tls(cert, key, server.tls.client_ca) if cert and key else None


def issuer_of(server: Server) -> Callable[[str | None], Identity] | None:
    """Whoever knows the tokens of the issuer that is configured."""
    given = server.oidc
    if given.issuer is None and given.audience is None:
        return None
    known = Oidc(
        given.issuer or "",
        given.audience or "",
        given.jwks_file or given.jwks_uri,
        name_claim=given.name_claim,
        abilities=given.grant,
        on=given.on,
    )
    return Asking(known).authenticate

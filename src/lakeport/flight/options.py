"""How a server is set up: where it listens, with which certificate, within which limits."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path

import grpc

from lakeport.core.errors import ConfigurationError
from lakeport.flight.limits import Limits

_METADATA_BYTES = 64 * 1024  # the DuckDB client puts paths, and some callers filters, into headers


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files. With `client_ca`, a client without a certificate of that authority gets no connection."""

    cert: Path
    key: Path
    client_ca: Path | None = None

    def credentials(self) -> grpc.ServerCredentials:
        """Checked here: gRPC itself would start, and then fail each handshake without a word."""
        key = pem(self.key, "`server.tls.key`")
        cert = pem(self.cert, "`server.tls.cert`")
        authority = (
            None if self.client_ca is None else pem(self.client_ca, "`server.tls.client_ca`")
        )
        try:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(self.cert, self.key)
            if self.client_ca is not None:
                context.load_verify_locations(self.client_ca)
        except (OSError, ValueError) as error:  # ssl's errors are OSErrors
            raise ConfigurationError(
                f"the TLS certificate or key cannot be used: {why_unusable(error)}",
                hint="`server.tls.cert`, `.key` and `.client_ca` are PEM files that belong together",
            ) from None
        return grpc.ssl_server_credentials([(key, cert)], authority, authority is not None)


@dataclass(frozen=True, slots=True)
class Options:
    host: str = "127.0.0.1"
    port: int = 0  # any free one
    tls: Tls | None = None
    limits: Limits = field(default_factory=Limits)
    # Two servers on one port share its connections. Off, so that a port in use is an error.
    reuse_port: bool = False

    @property
    def scheme(self) -> str:
        return "grpc" if self.tls is None else "grpc+tls"

    def channel_arguments(self) -> list[tuple[str, int]]:
        return [
            # gRPC's refusal names no setting. Ours comes first, unless a message is beyond all measure.
            ("grpc.max_receive_message_length", 2 * self.limits.message_bytes),
            ("grpc.max_send_message_length", -1),  # framing keeps it, with a better error
            ("grpc.max_metadata_size", _METADATA_BYTES),
            ("grpc.absolute_max_metadata_size", 2 * _METADATA_BYTES),
            ("grpc.so_reuseport", int(self.reuse_port)),
            # A client whose machine vanished sends nothing any more, not even a reset.
            ("grpc.keepalive_time_ms", 60_000),
            ("grpc.keepalive_timeout_ms", 20_000),
            ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
        ]


def pem(file: Path, what: str) -> bytes:
    """What is in it. `what` is the setting or option that names it: of three, one is wrong."""
    try:
        return file.read_bytes()
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{what} cannot be read: {why_unusable(error)}") from None


def why_unusable(error: OSError | ValueError) -> str:
    """Without the path that an OSError's text would show."""
    if isinstance(error, ssl.SSLError):
        return error.reason or "not a certificate and its key"
    return getattr(error, "strerror", None) or "not a PEM file"

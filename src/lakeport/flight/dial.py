"""A server's address as a person writes it, what proves either side to the other, and the channel.

What is wrong with an address is said here, before anything is dialled: gRPC would take `http` for the
name of a resolver and fail with words of its own. A user's name in an address is refused and not shown.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import grpc

from lakeport.core.errors import ConfigurationError, InvalidRequestError
from lakeport.core.names import quoted
from lakeport.core.secrets import mask_text
from lakeport.flight.options import pem, why_unusable

DEFAULT_PORT = 8815
_SCHEMES = {"grpc": False, "grpc+tcp": False, "grpc+tls": True}
_SHAPE = (
    f"write grpc://HOST:PORT, or grpc+tls://HOST:PORT for TLS; the usual port is {DEFAULT_PORT}"
)


@dataclass(frozen=True, slots=True)
class Target:
    host: str
    port: int
    is_encrypted: bool = False

    @classmethod
    def parse(cls, text: str) -> Target:
        shown = quoted(mask_text(text))
        try:
            parts = urlsplit(text.strip())
            port = parts.port
        except ValueError:
            raise InvalidRequestError(f"{shown} is no address of a server", hint=_SHAPE) from None
        reason = _why_not(parts)
        if reason is not None:
            raise InvalidRequestError(f"{shown} {reason}", hint=_SHAPE)
        return cls(parts.hostname or "", port or DEFAULT_PORT, _SCHEMES[parts.scheme])

    def __str__(self) -> str:
        return f"{'grpc+tls' if self.is_encrypted else 'grpc'}://{self.authority}"

    @property
    def authority(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def _why_not(parts: SplitResult) -> str | None:
    if parts.scheme in {"http", "https"}:
        return "is an address of HTTP, and rows are served over gRPC, on a port of its own"
    if parts.scheme not in _SCHEMES:
        return "does not begin with grpc:// or grpc+tls://"
    if "@" in parts.netloc:
        return "has a user or a token in it; the token goes into --token or LAKEPORT_TOKEN"
    if not parts.hostname:
        return "names no host"
    if parts.path.strip("/") or parts.query or parts.fragment:
        return "goes on after the port; a catalog is named by --catalog"
    return None


@dataclass(frozen=True, slots=True)
class Proof:
    """PEM files: the authority that vouches for the server, and the client's own certificate."""

    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    def credentials(self) -> grpc.ChannelCredentials:
        authority, cert = _pem(self.ca, "--ca"), _pem(self.cert, "--cert")
        key = _pem(self.key or self.cert, "--key")
        try:
            context = ssl.create_default_context(cafile=self.ca)
            if self.cert is not None:
                context.load_cert_chain(self.cert, self.key)
        except (OSError, ValueError) as error:  # ssl's errors are OSErrors
            raise ConfigurationError(
                f"the authority, certificate or key cannot be used: {why_unusable(error)}",
                hint="--ca, --cert and --key are PEM files; a key belongs to its certificate",
            ) from None
        return grpc.ssl_channel_credentials(authority, key, cert)


def _pem(file: Path | None, option: str) -> bytes | None:
    return None if file is None else pem(file, option)


def open_channel(target: Target, proof: Proof) -> grpc.Channel:
    options = [
        ("grpc.max_receive_message_length", -1),
        ("grpc.max_metadata_size", 64 * 1024),
        # A proxy of the web is no way to this machine itself.
        ("grpc.enable_http_proxy", int(not target.is_loopback)),
    ]
    if proof.key is not None and proof.cert is None:
        raise ConfigurationError("a key was given without its certificate", hint="add --cert FILE")
    if target.is_encrypted:
        return grpc.secure_channel(target.authority, proof.credentials(), options)
    if proof != Proof():
        raise ConfigurationError(
            f"{target} is not encrypted, so certificates prove nothing there",
            hint=f"write grpc+tls://{target.authority}",
        )
    return grpc.insecure_channel(target.authority, options)

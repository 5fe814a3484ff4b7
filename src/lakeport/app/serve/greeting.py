"""What a person is told once the server is ready: where it is, and what to paste into which engine."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from lakeport.airport.library.attach import attach_statements
from lakeport.app.settings.values import Address
from lakeport.catalog.iceberg.attachment import PLACEHOLDER, Attachment

_WILDCARDS = frozenset({"0.0.0.0", "::", "[::]"})  # noqa: S104  recognised here, not bound


@dataclass(frozen=True, slots=True)
class Greeting:
    """`location` and `iceberg` are where clients come; `grpc` and `http` what the ports are bound to."""

    grpc: str
    http: str
    iceberg: str
    location: str
    catalogs: tuple[str, ...]
    is_open: bool
    notices: tuple[str, ...] = ()

    def statements(self) -> tuple[str, ...]:
        """SQL for DuckDB. The secret first: scans find their token only there, by the location."""
        return attach_statements(self.location, self.catalogs, with_token=True)

    def attachments(self) -> tuple[Attachment, ...]:
        """How engines attach to each catalog; a token is theirs to fill in, where one is needed."""
        token = None if self.is_open else PLACEHOLDER
        return tuple(Attachment.to_door(name, self.iceberg, token) for name in self.catalogs)


def client_location(public: str | None, grpc: str, host: str) -> str:
    """The configured address, else the bound one, with this machine's name where that is any address."""
    return client_address(grpc, host) if public is None else public


def client_address(bound: str, host: str) -> str:
    """The bound address, with this machine's name where that is any address."""
    if host not in _WILDCARDS:
        return bound
    scheme, _, place = bound.partition("://")
    return f"{scheme}://{Address(socket.gethostname(), int(place.rpartition(':')[2]))}"

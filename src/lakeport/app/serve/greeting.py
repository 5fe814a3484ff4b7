"""What a person is told once the server is ready: where it is, and what to paste into DuckDB."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from lakeport.app.settings.values import Address

_WILDCARDS = frozenset({"0.0.0.0", "::", "[::]"})  # noqa: S104  recognised here, not bound
_AIRPORT = "INSTALL airport FROM community; LOAD airport;"


@dataclass(frozen=True, slots=True)
class Greeting:
    """`location` is where clients come; `grpc` and `http` are what the ports are bound to."""

    grpc: str
    http: str
    location: str
    catalogs: tuple[str, ...]
    is_open: bool
    notices: tuple[str, ...] = ()

    def statements(self) -> tuple[str, ...]:
        """SQL for DuckDB. The secret first: scans find their token only there, by the location."""
        scope = _literal(self.location)
        return (
            _AIRPORT,
            f"CREATE SECRET lakeport (TYPE airport, AUTH_TOKEN 'TOKEN', SCOPE {scope});",
            *(
                f"ATTACH {_literal(name)} AS {_identifier(name)} (TYPE airport, LOCATION {scope});"
                for name in self.catalogs
            ),
        )


def client_location(public: str | None, grpc: str, host: str) -> str:
    """The configured address, else the bound one, with this machine's name where that is any address."""
    if public is not None:
        return public
    if host not in _WILDCARDS:
        return grpc
    scheme, _, place = grpc.partition("://")
    return f"{scheme}://{Address(socket.gethostname(), int(place.rpartition(':')[2]))}"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

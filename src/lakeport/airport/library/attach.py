"""What to paste into DuckDB to attach a server."""

from __future__ import annotations

from collections.abc import Iterable

_EXTENSION = "INSTALL airport FROM community; LOAD airport;"


def attach_statements(
    location: str, catalogs: Iterable[str], *, with_token: bool
) -> tuple[str, ...]:
    """The secret first: scans find their token only there, by the location (chapter 1.3)."""
    scope = _literal(location)
    secret = f"CREATE SECRET lakeport (TYPE airport, AUTH_TOKEN 'TOKEN', SCOPE {scope});"
    return (
        _EXTENSION,
        *((secret,) if with_token else ()),
        *(
            f"ATTACH {_literal(name)} AS {_identifier(name)} (TYPE airport, LOCATION {scope});"
            for name in catalogs
        ),
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

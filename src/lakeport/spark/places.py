"""Where the rows of an endpoint are: on the connection there is, at another server, or in files (chapter 3.3)."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Sequence

from lakeport.core.errors import InvalidRequestError, LakeportError, UnsupportedError
from lakeport.core.names import TableName, quoted
from lakeport.flight.dial import Target
from lakeport.flight.messages import REUSE_CONNECTION
from lakeport.spark.options import Access
from lakeport.spark.packing import member, text, unpack

_SCHEMES = ("grpc://", "grpc+tcp://", "grpc+tls://")
_FUNCTION_CALL = "data:application/x-msgpack-duckdb-function-call;base64,"
_FILE = "data:application/msgpack;base64,"


def place_of(locations: Sequence[str], access: Access, table: TableName) -> Target | None:
    """Another server to dial; None is the connection there is. No location at all means the same."""
    if not locations or any(place.startswith(REUSE_CONNECTION[:-1]) for place in locations):
        return None
    for place in locations:
        if place.startswith(_SCHEMES):
            return _followed(Target.parse(place), access)
    raise _elsewhere(locations[0], table)


def _followed(there: Target, access: Access) -> Target | None:
    if there == access.target:
        return None
    if access.token is not None and access.target.is_encrypted and not there.is_encrypted:
        raise UnsupportedError(
            f"{access.target} sends readers to {there}, which is not encrypted, and a token is not"
            " sent there",
            hint="let the server name an address with grpc+tls://",
        )
    return there


def _elsewhere(place: str, table: TableName) -> LakeportError:
    name = quoted(str(table))
    if place.startswith(_FUNCTION_CALL):
        function = _said(place.removeprefix(_FUNCTION_CALL), "function_name")
        return UnsupportedError(
            f"table {name} is served by reference: DuckDB is to read it with {quoted(function)}",
            hint="read the files with Spark's own sources, or ask the server to send rows",
        )
    if place.startswith(_FILE):
        form = _said(place.removeprefix(_FILE), "format")
        return UnsupportedError(
            f"table {name} is served by reference to files of the form {quoted(form)}",
            hint="read the files with Spark's own sources, or ask the server to send rows",
        )
    return UnsupportedError(f"the rows of table {name} are at a place of an unknown kind")


def _said(encoded: str, key: str) -> str:
    """One word of a reference; the rest of it may hold addresses with credentials."""
    try:
        return text(member(unpack(b64decode(encoded, validate=True)), key))
    except (binascii.Error, ValueError, TypeError, AttributeError, InvalidRequestError):
        return "?"

"""Which table a descriptor or a JSON ticket means, and what of it is wanted.

Descriptors come as paths of two or three names, with or without the layout the client holds
(`@<schema-id>.<8 hex of the uuid>`), and as contract 001's JSON. Names in paths are written
percent-encoded, because DuckDB's client copies them into headers; they are read either way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Protocol
from urllib.parse import unquote

import msgspec

from lakeport.airport.wire.fields import Fields
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName
from lakeport.core.timepoint import TimePoint, from_nanoseconds, from_seconds, from_unit
from lakeport.flight.messages import FlightDescriptor

_LAYOUT = re.compile(r"@(?P<schema>\d{1,10})\.(?P<uuid>[0-9a-f]{8})\Z")
_HEX = re.compile(r"%[0-9A-Fa-f]{2}")
_PATH = "send [namespace, table] or [catalog, namespace, table]"
_UUID_DIGITS = 8
_DIGITS = re.compile(r"[0-9a-f]{8}")


class Shaped(Protocol):
    """A table's state, or what is left of one in a listing."""

    @property
    def uuid(self) -> str: ...

    @property
    def schema_id(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns a client was told of: the table's schema id, and whose schema id it is."""

    schema_id: int
    uuid: str

    @classmethod
    def of(cls, state: Shaped) -> Layout:
        digits = state.uuid.replace("-", "")[:_UUID_DIGITS].lower()
        if not _DIGITS.fullmatch(digits):
            # A catalog of a user's own may call its tables whatever it likes.
            digits = sha256(state.uuid.encode("utf-8", "surrogatepass")).hexdigest()[:_UUID_DIGITS]
        return cls(state.schema_id, digits)

    def __str__(self) -> str:
        return f"@{self.schema_id}.{self.uuid}"


@dataclass(frozen=True, slots=True)
class Requested:
    """`spelled` is the name as it was sent, where that differs from what it decodes to."""

    name: TableName
    spelled: TableName | None = None
    catalog: str | None = None
    layout: Layout | None = None
    at: TimePoint | None = None
    columns: tuple[str, ...] | None = None
    filter: str | None = None
    limit: int | None = None

    def at_point(self, unit: str, value: str) -> Requested:
        """The same at the point an action names beside the descriptor; the point named last wins."""
        point = from_unit(unit, value)
        return self if point is None else replace(self, at=point)


def requested(descriptor: FlightDescriptor) -> Requested:
    if descriptor.path:
        return from_path(descriptor.path)
    if descriptor.command:
        return from_json(descriptor.command, "the descriptor's command")
    raise InvalidRequestError(
        "the descriptor names no table", hint="send the path [namespace, table]"
    )


def from_path(path: tuple[str, ...]) -> Requested:
    names, layout = path, None
    if len(path) > 2 and path[-1].startswith("@"):
        names, layout = path[:-1], _layout(path[-1])
    if not 2 <= len(names) <= 3:
        raise InvalidRequestError(
            f"a table's path has two or three names, got {len(names)}", hint=_PATH
        )
    if not all(names[-2:]):
        raise InvalidRequestError("a name in the table's path is empty", hint=_PATH)
    read = tuple(decoded(name) for name in names)
    name = TableName(read[-2], read[-1])
    spelled = TableName(names[-2], names[-1])
    return Requested(
        name,
        spelled if spelled != name else None,
        (read[0] or None) if len(read) == 3 else None,
        layout,
    )


def from_json(body: bytes, what: str) -> Requested:
    """Contract 001's JSON, with the optional members that carry contract 002's ScanOptions."""
    fields = Fields.of_json(body, what)
    name = TableName(fields.required_text("schema_name"), fields.required_text("table_name"))
    return Requested(
        name,
        catalog=fields.text("catalog_name") or None,
        at=_moment(fields),
        columns=fields.texts("columns"),
        filter=_filter(fields),
        limit=_limit(fields),
    )


def path_of(name: TableName, layout: Layout | None = None) -> tuple[str, ...]:
    path = (encoded(name.namespace), encoded(name.table))
    return path if layout is None else (*path, str(layout))


def _layout(text: str) -> Layout:
    found = _LAYOUT.match(text)
    if found is None:
        raise InvalidRequestError(
            "the path's last element is no layout that this server gave out",
            hint="in DuckDB, DETACH and ATTACH the catalog again; a table's own @ is written %40",
        )
    return Layout(int(found["schema"]), found["uuid"])


def encoded(name: str) -> str:
    """A name in a path: printable ASCII but for `%`, `/` and a leading `@`, which would read as a layout."""
    escaped = "".join(
        character if " " <= character <= "~" and character not in "%/" else _escape(character)
        for character in name
    )
    return "%40" + escaped[1:] if escaped.startswith("@") else escaped


def _escape(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def decoded(name: str) -> str:
    """What does not decode to text was never encoded."""
    if not _HEX.search(name):
        return name
    try:
        return unquote(name, errors="strict")
    except UnicodeDecodeError:
        return name


def _moment(fields: Fields) -> TimePoint | None:
    seconds, nanoseconds = fields.values.get("ts"), fields.values.get("ts_ns")
    if seconds is not None and nanoseconds is not None:
        raise InvalidRequestError("`ts` and `ts_ns` are both set", hint="send at most one of them")
    if seconds is not None:
        return from_seconds(seconds)
    return None if nanoseconds is None else from_nanoseconds(nanoseconds)


def _filter(fields: Fields) -> str | None:
    """The filter document, as an object or as its text."""
    value = fields.values.get("filter")
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode()
    return fields.text("filter") or None


def _limit(fields: Fields) -> int | None:
    value = fields.values.get("limit")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise InvalidRequestError("`limit` must be a non-negative 64-bit integer")
    return value

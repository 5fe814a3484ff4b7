"""The answer of `list_schemas`, taken apart in steps, so that each can be judged by itself."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from lakeport.conformance.attached import Attached, Version, decoded
from lakeport.conformance.objects import Entry, entry_of
from lakeport.conformance.packing import map_of, text_of, unpack, unwrap
from lakeport.conformance.verdicts import NotOfferedError, broken
from lakeport.flight.call import Method
from lakeport.flight.messages import FlightInfo

_NO_HASH = ("", "0" * 64)
_MISMATCH = 'the schema fails to load: "SHA256 mismatch"'


@dataclass(frozen=True, slots=True)
class Contents:
    """A contents-record."""

    sha256: str
    url: str | None
    serialized: bytes | None

    @classmethod
    def of(cls, record: object, what: str) -> Contents:
        found = map_of(record, "2.3", f"`contents` of {what}")
        url, serialized = found.get("url"), found.get("serialized")
        if serialized is not None and not isinstance(serialized, bytes):
            raise broken("2.3", f"`serialized` of {what} is not binary")
        return cls(
            text_of(found.get("sha256"), "2.3", f"`sha256` of {what}"),
            None if url is None else text_of(url, "2.3", f"`url` of {what}"),
            serialized,
        )

    @property
    def is_empty(self) -> bool:
        return self.sha256 in _NO_HASH and not self.url and not self.serialized

    def verified(self, what: str) -> bytes:
        """The inline bytes; their hash is checked unless there is none."""
        data = self.serialized or b""
        if self.sha256 not in _NO_HASH:
            _verify(data, self.sha256, what)
        return data


@dataclass(frozen=True, slots=True)
class Namespace:
    """A schema-record."""

    name: str
    description: str
    tags: dict[str, str]
    contents: Contents


@dataclass(frozen=True)
class Root:
    contents: Contents
    namespaces: tuple[Namespace, ...]
    version: Version


def fetch_root(attached: Attached) -> Root:
    body = attached.one("list_schemas", attached.named())
    unpacked = unpack(unwrap(body, "2.3", "list_schemas"), "2.3", "list_schemas")
    root = map_of(unpacked, "2.3", "the root of list_schemas")
    records = root.get("schemas")
    if not isinstance(records, list):
        raise broken("2.3", "`schemas` of list_schemas is not an array")
    version = Version.of(root.get("version_info"), "2.3", "version_info")
    contents = Contents.of(root.get("contents"), "the catalog")
    return Root(contents, tuple(_namespace(each) for each in records), version)


def _namespace(record: object) -> Namespace:
    fields = map_of(record, "2.3", "a schema")
    name = text_of(fields.get("name"), "2.3", "the name of a schema")
    what = f"the schema `{name}`"
    if "is_default" in fields and not isinstance(fields["is_default"], bool | None):
        raise broken("2.3", f"`is_default` of {what} is neither a boolean nor nil")
    return Namespace(
        name,
        text_of(fields.get("description"), "2.3", f"`description` of {what}"),
        _tags(fields.get("tags"), what),
        Contents.of(fields.get("contents"), what),
    )


def _tags(value: object, what: str) -> dict[str, str]:
    tags = map_of(value, "2.3", f"`tags` of {what}")
    return {key: text_of(text, "2.3", f"a tag of {what}") for key, text in tags.items()}


def bytes_of(root: Root, namespace: Namespace) -> bytes | None:
    """A schema's bytes, inline or out of the catalog's pack; None where ListFlights tells them."""
    what, contents = f"schema `{namespace.name}`", namespace.contents
    if contents.serialized is not None:
        return contents.verified(what)
    if contents.url or root.contents.url:
        raise NotOfferedError(
            f"the contents of {what} are served by URL, which is not fetched here"
        )
    if contents.is_empty:
        return None
    for sha256, data in _pack(root.contents):
        if sha256 == contents.sha256:
            _verify(data, sha256, what)
            return data
    raise broken("2.3", f"the contents of {what} are nowhere: no bytes, no URL, not in the pack")


def _pack(contents: Contents) -> list[tuple[str, bytes]]:
    pairs: Any = unpack(contents.verified("catalog"), "2.3", "the catalog's pack")
    if not isinstance(pairs, list):
        raise broken("2.3", "the catalog's pack is not an array")
    found = []
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], bytes):
            raise broken("2.3", "the catalog's pack is not an array of hashes and bytes")
        found.append((text_of(pair[0], "2.3", "a hash of the catalog's pack"), pair[1]))
    return found


def _verify(data: bytes, sha256: str, what: str) -> None:
    if hashlib.sha256(data).hexdigest() != sha256:
        raise broken("2.3", f"the bytes of {what} do not have the hash {sha256!r}", _MISMATCH)


def entries_of(attached: Attached, root: Root, namespace: Namespace) -> list[Entry]:
    """Every object; the first that is malformed is a broken rule."""
    data = bytes_of(root, namespace)
    if data is None:
        return flights_of(attached, namespace.name)
    what = f"the contents of schema `{namespace.name}`"
    items = unpack(unwrap(data, "2.3", what), "2.3", what)
    if not isinstance(items, list):
        raise broken("2.3", f"{what} are not an array")
    return [entry_of(each, "0.4", attached.catalog, namespace.name) for each in items]


def flights_of(attached: Attached, namespace: str) -> list[Entry]:
    """By ListFlights, as the client asks where a listing leaves it to that."""
    headers = attached.headers(airport_list_flights_filter_schema=namespace)
    headers.append(("airport-list-flights-filter-catalog", attached.catalog))
    found = attached.ask(Method.LIST_FLIGHTS, b"", headers, "ListFlights")
    infos = [decoded(FlightInfo.decode, each, "2.7", "a FlightInfo") for each in found]
    return [entry_of(info.encode(), "2.7", attached.catalog, namespace) for info in infos]


def find(attached: Attached, namespace: str, name: str) -> Entry | None:
    """A table as the listing tells it."""
    root = fetch_root(attached)
    for each in root.namespaces:
        if each.name.casefold() == namespace.casefold():
            for entry in entries_of(attached, root, each):
                if entry.kind == "table" and entry.name.casefold() == name.casefold():
                    return entry
    return None

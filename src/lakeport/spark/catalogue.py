"""A table as a server announces it: looked up in `list_schemas`, in whichever shape that comes (chapter 2.3).

Descriptors are the server's own: what it announced is sent back word for word, and nothing is made up.
Only the namespace that is asked for is unpacked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.core.errors import CorruptDataError, NotFoundError, UnavailableError
from lakeport.core.names import TableName, fold, quoted
from lakeport.flight.messages import FlightDescriptor, FlightInfo
from lakeport.spark.packing import member, text, unpack, unwrap

_ROW_ID = b"is_rowid"
_DEFAULT = b"default"
_SECONDS = 60
_MOST_BYTES = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Announced:
    """`columns` are those that a user sees, in the order in which column ids count them."""

    name: TableName
    descriptor: FlightDescriptor
    columns: pa.Schema
    row_id: Field | None

    def column_id(self, name: str) -> int | None:
        """In any spelling."""
        wanted = fold(name)
        return next(
            (place for place, known in enumerate(self.columns.names) if fold(known) == wanted), None
        )


@dataclass(frozen=True, slots=True)
class Shelf:
    """A namespace of an answer; `contents` is None where the objects have to be asked for."""

    name: str
    contents: Callable[[], bytes] | None


def announced(info: FlightInfo) -> Announced | None:
    """The table that a FlightInfo describes; None if it describes none."""
    if info.descriptor is None or not info.app_metadata:
        return None
    about = unpack(info.app_metadata)
    if text(member(about, "type")) != "table":
        return None
    name = TableName(text(member(about, "schema")), text(member(about, "name")))
    schema = pa.ipc.read_schema(pa.py_buffer(info.schema))
    row_id = next((field for field in schema if (field.metadata or {}).get(_ROW_ID)), None)
    columns = [field for field in schema if not (field.metadata or {}).get(_ROW_ID)]
    return Announced(name, info.descriptor, pa.schema(columns), row_id)


def has_default(column: Field) -> bool:
    return bool((column.metadata or {}).get(_DEFAULT))


def shelves(body: bytes) -> list[Shelf]:
    """The namespaces of an answer to `list_schemas`."""
    root = unwrap(body)
    packed = _given(member(root, "contents") or {})
    by_hash = None if packed is None else _Pack(packed)
    return [_shelf(record, by_hash) for record in member(root, "schemas")]


def find_namespace(found: list[Shelf], name: str) -> Shelf:
    exact = [shelf for shelf in found if shelf.name == name]
    folded = [shelf for shelf in found if fold(shelf.name) == fold(name)]
    for shelf in (*exact, *folded):
        return shelf
    raise NotFoundError.among("namespace", name, [shelf.name for shelf in found])


def tables_in(contents: bytes) -> Iterator[Announced]:
    return tables_of(FlightInfo.decode(each) for each in unwrap(contents))


def tables_of(infos: Iterator[FlightInfo]) -> Iterator[Announced]:
    described = (announced(info) for info in infos)
    return (table for table in described if table is not None)


def find_table(tables: Iterator[Announced], name: TableName) -> Announced:
    known = {table.name.table: table for table in tables}
    if name.table in known:
        return known[name.table]
    for spelled, table in known.items():
        if fold(spelled) == fold(name.table):
            return table
    raise NotFoundError.among(
        "table", name.table, known, where=f"namespace {quoted(name.namespace)}"
    )


class _Pack:
    """The contents of all namespaces in one piece, by their hashes; unpacked when first asked for."""

    def __init__(self, load: Callable[[], bytes]) -> None:
        self._load = load
        self._held: dict[str, bytes] | None = None

    def get(self, digest: str) -> bytes:
        if self._held is None:
            self._held = {text(key): value for key, value in unpack(self._load())}
        return self._held[digest]


def _shelf(record: Any, pack: _Pack | None) -> Shelf:
    name, contents = text(member(record, "name")), member(record, "contents") or {}
    given = _given(contents)
    digest = text(member(contents, "sha256") or b"")
    if given is None and digest.strip("0") and pack is not None:
        return Shelf(name, lambda: pack.get(digest))
    return Shelf(name, given)


def _given(contents: Any) -> Callable[[], bytes] | None:
    """How the bytes of a contents-record are had, if it says so."""
    digest = text(member(contents, "sha256") or b"")
    serialized, url = member(contents, "serialized"), member(contents, "url")
    if serialized is not None:
        return lambda: _checked(bytes(serialized), digest)
    if url:
        return lambda: _checked(_fetched(text(url)), digest)
    return None


def _checked(contents: bytes, digest: str) -> bytes:
    if digest.strip("0") and sha256(contents).hexdigest() != digest.lower():
        raise CorruptDataError(
            "the server's catalogue is not what its own hash says", hint="read it again"
        )
    return contents


def _fetched(url: str) -> bytes:
    if urlsplit(url).scheme not in {"http", "https"}:
        raise ValueError(url)
    try:
        with urlopen(url, timeout=_SECONDS) as answer:  # noqa: S310  its scheme is checked
            found: bytes = answer.read(_MOST_BYTES)
    except OSError as error:
        host = urlsplit(url).hostname
        raise UnavailableError(
            f"the server keeps its catalogue at {host}, which cannot be read: {error}"
        ) from None
    return found

"""Table metadata, read once per file: the catalog's pointer moves, the file it points to never changes.

A `TableMetadata` is shared by all who read that state of the table and must not be changed.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pyiceberg.exceptions import ValidationError
from pyiceberg.io import PY_IO_IMPL, SCHEMA_TO_FILE_IO, FileIO, load_file_io
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil
from pyiceberg.table.update import (
    TableUpdate,
    _apply_table_update,
    _TableMetadataUpdateContext,
)
from pyiceberg.typedef import Properties

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.failures import last_name, reading
from lakeport.catalog.iceberg.parts import MEBIBYTE
from lakeport.core.errors import UnsupportedError
from lakeport.core.names import TableName, quoted

# What the decoded objects take for each byte of JSON (measured: 7 for many snapshots, 13 for many columns).
_GROWTH = 10

# A giant (10,000 snapshots are 6 MB) counts for no more than this, or no cache would keep it and each
# call would parse it again; whoever reads the table has it in memory anyway.
_HEAVIEST = 24 * MEBIBYTE

_NEWEST_FORMAT = 3

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Held:
    """Metadata with about what it weighs in memory."""

    metadata: TableMetadata
    nbytes: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """A table as the catalog pointed to it at one moment; `io` may carry credentials for its files.

    `config` is what a service wants to see again in requests about the table.
    """

    location: str
    metadata: TableMetadata
    io: FileIO
    config: Properties = field(default_factory=dict)


def load_metadata(
    caches: Caches, name: TableName, location: str, access: Callable[[], FileIO]
) -> TableMetadata:
    """The metadata in that file, from memory if it was read before."""
    return caches.metadata.get(location, lambda: _read(name, location, access)).metadata


def remember(caches: Caches, name: TableName, found: Table) -> TableMetadata:
    """Of a table that a service described: the object already held for its file, else this one.

    What hangs on the object is then found again.
    """
    location, metadata = found.metadata_location, found.metadata
    with reading(f"the description of table {quoted(str(name))}"):
        _check(metadata)
    if not location:  # a service may leave it out
        return metadata
    return caches.metadata.get(location, lambda: _held(metadata, _size(metadata))).metadata


def hold(caches: Caches, location: str, metadata: TableMetadata) -> None:
    """What a commit of ours has made: nobody needs to read it."""
    if location:
        caches.metadata.put(location, _held(metadata, _size(metadata)))


def _size(metadata: TableMetadata) -> int:
    fields = sum(len(schema.fields) for schema in metadata.schemas)
    return 600 + 400 * len(metadata.snapshots) + 100 * fields


def _read(name: TableName, location: str, access: Callable[[], FileIO]) -> Held:
    with reading(f"metadata file {quoted(last_name(location))} of table {quoted(str(name))}"):
        with access().new_input(location).open() as stream:
            data = stream.read()
        if data.startswith(_GZIP):  # two endings are in use for it
            data = gzip.decompress(data)
        return _held(_parsed(name, data.decode("utf-8")), len(data))


def _parsed(name: TableName, text: str) -> TableMetadata:
    try:
        metadata = TableMetadataUtil.parse_raw(text)
    except ValidationError:
        stated = json.loads(text)
        version = stated.get("format-version") if isinstance(stated, dict) else None
        if isinstance(version, int) and version > _NEWEST_FORMAT:
            raise UnsupportedError(
                f"table {quoted(str(name))} has Iceberg format {version}",
                hint=f"formats up to {_NEWEST_FORMAT} can be read",
            ) from None
        raise
    _check(metadata)
    return metadata


def _check(metadata: TableMetadata) -> None:
    """PyIceberg shows a table whose current snapshot is not listed as empty."""
    if metadata.current_snapshot_id is not None and metadata.current_snapshot() is None:
        raise ValueError("it does not list its current snapshot")


def _held(metadata: TableMetadata, size: int) -> Held:
    return Held(metadata, min(_GROWTH * size, _HEAVIEST))


def open_storage(properties: Properties, location: str) -> FileIO:
    """How to reach files at such a location.

    The properties are the catalog's, and none of the table's: whoever may alter a table could send our
    credentials elsewhere, or name a Python class to be loaded.
    """
    scheme, colon, _ = location.partition("://")
    if colon and scheme not in SCHEMA_TO_FILE_IO and PY_IO_IMPL not in properties:
        raise UnsupportedError(
            f"files at {quoted(scheme + colon)} cannot be read: no storage of that kind is known",
            hint=f"name a FileIO class for it in the catalog's property {quoted(PY_IO_IMPL)}",
        )
    return load_file_io(properties, location)


class SharedStorage:
    """FileIO objects by what configures them: each holds connections, so equal ones are shared."""

    def __init__(self, limit: int = 64) -> None:
        self._limit = limit
        self._held: OrderedDict[object, FileIO] = OrderedDict()
        self._lock = threading.Lock()

    def shared(self, io: FileIO) -> FileIO:
        """The one already open with the same configuration, or this one from now on."""
        settings = frozenset((name, str(value)) for name, value in io.properties.items())
        key = (type(io), settings)
        with self._lock:
            known = self._held.setdefault(key, io)
            self._held.move_to_end(key)
            if len(self._held) > self._limit:
                self._held.popitem(last=False)
        return known


def updated(metadata: TableMetadata, updates: Iterable[TableUpdate]) -> TableMetadata:
    """The metadata after these updates; whatever they leave alone is shared with the one before.

    PyIceberg's own `update_table_metadata` ends with a copy of everything, every snapshot included.
    """
    context = _TableMetadataUpdateContext()
    for update in updates:
        metadata = _apply_table_update(update, metadata, context)
    return metadata

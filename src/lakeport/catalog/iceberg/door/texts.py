"""The text of a table's metadata as it is stored: engines get it unchanged, and nothing here reads it.

A table with a long history has megabytes of it. To make Python objects of that, only to write them down
again, would take longer than all the rest.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from pyiceberg.io import FileIO

from lakeport.catalog.iceberg.caches import Caches
from lakeport.catalog.iceberg.failures import last_name, reading
from lakeport.catalog.iceberg.storage import open_file
from lakeport.core.names import TableName, quoted

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Text:
    data: bytes

    @property
    def nbytes(self) -> int:
        return len(self.data)


def text_at(caches: Caches, name: TableName, location: str, access: Callable[[], FileIO]) -> bytes:
    """From memory if it was read, or written, before."""
    return caches.texts.get(location, lambda: _read(name, location, access())).data


def _read(name: TableName, location: str, io: FileIO) -> Text:
    what = f"metadata file {quoted(last_name(location))} of table {quoted(str(name))}"
    with reading(what):
        with open_file(io, location) as opened:
            data: bytes = opened.handle.read()
        if data.startswith(_GZIP):  # two endings are in use for it
            data = gzip.decompress(data)
        # Half a file must not become half an answer.
        msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    return Text(data)

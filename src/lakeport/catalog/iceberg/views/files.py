"""A view's metadata file, read once: nobody rewrites it, a change of the view writes the next one."""

from __future__ import annotations

import gzip
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyiceberg.view.metadata import ViewMetadata

from lakeport.catalog.iceberg.failures import last_name, reading
from lakeport.catalog.iceberg.metadata import open_storage
from lakeport.core.names import TableName, quoted

if TYPE_CHECKING:
    from lakeport.catalog.iceberg.surroundings import Surroundings

_PATH = "write.metadata.path"
_GZIP = b"\x1f\x8b"
_GROWTH = 8  # what the decoded objects take for each byte of JSON


@dataclass(frozen=True, slots=True)
class HeldView:
    text: bytes
    metadata: ViewMetadata

    @property
    def nbytes(self) -> int:
        return _GROWTH * len(self.text)


def read_view(surroundings: Surroundings, name: TableName, location: str) -> HeldView:
    return surroundings.caches.views.get(location, lambda: _read(surroundings, name, location))


def _read(surroundings: Surroundings, name: TableName, location: str) -> HeldView:
    with reading(f"metadata file {quoted(last_name(location))} of view {quoted(str(name))}"):
        storage = open_storage(surroundings.native.properties, location)
        with storage.new_input(location).open() as stream:
            text = stream.read()
        if text.startswith(_GZIP):  # as Java writes them, unless told otherwise
            text = gzip.decompress(text)
        return HeldView(text, ViewMetadata.model_validate_json(text))


def next_location(metadata: ViewMetadata, number: int) -> str:
    """Where the next file goes: a view may have a place of its own for them."""
    folder = metadata.properties.get(_PATH) or f"{metadata.location}/metadata"
    return f"{folder.rstrip('/')}/{number:05d}-{uuid.uuid4()}.metadata.json"


def number_of(location: str) -> int:
    """Of a file named `00007-….metadata.json`; those of other programs may have none."""
    number = last_name(location).partition("-")[0]
    return int(number) if number.isdecimal() else 0

"""A deletion vector: the positions that are gone from one data file, as a blob in a Puffin file.

    length of what follows up to the checksum (4 bytes, big-endian)
    magic number, Roaring bitmap
    CRC-32 of magic number and bitmap (4 bytes, big-endian)

The manifest says where the blob is, so the Puffin file's own footer is not read.
"""

from __future__ import annotations

import zlib
from typing import Any

from lakeport.catalog.iceberg.deletes.delete_file import delete_name
from lakeport.catalog.iceberg.deletes.roaring import decode_positions
from lakeport.catalog.iceberg.failures import reading
from lakeport.catalog.iceberg.parts import DeleteFile, Source
from lakeport.catalog.iceberg.storage import open_file
from lakeport.catalog.rows.rowid import Numbers

_MAGIC = b"\xd1\xd3\x39\x64"
_FRAME = 4


def read_vector(source: Source, delete: DeleteFile) -> Numbers:
    """The positions, ascending."""
    with reading(delete_name(source, delete)):
        return decode_vector(_read_blob(source, delete), delete.rows)


def decode_vector(blob: bytes, rows: int) -> Numbers:
    """`ValueError` unless the blob is whole and holds as many rows as the metadata says."""
    if len(blob) < 2 * _FRAME + len(_MAGIC):
        raise ValueError("the deletion vector ends too early")
    body, checksum = blob[_FRAME:-_FRAME], blob[-_FRAME:]
    if int.from_bytes(blob[:_FRAME], "big") != len(body):
        raise ValueError("the deletion vector has another length than it says")
    if not body.startswith(_MAGIC):
        raise ValueError("it is no deletion vector")
    if zlib.crc32(body) != int.from_bytes(checksum, "big"):
        raise ValueError("the deletion vector's checksum is wrong")
    positions = decode_positions(body[len(_MAGIC) :], rows)
    if len(positions) != rows:
        raise ValueError(f"the deletion vector holds {len(positions)} rows instead of {rows}")
    return positions


def _read_blob(source: Source, delete: DeleteFile) -> bytes:
    if delete.offset is None or delete.length is None:
        raise ValueError("the manifest does not say where in it the deletion vector is")
    with open_file(source.io, delete.path) as opened:
        if not 0 <= delete.offset <= delete.offset + delete.length <= opened.size:
            raise ValueError("the deletion vector would lie beyond the file's end")
        handle: Any = opened.handle  # the stubs' read_at takes no offset
        blob: bytes = handle.read_at(delete.length, delete.offset)
        return blob

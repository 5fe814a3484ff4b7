"""Writes Avro's container and its smallest pieces.

PyIceberg's writer takes a Python call per byte of a number and looks for the file before it creates it;
small commits consist of little else. What is written here is read back by `manifests/container.py`.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from pyiceberg.avro.codecs import CODEC_MAPPING_ICEBERG_TO_AVRO, KNOWN_CODECS

from lakeport.catalog.iceberg.manifests.container import SCHEMA

_MAGIC = b"Obj\x01"
_MARK = 16
_CODEC = "avro.codec"
_BLOCK = 1 << 18

_CODECS = {**CODEC_MAPPING_ICEBERG_TO_AVRO, "uncompressed": "null"}

NULL, PRESENT = b"\x00", b"\x02"  # the two branches of every optional field


def number(value: int) -> bytes:
    """A zigzag varint."""
    coded = (value << 1) ^ (value >> 63)
    if coded < 0x80:
        return _ONE_BYTE[coded]
    found = bytearray()
    while coded > 0x7F:
        found.append(coded & 0x7F | 0x80)
        coded >>= 7
    found.append(coded)
    return bytes(found)


_ONE_BYTE = [bytes([value]) for value in range(0x80)]


def blob(value: bytes) -> bytes:
    return number(len(value)) + value


def text(value: str) -> bytes:
    return blob(value.encode())


def optional_number(value: int | None) -> bytes:
    return NULL if value is None else PRESENT + number(value)


def optional_blob(value: bytes | None) -> bytes:
    return NULL if value is None else PRESENT + blob(value)


def optional_list(items: Sequence[bytes] | None) -> bytes:
    """A list, or a map whose items are keys with their values, of items that are encoded already."""
    if items is None:
        return NULL
    if not items:
        return PRESENT + NULL
    return b"".join((PRESENT, number(len(items)), *items, NULL))


def container(
    schema: str, meta: Mapping[str, str], records: Sequence[bytes], codec_name: str
) -> bytes:
    """A whole file. `codec_name` is Iceberg's (`gzip`) or Avro's (`deflate`)."""
    codec_name = _CODECS.get(codec_name, codec_name)
    header = {**meta, SCHEMA: schema, _CODEC: codec_name}
    mark = os.urandom(_MARK)
    parts = [_MAGIC, number(len(header))]
    for key, value in header.items():
        parts += [text(key), text(value)]
    parts += [NULL, mark]
    for block in _blocks(records):
        packed = _compressed(codec_name, b"".join(block))
        parts += [number(len(block)), number(len(packed)), packed, mark]
    return b"".join(parts)


def _blocks(records: Sequence[bytes]) -> list[list[bytes]]:
    blocks: list[list[bytes]] = []
    room = 0
    for record in records:
        if room <= 0:
            blocks.append([])
            room = _BLOCK
        blocks[-1].append(record)
        room -= len(record)
    return blocks


def _compressed(codec_name: str, plain: bytes) -> bytes:
    if codec_name == "deflate":
        # Level 1: manifests are small, and most of them are bounds that hardly compress.
        packer = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
        return packer.compress(plain) + packer.flush()
    codecs: Any = KNOWN_CODECS
    codec = codecs[codec_name]
    if codec is None:
        return plain
    packed, _ = codec.compress(plain)
    return bytes(packed)

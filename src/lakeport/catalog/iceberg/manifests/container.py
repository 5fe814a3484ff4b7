"""Avro's container: a header, then blocks of records, each closed by the same 16 bytes.

PyIceberg's decoder is quick because it never looks where its input ends: what it is given must be
whole. So the container is taken apart here, with every length checked, and a block reaches the
decoder only after its closing mark was found. A file that was cut off is an error, never fewer rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyiceberg.avro.codecs import KNOWN_CODECS
from pyiceberg.avro.decoder import BinaryDecoder, new_decoder

_MAGIC = b"Obj\x01"
_MARK = 16
_CODEC = "avro.codec"
SCHEMA = "avro.schema"

# What a damaged block may make the decoder read beyond its end: see `Block`.
_MARGIN = 1 << 16


class DamagedError(ValueError):
    """The bytes are not what they should be."""


@dataclass(frozen=True, slots=True)
class Block:
    """Records behind each other. `end` is where they must have ended once all are read.

    Zeros follow the end, so that reading past it stays within memory that is ours until the reader
    notices; a reader must check lengths above `_MARGIN` itself (`left`).
    """

    count: int
    decoder: BinaryDecoder
    end: int

    def left(self) -> int:
        return self.end - self.decoder.tell()


@dataclass(frozen=True, slots=True)
class Container:
    header: Mapping[str, str]
    blocks: Iterator[Block]


def open_container(data: bytes) -> Container:
    reader = _Bytes(data)
    if reader.take(len(_MAGIC)) != _MAGIC:
        message = "it is not an Avro file"
        raise DamagedError(message)
    header = dict(_header(reader))
    if SCHEMA not in header:
        message = "its header names no schema"
        raise DamagedError(message)
    return Container(header, _blocks(reader, reader.take(_MARK), header.get(_CODEC, "null")))


def _header(reader: _Bytes) -> Iterator[tuple[str, str]]:
    while count := reader.number():
        if count < 0:
            count = -count
            reader.number()  # the size in bytes
        for _ in range(count):
            key = reader.take(reader.number()).decode()
            yield key, reader.take(reader.number()).decode()


def _blocks(reader: _Bytes, mark: bytes, codec_name: str) -> Iterator[Block]:
    if codec_name not in KNOWN_CODECS:
        message = f"it is compressed with `{codec_name}`, which is not known"
        raise DamagedError(message)
    codec = KNOWN_CODECS[codec_name]
    while not reader.at_end():
        count = reader.number()
        packed = reader.take(reader.number())
        if count < 0 or reader.take(_MARK) != mark:
            message = "a block does not end where it should"
            raise DamagedError(message)
        plain = packed if codec is None else codec.decompress(packed)
        yield Block(count, new_decoder(plain + bytes(_MARGIN)), len(plain))


class _Bytes:
    """A checked walk over bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def at_end(self) -> bool:
        return self._at == len(self._data)

    def take(self, count: int) -> bytes:
        end = self._at + count
        if count < 0 or end > len(self._data):
            message = "it ends too early"
            raise DamagedError(message)
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def number(self) -> int:
        """A zigzag varint of at most ten bytes."""
        value = 0
        for shift in range(0, 70, 7):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return (value >> 1) ^ -(value & 1)
        message = "it holds a number that is too long"
        raise DamagedError(message)

"""Avro's container: a header, then blocks of records, each closed by the same 16 bytes.

PyIceberg's decoder is quick because it never looks where its input ends: what it is given must be
whole. So the container is taken apart here, with every length checked, and a block is decoded only
after its closing mark was found. A file that was cut off is an error, never fewer rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from pyiceberg.avro.codecs import KNOWN_CODECS
from pyiceberg.avro.codecs.codec import Codec
from pyiceberg.avro.decoder import BinaryDecoder, new_decoder

_MAGIC = b"Obj\x01"
_MARK = 16
_CODEC = "avro.codec"
SCHEMA = "avro.schema"

# What damaged bytes may make the decoder read beyond their end: see `Records`.
_MARGIN = 1 << 16


class DamagedError(ValueError):
    """The bytes are not what they should be."""


@dataclass(frozen=True, slots=True)
class Records:
    """All records of a file, behind each other. `end` is where they must have ended once all are read.

    Zeros follow the end, so that reading past it stays within memory that is ours until the reader
    notices; a reader must check lengths that may be above the margin itself. `memory` is for readers
    to remember what they met before.
    """

    header: Mapping[str, str]
    count: int
    data: bytes
    decoder: BinaryDecoder
    end: int
    memory: dict[int, Any] = field(default_factory=dict)

    def left(self) -> int:
        return self.end - self.decoder.tell()

    def elements(self) -> int:
        """How many elements of a list or map follow; 0 after the last."""
        count = self.decoder.read_int()
        if count < 0:
            count = -count
            self.decoder.read_int()  # the size in bytes
        if count > self.left():
            refuse()
        return count


def refuse() -> NoReturn:
    message = "it does not hold what it should"
    raise DamagedError(message)


def open_container(data: bytes) -> Records:
    reader = _Bytes(data)
    if reader.take(len(_MAGIC)) != _MAGIC:
        message = "it is not an Avro file"
        raise DamagedError(message)
    header = dict(_header(reader))
    if SCHEMA not in header:
        message = "its header names no schema"
        raise DamagedError(message)
    # PyIceberg writes a block per record: all together are decoded faster.
    blocks = list(_blocks(reader, reader.take(_MARK), header.get(_CODEC, "null")))
    plain = b"".join([*(block for _, block in blocks), bytes(_MARGIN)])
    count = sum(count for count, _ in blocks)
    return Records(header, count, plain, new_decoder(plain), len(plain) - _MARGIN)


def _header(reader: _Bytes) -> Iterator[tuple[str, str]]:
    while count := reader.number():
        if count < 0:
            count = -count
            reader.number()  # the size in bytes
        for _ in range(count):
            key = reader.take(reader.number()).decode()
            yield key, reader.take(reader.number()).decode()


def _blocks(reader: _Bytes, mark: bytes, codec_name: str) -> Iterator[tuple[int, bytes]]:
    """How many records each has, and their bytes."""
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
        yield count, packed if codec is None else _decompressed(codec, packed)


def _decompressed(codec: type[Codec], packed: bytes) -> bytes:
    try:
        return codec.decompress(packed)
    except Exception as error:  # each compression has a library, and errors, of its own
        message = "a block cannot be decompressed"
        raise DamagedError(message) from error


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
        value, self._at = read_number(self._data, self._at)
        return value


def read_number(data: bytes, at: int) -> tuple[int, int]:
    """The zigzag varint that begins there, and where the next thing does."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            message = "it ends too early"
            raise DamagedError(message)
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return (value >> 1) ^ -(value & 1), at
    message = "it holds a number that is too long"
    raise DamagedError(message)

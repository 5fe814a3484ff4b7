"""The head of an IPC message, read without the library: what it is and how big it claims to become.

pyarrow allocates what a message claims before it looks at its bytes, and it has no limit to set. So the
claims are read here first. Only offsets inside the head are followed; anything else is malformed.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

from lakeport.core.errors import InvalidRequestError

_BODY, _HEADER, _HEADER_TYPE = 3, 2, 1  # fields of flatbuffer table Message
_ENDIANNESS = 0  # of Schema
_LENGTH, _NODES, _BUFFERS, _COMPRESSION = 0, 1, 2, 3  # of RecordBatch
_ID, _DATA, _IS_DELTA = 0, 1, 2  # of DictionaryBatch
_NOT_COMPRESSED = -1


class Kind(IntEnum):
    SCHEMA = 1
    DICTIONARY = 2
    BATCH = 3


@dataclass(frozen=True, slots=True)
class Claims:
    """What unpacking the message will take."""

    rows: int  # of the longest array in it, nested ones included
    size: int  # bytes of its buffers once they are decompressed
    dictionary: int = 0  # which one, if the message is a dictionary
    is_delta: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    kind: int
    body_length: int
    _header: _Table

    @classmethod
    def read(cls, flatbuffer: bytes | memoryview) -> Head:
        try:
            root = _Table(memoryview(flatbuffer), _unpack("<I", flatbuffer, 0))
            return cls(
                root.number(_HEADER_TYPE, "<B"), root.number(_BODY, "<q"), root.table(_HEADER)
            )
        except (struct.error, IndexError):
            raise malformed() from None

    @property
    def is_little_endian(self) -> bool:
        """Of a schema: its rows, too. pyarrow turns the bytes of others around, and keeps quiet about it."""
        try:
            return self._header.number(_ENDIANNESS, "<h") == 0
        except (struct.error, IndexError):
            raise malformed() from None

    @property
    def is_compressed(self) -> bool:
        return self._batch().has(_COMPRESSION)

    def arrays(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]] | None:
        """Of the rows of a batch that is not compressed: of each array how many it has and how many of them
        are NULL, and of each buffer where it begins in the body and how long it is.
        """
        if self.kind != Kind.BATCH or self.is_compressed:
            return None
        try:
            return self._header.pairs(_NODES), self._header.pairs(_BUFFERS)
        except (struct.error, IndexError):
            raise malformed() from None

    def claims(self, body: memoryview) -> Claims:
        try:
            batch = self._batch()
            if self.kind == Kind.DICTIONARY:
                identifier = self._header.number(_ID, "<q")
                is_delta = bool(self._header.number(_IS_DELTA, "<B"))
                return Claims(_rows(batch), _size(batch, body), identifier, is_delta)
            return Claims(_rows(batch), _size(batch, body))
        except (struct.error, IndexError):
            raise malformed() from None

    def _batch(self) -> _Table:
        return self._header.table(_DATA) if self.kind == Kind.DICTIONARY else self._header


class Heads:
    """The heads of one stream. Batches of as many rows mostly have the same, which is read once."""

    def __init__(self) -> None:
        self._flatbuffer = b""
        self._head: Head | None = None
        self._claims: Claims | None = None

    def read(self, flatbuffer: bytes) -> Head:
        if self._head is None or flatbuffer != self._flatbuffer:
            self._head, self._claims = Head.read(flatbuffer), None
            self._flatbuffer = flatbuffer
        return self._head

    def claims(self, head: Head, body: memoryview) -> Claims:
        """Of a body as long as its head says. What a compressed one unpacks to is said in the body."""
        if head is self._head and self._claims is not None:
            return self._claims
        claims = head.claims(body)
        if head is self._head and not head.is_compressed:
            self._claims = claims
        return claims


@dataclass(frozen=True, slots=True)
class _Table:
    """A flatbuffer table: a reference back to a list of where each field lies."""

    buffer: memoryview
    position: int

    def number(self, field: int, layout: str) -> int:
        place = self._place(field)
        return 0 if place is None else _unpack(layout, self.buffer, place)

    def table(self, field: int) -> _Table:
        place = self._place(field)
        if place is None:
            raise IndexError
        return _Table(self.buffer, place + _unpack("<I", self.buffer, place))

    def pairs(self, field: int) -> list[tuple[int, int]]:
        """A vector of two 64-bit numbers each."""
        place = self._place(field)
        if place is None:
            return []
        start = place + _unpack("<I", self.buffer, place)
        count = _unpack("<I", self.buffer, start)
        found = self.buffer[start + 4 : start + 4 + 16 * count]
        if len(found) < 16 * count:
            raise IndexError
        return [(first, second) for first, second in struct.iter_unpack("<qq", found)]

    def has(self, field: int) -> bool:
        return self._place(field) is not None

    def _place(self, field: int) -> int | None:
        fields = self.position - _unpack("<i", self.buffer, self.position)
        slot = 4 + 2 * field
        if slot + 2 > _unpack("<H", self.buffer, fields):
            return None
        offset = _unpack("<H", self.buffer, fields + slot)
        return self.position + offset if offset else None


def _rows(batch: _Table) -> int:
    nodes = [length for length, _ in batch.pairs(_NODES)]
    return max([batch.number(_LENGTH, "<q"), *nodes])


def _size(batch: _Table, body: memoryview) -> int:
    if not batch.has(_COMPRESSION):
        return len(body)
    size = 0
    for offset, length in batch.pairs(_BUFFERS):
        if offset < 0 or length < 0 or offset + length > len(body):
            raise IndexError
        if length:
            unpacked = _unpack("<q", body, offset)
            if unpacked < _NOT_COMPRESSED:
                raise IndexError
            size += length if unpacked == _NOT_COMPRESSED else unpacked
    return size


def _unpack(layout: str, buffer: bytes | memoryview, position: int) -> int:
    if position < 0:  # Python would count from the end
        raise IndexError
    return int(struct.unpack_from(layout, buffer, position)[0])


def malformed() -> InvalidRequestError:
    return InvalidRequestError("the stream is not well-formed Arrow IPC")

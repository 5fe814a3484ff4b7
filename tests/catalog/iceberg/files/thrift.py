"""Thrift's compact protocol, just enough to change the footer of a Parquet file as no writer would."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


@dataclass
class Item:
    """A value with its wire type; a struct's value is a dict by field id, a list's a list of items.

    `of` is the wire type of a list's elements.
    """

    kind: int
    value: Any
    of: int = _STRUCT

    def __getitem__(self, key: int) -> Item:
        found: Item = self.value[key]
        return found


def text(value: str) -> Item:
    return Item(_BINARY, value.encode())


def binary(value: bytes) -> Item:
    return Item(_BINARY, value)


def number(value: int) -> Item:
    return Item(_I32, value)


def long(value: int) -> Item:
    return Item(_I64, value)


def change_footer(path: Path, change: Callable[[Item], None]) -> None:
    """Rewrites the file's metadata in place; what `change` is given is parquet.thrift's FileMetaData."""
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    reader = _Reader(data[-8 - length : -8])
    footer = Item(_STRUCT, reader.struct())
    change(footer)
    written = bytes(_struct(footer.value))
    path.write_bytes(data[: -8 - length] + written + struct.pack("<I", len(written)) + b"PAR1")


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def zigzag(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def struct(self) -> dict[int, Item]:
        fields: dict[int, Item] = {}
        last = 0
        while header := self.take(1)[0]:
            last = last + (header >> 4) if header >> 4 else self.zigzag()
            fields[last] = self.item(header & 15)
        return fields

    def item(self, kind: int) -> Item:
        if kind in {_TRUE, _FALSE}:
            return Item(kind, kind == _TRUE)
        if kind == _BYTE:
            return Item(kind, self.take(1)[0])
        if kind in {_I16, _I32, _I64}:
            return Item(kind, self.zigzag())
        if kind == _DOUBLE:
            return Item(kind, self.take(8))
        if kind == _BINARY:
            return Item(kind, self.take(self.varint()))
        if kind == _STRUCT:
            return Item(kind, self.struct())
        assert kind == _LIST, kind
        header = self.take(1)[0]
        count = self.varint() if header >> 4 == 15 else header >> 4
        return Item(kind, [self.element(header & 15) for _ in range(count)], header & 15)

    def element(self, kind: int) -> Item:
        if kind in {_TRUE, _FALSE}:
            return Item(_TRUE, self.take(1)[0] == _TRUE)
        return self.item(kind)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _zigzag(value: int) -> bytes:
    return _varint(value << 1 if value >= 0 else (-value << 1) - 1)


def _struct(fields: dict[int, Item]) -> bytearray:
    out = bytearray()
    last = 0
    for number, item in sorted(fields.items()):
        kind = item.kind
        if kind in {_TRUE, _FALSE}:
            kind = _TRUE if item.value else _FALSE
        gap = number - last
        out += bytes([gap << 4 | kind]) if 0 < gap < 16 else bytes([kind]) + _zigzag(number)
        out += b"" if kind in {_TRUE, _FALSE} else _item(item)
        last = number
    out.append(0)
    return out


def _item(item: Item) -> bytes:
    match item.kind:
        case 3:
            return bytes([item.value])
        case 4 | 5 | 6:
            return _zigzag(item.value)
        case 7:
            return bytes(item.value)
        case 8:
            return _varint(len(item.value)) + bytes(item.value)
        case 12:
            return bytes(_struct(item.value))
    elements: list[Item] = item.value
    kind, count = item.of, len(elements)
    head = bytes([count << 4 | kind]) if count < 15 else bytes([0xF0 | kind]) + _varint(count)
    body = (
        bytes([_TRUE if one.value else _FALSE]) if kind in {_TRUE, _FALSE} else _item(one)
        for one in elements
    )
    return head + b"".join(body)

"""Protocol Buffers' wire format, as much of it as Flight's dozen flat messages use.

Generated classes would copy every record batch's body twice more on its way. Fields at their default
are left out when writing, unknown fields are skipped when reading, and bytes that are no message are
an `InvalidRequestError`: they always come from a client.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TypeAlias

from lakeport.core.errors import InvalidRequestError

Value: TypeAlias = int | memoryview

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_UINT64 = (1 << 64) - 1
_LONGEST = 10  # bytes of a number
_SHORT = tuple(bytes((number,)) for number in range(0x80))  # most numbers are tags and small sizes


def varint(number: int) -> bytes:
    if 0 <= number < 0x80:
        return _SHORT[number]
    number &= _UINT64  # negative numbers are written as 64-bit two's complement
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def tag(field: int) -> bytes:
    """What stands before a length-delimited field's length."""
    return varint(field << 3 | _LENGTH)


def put_bytes(field: int, value: bytes) -> bytes:
    return tag(field) + varint(len(value)) + value if value else b""


def put_text(field: int, value: str) -> bytes:
    return put_bytes(field, value.encode())


def put_message(field: int, encoded: bytes) -> bytes:
    """A message is there even if it is empty."""
    return tag(field) + varint(len(encoded)) + encoded


def put_int(field: int, value: int) -> bytes:
    return varint(field << 3 | _VARINT) + varint(value) if value else b""


def put_double(field: int, value: float) -> bytes:
    return varint(field << 3 | _FIXED64) + struct.pack("<d", value)


def fields(message: bytes | memoryview) -> Iterator[tuple[int, Value]]:
    """Each field's number and value, in the order they were sent; nothing is copied."""
    view = memoryview(message)
    position, total = 0, len(view)
    while position < total:
        key, position = _varint_at(view, position)
        field, kind = key >> 3, key & 7
        if field == 0:
            raise _malformed()
        if kind == _VARINT:
            number, position = _varint_at(view, position)
            yield field, number
            continue
        if kind == _LENGTH:
            size, position = _varint_at(view, position)
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
        else:
            raise _malformed()
        end = position + size
        if end > total:
            raise _malformed()
        yield field, view[position:end]
        position = end


def as_view(value: Value) -> memoryview:
    if isinstance(value, int):
        raise _malformed()
    return value


def as_bytes(value: Value) -> bytes:
    return bytes(as_view(value))


def as_text(value: Value) -> str:
    try:
        return str(as_view(value), "utf-8")
    except UnicodeDecodeError:
        raise _malformed() from None


def as_uint(value: Value) -> int:
    if not isinstance(value, int):
        raise _malformed()
    return value


def as_int(value: Value) -> int:
    number = as_uint(value)
    return number - (1 << 64) if number >> 63 else number


def _varint_at(view: memoryview, position: int) -> tuple[int, int]:
    number = shift = 0
    for byte in view[position : position + _LONGEST]:
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & _UINT64, position
        shift += 7
    raise _malformed()


def _malformed() -> InvalidRequestError:
    return InvalidRequestError("the message is not a well-formed Flight message")

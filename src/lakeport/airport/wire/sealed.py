"""Tickets as they travel: compressed, with a mark that says whose they are and a checksum.

Whatever comes back from anywhere is bounded before it costs anything. The checksum tells damage from age;
it is no signature and needs to be none: a ticket grants nothing.
"""

from __future__ import annotations

import zlib
from typing import TypeVar

import msgspec
import pyarrow as pa

from lakeport.core.errors import InvalidRequestError, LimitError

T = TypeVar("T")

MAX_BYTES = 4 * 1024 * 1024
"""Of one ticket as it travels; an IN list of 100,000 numbers takes a tenth of it."""

_MAX_PLAIN = 48 * 1024 * 1024
_ZSTD = pa.Codec("zstd")
_SIZES = 8


def seal(mark: bytes, plain: bytes, hint: str) -> bytes:
    body = bytes(_ZSTD.compress(plain, asbytes=True))
    if len(plain) > _MAX_PLAIN or len(mark) + _SIZES + len(body) > MAX_BYTES:
        raise LimitError(f"the ticket of this scan would take {len(body):,} bytes", hint=hint)
    return mark + zlib.crc32(body).to_bytes(4, "big") + len(plain).to_bytes(4, "big") + body


def unseal(mark: bytes, ticket: bytes) -> bytes:
    start = len(mark)
    if not ticket.startswith(mark) or not start + _SIZES < len(ticket) <= MAX_BYTES:
        raise damaged()
    checksum = int.from_bytes(ticket[start : start + 4], "big")
    length = int.from_bytes(ticket[start + 4 : start + _SIZES], "big")
    body = ticket[start + _SIZES :]
    if zlib.crc32(body) != checksum or length > _MAX_PLAIN:
        raise damaged()
    try:
        plain: bytes = _ZSTD.decompress(body, decompressed_size=length, asbytes=True)
    except (pa.ArrowException, OSError) as error:
        raise damaged() from error
    return plain


def opened(mark: bytes, ticket: bytes, decoder: msgspec.msgpack.Decoder[T]) -> T:
    """What was sealed, as the value that it was."""
    plain = unseal(mark, ticket)
    try:
        return decoder.decode(plain)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise damaged() from error


def damaged() -> InvalidRequestError:
    return InvalidRequestError(
        "the ticket is none that this server gave out", hint="ask for the endpoints again"
    )

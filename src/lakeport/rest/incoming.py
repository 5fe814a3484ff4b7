"""The body of a request: no longer than allowed, and unpacked where a client has packed it.

Of one that is too long the rest is read and thrown away, up to a bound: a client that sends all before it
listens would otherwise find the connection closed, and never learn why. One that asks before it sends
(`Expect`) is told at once.
"""

from __future__ import annotations

import zlib

from anyio import to_thread
from starlette.requests import Request

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted
from lakeport.rest.failures import NamedError

_DISCARDED = 1 << 30
_PLAIN, _PACKED = frozenset({"", "identity"}), frozenset({"gzip", "x-gzip"})
_GZIP_ALONE = 16 + zlib.MAX_WBITS
_UNSUPPORTED = 415


async def body_of(request: Request, most: int) -> bytes:
    coding = request.headers.get("content-encoding", "").strip().lower()
    if coding not in _PLAIN | _PACKED:
        error = InvalidRequestError(
            f"a body packed as {quoted(coding)} cannot be read", hint="send it plain, or as `gzip`"
        )
        raise NamedError(error, _UNSUPPORTED, "UnsupportedOperationException")
    declared = request.headers.get("content-length", "0")
    is_long = declared.isdecimal() and int(declared) > most
    if is_long and "expect" in request.headers:
        raise _too_long(most)
    body = await _read(request, most)
    return await to_thread.run_sync(_unpacked, body, most) if coding in _PACKED else body


async def _read(request: Request, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size <= most:
            parts.append(part)
            continue
        parts.clear()
        if size > most + _DISCARDED:
            break
    if size > most:
        raise _too_long(most)
    return b"".join(parts)


def _unpacked(packed: bytes, most: int) -> bytes:
    """A few bytes can be made to unpack to gigabytes: no more is unpacked than may be sent plain."""
    machine = zlib.decompressobj(_GZIP_ALONE)
    try:
        body = machine.decompress(packed, most + 1)
    except zlib.error:
        raise InvalidRequestError("the body is said to be `gzip`, and is not") from None
    if len(body) > most:
        raise _too_long(most)
    if not machine.eof or machine.unused_data:
        raise InvalidRequestError(
            "the body is `gzip` that ends too early, or goes on after its end"
        )
    return body


def _too_long(most: int) -> InvalidRequestError:
    return InvalidRequestError(
        f"the request is longer than {most:,} bytes",
        hint="send less at once, or raise `server.limits.request_bytes`",
    )

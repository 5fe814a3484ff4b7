"""msgpack and zstd as DuckDB's client speaks them.

The client packs C++ strings as msgpack `str` even when they hold binary, so requests are decoded to raw
bytes and turned into text field by field (`wire/fields.py`). What comes from outside is bounded by its
own length; nesting that no message of the protocol has is refused before it costs anything.
"""

from __future__ import annotations

from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.core.errors import InvalidRequestError, LimitError

MAX_LENGTH = 2**31 - 1
"""What the client can allocate for one decompressed message."""

_MAX_DEPTH = 16
_ZSTD = pa.Codec("zstd")


def pack(value: object) -> bytes:
    packed: bytes = msgpack.packb(value, use_bin_type=True)
    return packed


def unpack(body: bytes, what: str) -> Any:
    """Strings stay bytes, keys included. `what` is how the user is told whose body is wrong."""
    try:
        value = msgpack.unpackb(body, raw=True, strict_map_key=True, use_list=True)
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise InvalidRequestError(
            f"the body of {what} is not valid msgpack", hint="send one msgpack map"
        ) from error
    if _depth_exceeds(value, _MAX_DEPTH):
        raise InvalidRequestError(f"the body of {what} is nested too deeply")
    return value


def compress(payload: bytes) -> bytes:
    """One zstd frame that states its own length."""
    frame: bytes = _ZSTD.compress(payload, asbytes=True)
    return frame


def wrap(payload: bytes) -> bytes:
    """`[length, zstd]`: the client allocates the length and decompresses into it."""
    if len(payload) > MAX_LENGTH:
        raise LimitError(
            f"the catalog's description has {len(payload)} bytes, more than a client can take",
            hint="spread the tables over several catalogs",
        )
    return pack([len(payload), compress(payload)])


def _depth_exceeds(value: object, left: int) -> bool:
    if isinstance(value, dict):
        return left == 0 or any(_depth_exceeds(item, left - 1) for item in value.values())
    if isinstance(value, list):
        return left == 0 or any(_depth_exceeds(item, left - 1) for item in value)
    return False

"""msgpack and zstd as servers speak them (chapter 2.2): text may come as bytes, and bytes as text.

What a server sends is believed no further than its shape: an answer of another one is an error, and never
half a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pyarrow as pa

from lakeport.core.errors import CorruptDataError, InvalidRequestError

_MOST_BYTES = 2**31 - 1


def pack(value: object) -> bytes:
    packed: bytes = msgpack.packb(value, use_bin_type=True)
    return packed


def unpack(body: bytes) -> Any:
    """Texts stay bytes, keys included."""
    return msgpack.unpackb(body, raw=True, strict_map_key=True, max_bin_len=_MOST_BYTES)


def unwrap(body: bytes) -> Any:
    """What is in `[length, zstd]`."""
    length, frame = unpack(body)
    if not isinstance(length, int) or not 0 <= length <= _MOST_BYTES:
        raise ValueError(length)
    return unpack(pa.decompress(frame, length, "zstd", asbytes=True))


def member(record: Any, key: str) -> Any:
    """None if it is not there, as for one that is nil."""
    return record.get(key.encode())


def text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode()
    raise ValueError(value)


@contextmanager
def understood(server: object) -> Iterator[None]:
    """Around the reading of an answer."""
    try:
        yield
    except (
        *(ValueError, TypeError, AttributeError, KeyError, pa.ArrowException),
        *(msgpack.UnpackException, InvalidRequestError),
    ) as error:
        raise CorruptDataError(
            f"{server} answered in a way that is not the Airport protocol",
            hint="is it an Airport server, and of this version?",
        ) from error

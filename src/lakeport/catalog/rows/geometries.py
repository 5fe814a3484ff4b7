"""Rows that arrive for columns of geometries: what is no well-known binary is refused.

A reader would find out later, in every query, and DuckDB's own functions fail on it in words of theirs. The
usual column, points of one size, is looked at as one block of bytes; of others only the counts are read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrays.containers import child_fields, take_apart
from lakeport.catalog.arrow import Array, Field
from lakeport.catalog.geometry import is_geometry, why_no_wkb
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted

_POINT_BYTES = 21
_POINT_HEAD = np.frombuffer(b"\x01\x01\x00\x00\x00", np.uint8)


def check_geometries(array: Array, field: Field, where: str) -> None:
    if not _holds(field):
        return
    if is_geometry(field):
        _check(array, where)
        return
    parts = take_apart(array)
    for child, inner in zip(parts.children, child_fields(field.type), strict=True):
        check_geometries(child, inner, f"{where}.{inner.name}")


def _holds(field: Field) -> bool:
    if is_geometry(field):
        return True
    return bool(field.type.num_fields) and any(_holds(inner) for inner in child_fields(field.type))


def _check(array: Array, where: str) -> None:
    plain: Any = array.storage if isinstance(array, pa.ExtensionArray) else array
    if _are_points(plain):
        return
    for place, value in enumerate(plain):
        data = value.as_buffer() if value.is_valid else None
        reason = None if data is None else why_no_wkb(memoryview(data))
        if reason is not None:
            raise InvalidRequestError(
                f"column {quoted(where)} is GEOMETRY, and row {place + 1:,} of a batch holds bytes"
                f" that are none: {reason}",
                hint="send well-known binary (WKB)",
            )


def _are_points(array: Any) -> bool:
    """Whether all are points of two little-endian numbers; NULLs have no bytes among them."""
    if not pa.types.is_binary(array.type) or not len(array):
        return not len(array)
    offsets = np.frombuffer(array.buffers()[1], np.int32)[
        array.offset : array.offset + len(array) + 1
    ]
    lengths = np.diff(offsets)
    filled = len(array) - array.null_count
    data = array.buffers()[2]
    if data is None or not filled or int(lengths.sum()) != filled * _POINT_BYTES:
        return False
    if not np.isin(lengths, (0, _POINT_BYTES)).all():
        return False
    values = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]].reshape(-1, _POINT_BYTES)
    return bool((values[:, :5] == _POINT_HEAD).all())

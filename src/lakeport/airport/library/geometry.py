"""Geometry: a column of `geoarrow.wkb`, which DuckDB's spatial extension shows as GEOMETRY.

On the wire it is binary with a mark in the field's metadata, and it comes back exactly as it was stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from lakeport.catalog.arrow import Array, Field
from lakeport.core.errors import InvalidRequestError

EXTENSION = b"geoarrow.wkb"

_POINT = 1  # WKB's number
_RECORD = np.dtype([("order", "u1"), ("kind", "<u4"), ("x", "<f8"), ("y", "<f8")])


def geometry_field(name: str, *, crs: str | None = None, nullable: bool = True) -> Field:
    """`crs` is the coordinate system, such as `OGC:CRS84` for longitude and latitude."""
    told = {} if crs is None else {"crs": crs}
    metadata = {
        b"ARROW:extension:name": EXTENSION,
        b"ARROW:extension:metadata": json.dumps(told).encode(),
    }
    return pa.field(name, pa.binary(), nullable=nullable, metadata=metadata)


def wkb_points(x: Iterable[float], y: Iterable[float]) -> Array:
    """Points as WKB, little-endian."""
    xs, ys = np.asarray(list(x), np.float64), np.asarray(list(y), np.float64)
    if len(xs) != len(ys):
        raise InvalidRequestError(f"{len(xs)} x and {len(ys)} y are no points")
    records = np.empty(len(xs), _RECORD)
    records["order"], records["kind"], records["x"], records["y"] = 1, _POINT, xs, ys
    offsets = np.arange(len(xs) + 1, dtype=np.int32) * _RECORD.itemsize
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(records.tobytes())]
    return pa.Array.from_buffers(pa.binary(), len(xs), buffers)

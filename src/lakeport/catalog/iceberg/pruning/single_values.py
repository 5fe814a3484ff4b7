"""Iceberg's binary form of single values, in which manifests keep bounds, turned into Arrow arrays.

A bound has the type that its column had when the file was written, and types widen: what the bytes
mean follows from the type of today and their number (four bytes of a `long` were an `int`). Bytes
that fit no such type say nothing and become null.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types.stored import stored_type

_WIDEST = 16  # bytes of a decimal
_DAY = {"us": 86_400 * 10**6, "ns": 86_400 * 10**9}

_array: Callable[..., Array] = pa.array  # the stubs want each dtype spelled out


def has_bounds(kind: IcebergType) -> bool:
    """Whether bounds of such a column can be understood."""
    return type(kind) in _DECODERS


def decode(values: pa.LargeBinaryArray, kind: IcebergType) -> Array:
    """In the type that columns of this kind are stored in; bytes of a fixed length may come shorter,
    so those are plain binaries.
    """
    return _DECODERS[type(kind)](values, kind)


def _boolean(values: pa.LargeBinaryArray, _: IcebergType) -> Array:
    places, numbers = _numbers(values, 1, np.dtype("u1"))
    return _scattered(len(values), places, numbers != 0, pa.bool_())


def _fixed_width(*dtypes: str) -> Callable[[pa.LargeBinaryArray, IcebergType], Array]:
    """The first is the type's own, those that widened to it follow."""
    own = np.dtype(dtypes[0])

    def decoder(values: pa.LargeBinaryArray, kind: IcebergType) -> Array:
        found = [_numbers(values, np.dtype(each).itemsize, np.dtype(each)) for each in dtypes]
        places = np.concatenate([each for each, _ in found])
        numbers = np.concatenate([each.astype(own) for _, each in found])
        plain = _scattered(len(values), places, numbers)
        return plain.view(stored_type(kind))

    return decoder


def _timestamp(values: pa.LargeBinaryArray, kind: IcebergType) -> Array:
    """Of 64 bits, or a date, that is the midnight it begins with."""
    data_type: Any = stored_type(kind)
    day = _DAY[data_type.unit]
    places, numbers = _numbers(values, 8, np.dtype("<i8"))
    date_places, dates = _numbers(values, 4, np.dtype("<i4"))
    # Dates reach further than timestamps; DuckDB's infinite ones are among those.
    fits = np.abs(dates.astype(np.int64)) <= (2**63 - 1) // day
    moments = dates[fits].astype(np.int64) * day
    return _scattered(
        len(values),
        np.concatenate([places, date_places[fits]]),
        np.concatenate([numbers, moments]),
    ).view(data_type)


def _text(values: pa.LargeBinaryArray, _: IcebergType) -> Array:
    try:
        return values.cast(pa.string())
    except pa.ArrowInvalid:
        return _array([_decoded(value) for value in values.to_pylist()], pa.string())


def _decoded(value: bytes | None) -> str | None:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return None


def _binary(values: pa.LargeBinaryArray, _: IcebergType) -> Array:
    return values.cast(pa.binary())


def _uuid(values: pa.LargeBinaryArray, _: IcebergType) -> Array:
    whole = pc.equal(_lengths(values), pa.scalar(_WIDEST, pa.int64()))
    fitting = pc.if_else(whole, values, pa.scalar(None, pa.large_binary()))
    storage: Any = fitting.cast(pa.binary(_WIDEST))
    return pa.ExtensionArray.from_storage(pa.uuid(), storage)


def _decimal(values: pa.LargeBinaryArray, kind: IcebergType) -> Array:
    """Big-endian two's complement in as few bytes as do, to little-endian in sixteen."""
    count = len(values)
    lengths = _lengths(values).fill_null(0).to_numpy()
    bits = np.zeros((count, _WIDEST), np.uint8)
    known = np.zeros(count, np.bool_)
    for length in np.unique(lengths[(lengths > 0) & (lengths <= _WIDEST)]):
        places, rows = _bytes(values, lengths, int(length))
        negative = rows[:, 0] >= 128
        bits[places] = np.where(negative, 255, 0)[:, np.newaxis]
        bits[places, :length] = rows[:, ::-1]
        known[places] = True
    validity = pa.py_buffer(np.packbits(known, bitorder="little").tobytes())
    data: Any = pa.py_buffer(bits.tobytes())
    return pa.Array.from_buffers(stored_type(kind), count, [validity, data])


def _lengths(values: pa.LargeBinaryArray) -> Any:
    return pc.binary_length(values)


def _numbers(
    values: pa.LargeBinaryArray, width: int, dtype: np.dtype[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Where values of that many bytes are, and what numbers they are."""
    places, rows = _bytes(values, _lengths(values).fill_null(-1).to_numpy(), width)
    return places, rows.reshape(-1).view(dtype)


def _bytes(
    values: pa.LargeBinaryArray, lengths: npt.NDArray[np.int64], width: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Where values of that length are, and their bytes, one row each."""
    places = np.flatnonzero(lengths == width)
    if not len(places):
        return places, np.zeros((0, width), np.uint8)
    chosen = values.take(_array(places))
    data: Any = chosen.buffers()[2]  # take makes a new array, whose bytes begin at the beginning
    rows = np.frombuffer(data, np.uint8, len(places) * width).reshape(-1, width)
    return places, rows


def _scattered(
    count: int,
    places: npt.NDArray[np.int64],
    numbers: npt.NDArray[Any],
    data_type: pa.DataType | None = None,
) -> Array:
    """An array with these numbers at these places, and null elsewhere."""
    filled = np.zeros(count, numbers.dtype)
    absent = np.ones(count, np.bool_)
    filled[places] = numbers
    absent[places] = False
    return _array(filled, data_type, mask=absent)


_DECODERS: dict[type[IcebergType], Callable[[pa.LargeBinaryArray, IcebergType], Array]] = {
    BooleanType: _boolean,
    IntegerType: _fixed_width("<i4"),
    LongType: _fixed_width("<i8", "<i4"),
    FloatType: _fixed_width("<f4"),
    DoubleType: _fixed_width("<f8", "<f4"),
    DateType: _fixed_width("<i4"),
    TimeType: _fixed_width("<i8"),
    TimestampType: _timestamp,
    TimestamptzType: _timestamp,
    TimestampNanoType: _timestamp,
    TimestamptzNanoType: _timestamp,
    StringType: _text,
    BinaryType: _binary,
    FixedType: _binary,
    UUIDType: _uuid,
    DecimalType: _decimal,
}

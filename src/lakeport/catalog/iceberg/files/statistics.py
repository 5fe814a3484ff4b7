"""What a footer says of one column in each row group, as arrays; null where it proves nothing.

The raw values are decoded here: pyarrow's own conversion fails on nanoseconds and broken texts. Types
whose order Parquet left undefined, or that writers got wrong (INT96, half floats, unsigned numbers),
have no bounds. What contradicts itself is not believed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.files.footer import Footer
from lakeport.catalog.iceberg.files.nodes import Node
from lakeport.catalog.predicates.kinds import is_text

_EXACT = Context(prec=100)
_TICKS = {32: pa.int32(), 64: pa.int64()}


@dataclass(frozen=True, slots=True)
class Statistics:
    """One entry per row group; the bounds have the type of the file's column."""

    minimum: Array
    maximum: Array
    null_count: Array
    nan_count: Array | None = None


def statistics_of(footer: Footer, node: Node) -> Statistics | None:
    """None for a column of which nothing is known or that is not a single leaf of plain values."""
    decode = _decoder(node.type)
    if node.children or decode is None:
        return None
    leaf = node.leaves[0]
    column = footer.metadata.schema.column(leaf)
    if column.physical_type == "INT96" or column.max_repetition_level:
        return None
    counts = np.diff(footer.starts).tolist()
    found = [_entry(footer.chunk(group, leaf), rows, decode) for group, rows in enumerate(counts)]
    try:
        return Statistics(
            _array([low for low, _, _ in found], node.type),
            _array([high for _, high, _ in found], node.type),
            pa.array([count for _, _, count in found], pa.int64()),
        )
    except (pa.ArrowInvalid, OverflowError):
        return None  # a bound that its own column could not hold


def _entry(
    chunk: pq.ColumnChunkMetaData, rows: int, decode: Callable[[Any], Any]
) -> tuple[Any, Any, int | None]:
    known: Any = chunk.statistics if chunk.is_stats_set else None
    if known is None:
        return None, None, None
    low = high = None
    if known.has_min_max:
        low, high = decode(known.min_raw), decode(known.max_raw)
    nulls = known.null_count if known.has_null_count else None
    if nulls is not None and (nulls > rows or (nulls == rows and known.has_min_max)):
        nulls = None
    return low, high, nulls


def _array(values: list[Any], data_type: pa.DataType) -> Array:
    if pa.types.is_temporal(data_type):
        counted: Array = pa.array(values, _TICKS[data_type.bit_width])
        return counted.view(data_type)
    built: Array = pa.array(values, data_type)
    return built


def _decoder(data_type: pa.DataType) -> Callable[[Any], Any] | None:
    """How a raw statistic becomes a value that Arrow takes for this type."""
    types = pa.types
    if is_text(data_type):
        return _text
    if isinstance(data_type, pa.Decimal128Type):
        scale = data_type.scale
        return lambda raw: _decimal(raw, scale)
    if types.is_date64(data_type) or types.is_duration(data_type):
        return None
    if (
        types.is_signed_integer(data_type)
        or types.is_float32(data_type)
        or types.is_float64(data_type)
        or types.is_boolean(data_type)
        or types.is_temporal(data_type)
        or types.is_binary(data_type)
        or types.is_large_binary(data_type)
        or types.is_fixed_size_binary(data_type)
    ):
        return _same
    return None


def _same(raw: Any) -> Any:
    return raw


def _text(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:  # cut in the middle of a character
        return None


def _decimal(raw: int | bytes, scale: int) -> Decimal:
    unscaled = int.from_bytes(raw, "big", signed=True) if isinstance(raw, bytes) else raw
    return Decimal(unscaled).scaleb(-scale, _EXACT)

"""What a manifest says about a data file: sizes and counts of every column, bounds where they help.

Bounds come from the rows, since DuckDB's infinite dates in a footer cannot become Python objects; those
of texts and bytes from Parquet's footer if it has them, because finding them again is slow. NaN and infinity never enter them. Where a column holds infinity that end is left open, because a bound
without it would hide the row from everyone who prunes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyiceberg.conversions import to_bytes
from pyiceberg.types import (
    BinaryType,
    IcebergType,
    ListType,
    MapType,
    PrimitiveType,
    StringType,
    StructType,
)

from lakeport.catalog.arrow import Array
from lakeport.catalog.iceberg.types import Column
from lakeport.catalog.iceberg.types.scalars import storage_of
from lakeport.catalog.iceberg.write.modes import Mode, Modes
from lakeport.catalog.predicates.kinds import value_type

_compute: Any = pc
_LONGEST_IN_FOOTER = 4_000
"""Bytes: a little less than what Parquet's writer leaves out."""


@dataclass(slots=True)
class _End:
    """The least or the greatest value so far; `is_open` once infinity lies beyond."""

    value: Any = None
    is_open: bool = False

    def stretch(self, value: Any, choose: Callable[..., Any], infinity: float | None) -> None:
        """`infinity` is the one at this end; the other one is beyond every bound at this end."""
        if infinity is not None and value == infinity:
            self.is_open = True
        elif infinity is None or value != -infinity:
            self.value = value if self.value is None else choose(self.value, value)


@dataclass(slots=True)
class _Gathered:
    column: Column
    mode: Mode
    nulls: int = 0
    nans: int = 0
    low: _End = field(default_factory=_End)
    high: _End = field(default_factory=_End)
    in_footer: list[bool] = field(default_factory=list)
    """Of each row group, whether its bounds will be found there."""

    @property
    def has_bounds(self) -> bool:
        return self.mode.bounds and self.column.codec.ordered

    def add(self, column: pa.ChunkedArray[Any]) -> None:
        """The values of one row group."""
        self.in_footer.append(self._is_text() and not _has_long(column))
        if not self.mode.counts:
            return
        self.nulls += column.null_count
        if isinstance(self.column.field.field_type, PrimitiveType) and not self.in_footer[-1]:
            for array in column.chunks:
                self._measure(array)

    def _is_text(self) -> bool:
        return isinstance(self.column.field.field_type, StringType | BinaryType)

    def _measure(self, array: Array) -> None:
        values: Any = _comparable(storage_of(array))
        if pa.types.is_floating(values.type):
            is_nan = _compute.is_nan(values)
            nans = _compute.sum(is_nan).as_py() or 0
            self.nans += nans
            if nans:
                values = values.filter(_compute.invert(is_nan))
        if not self.has_bounds or values.null_count == len(values):
            return
        ends = _compute.min_max(values)
        infinity = _infinity(self.column)
        self.low.stretch(ends["min"].as_py(), min, None if infinity is None else -infinity)
        self.high.stretch(ends["max"].as_py(), max, infinity)

    def take(self, group: int, chunk: pq.ColumnChunkMetaData) -> None:
        """What the footer says of a row group."""
        if not self.in_footer[group] or not self.has_bounds:
            return
        found: Any = chunk.statistics
        if found is not None and found.null_count == chunk.num_values:
            return
        if found is not None and found.has_min_max:
            self.low.stretch(found.min, min, None)
            self.high.stretch(found.max, max, None)
        else:
            self.low.is_open = self.high.is_open = True


class Metrics:
    """Collects over the batches of one file."""

    def __init__(self, columns: Sequence[Column], modes: Modes) -> None:
        self._gathered = [_Gathered(column, modes.of(column.field.name)) for column in columns]

    def add(self, rows: pa.Table) -> None:
        """A row group in its stored form, one column for each of the table's."""
        for gathered, array in zip(self._gathered, rows.columns, strict=True):
            gathered.add(array)

    def finished(self, footer: pq.FileMetaData) -> dict[str, Any]:
        """The fields of a manifest's entry, by PyIceberg's names."""
        leaves = [leaf for g in self._gathered for leaf in _leaves(g.column.field)]
        by_id = {g.column.field.field_id: g for g in self._gathered}
        sizes: dict[int, int] = dict.fromkeys(leaves, 0)
        counted = [g for g in self._gathered if g.mode.counts]
        counts = dict.fromkeys((leaf for g in counted for leaf in _leaves(g.column.field)), 0)
        offsets = []
        for number in range(footer.num_row_groups):
            group = footer.row_group(number)
            offsets.append(_start(group))
            for at, leaf in enumerate(leaves):
                chunk = group.column(at)
                sizes[leaf] += chunk.total_compressed_size
                if leaf in counts:
                    counts[leaf] += chunk.num_values
                if leaf in by_id:
                    by_id[leaf].take(number, chunk)
        primitive = [g for g in counted if isinstance(g.column.field.field_type, PrimitiveType)]
        return {
            "record_count": footer.num_rows,
            "column_sizes": sizes,
            "value_counts": counts,
            "null_value_counts": {g.column.field.field_id: g.nulls for g in primitive},
            "nan_value_counts": {
                g.column.field.field_id: g.nans
                for g in primitive
                if pa.types.is_floating(g.column.stored)
            },
            "lower_bounds": dict(_bounds(primitive, upper=False)),
            "upper_bounds": dict(_bounds(primitive, upper=True)),
            "split_offsets": sorted(offsets),
        }


def _has_long(column: pa.ChunkedArray[Any]) -> bool:
    if column.nbytes <= _LONGEST_IN_FOOTER:
        return False
    longest = _compute.max(_compute.binary_length(column)).as_py()
    return longest is not None and longest > _LONGEST_IN_FOOTER


def _comparable(array: Array) -> Array:
    """Temporal values as the integers they are, which can all become Python's."""
    if pa.types.is_date32(array.type):
        return array.view(pa.int32())
    if pa.types.is_temporal(array.type):
        return array.view(pa.int64())
    return array


def _infinity(column: Column) -> float | None:
    """The value that means infinity to users of this column, below zero for minus infinity."""
    kind = value_type(column.codec.logical)
    if pa.types.is_floating(kind):
        return float("inf")
    if pa.types.is_date(kind):
        return 2**31 - 1
    return 2**63 - 1 if pa.types.is_timestamp(kind) else None


def _bounds(gathered: Sequence[_Gathered], *, upper: bool) -> Iterator[tuple[int, bytes]]:
    for one in gathered:
        end = one.high if upper else one.low
        kind: Any = one.column.field.field_type
        if end.is_open or end.value is None:
            continue
        value = _shortened(end.value, kind, one.mode.longest, upper=upper)
        if isinstance(value, float) and value == 0:
            value = 0.0 if upper else -0.0  # as the specification says, since both are equal
        if value is not None:
            yield one.column.field.field_id, to_bytes(kind, value)


def _shortened(value: Any, kind: IcebergType, longest: int | None, *, upper: bool) -> Any:
    """A text or bytes no longer than that, which bounds what the whole one does."""
    if longest is None or not isinstance(kind, StringType | BinaryType) or len(value) <= longest:
        return value
    start = value[:longest]
    if not upper:
        return start
    return _next_text(start) if isinstance(start, str) else _next_bytes(start)


def _next_text(start: str) -> str | None:
    """The least text above all that begin so, of the same length or shorter."""
    while start:
        code = ord(start[-1]) + 1
        if code == 0xD800:
            code = 0xE000  # there is no text of surrogates
        if code <= 0x10FFFF:
            return start[:-1] + chr(code)
        start = start[:-1]
    return None


def _next_bytes(start: bytes) -> bytes | None:
    stripped = start.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None


def _leaves(field: Any) -> Iterator[int]:
    """Ids of the fields that are columns of a Parquet file, in its order."""
    match field.field_type:
        case StructType(fields=fields):
            for child in fields:
                yield from _leaves(child)
        case ListType() as found:
            yield from _leaves(found.element_field)
        case MapType() as found:
            yield from _leaves(found.key_field)
            yield from _leaves(found.value_field)
        case _:
            yield field.field_id


def _start(group: pq.RowGroupMetaData) -> int:
    first = group.column(0)
    pages = [first.data_page_offset]
    if first.has_dictionary_page and first.dictionary_page_offset is not None:
        pages.append(first.dictionary_page_offset)
    return min(pages)

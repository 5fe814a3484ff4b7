"""A file read in several lanes of columns, put together again row by row.

PyIceberg writes one row group per file and rows come in order, so two threads can only share the work
on a large file by its columns. Lanes cut the file into the same rows unless a column's values overflow
an Arrow array; then the shorter chunk decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import pyarrow as pa
from pyiceberg.types import BinaryType, DecimalType, NestedField, StringType

from lakeport.catalog.iceberg.parts import MEBIBYTE, Chunk, DataFile
from lakeport.core.errors import InternalError

Lanes: TypeAlias = list[list[int]]

# Opening a file twice costs more than a second thread saves on a smaller one.
_SHARED_BYTES = 2 * MEBIBYTE


def share(file: DataFile, fields: Sequence[NestedField], most: int) -> Lanes:
    """Which fields each lane reads, by their indices: about the same work for each."""
    count = min(most, len(fields))
    if count < 2 or file.bytes < _SHARED_BYTES:
        return [list(range(len(fields)))]
    by_cost = sorted(range(len(fields)), key=lambda index: -_cost(fields[index]))
    return [by_cost[lane::count] for lane in range(count)]


def _cost(field: NestedField) -> int:
    """Of decoding a value, roughly: measured on lineitem."""
    if isinstance(field.field_type, StringType | BinaryType):
        return 3
    if isinstance(field.field_type, DecimalType):
        return 2
    return 1 if field.field_type.is_primitive else 5


def joined(take: Callable[[int], Chunk | None], lanes: Lanes) -> Iterator[Chunk]:
    """All chunks of a file, with the columns in the order of the fields that were shared."""
    if len(lanes) == 1:
        yield from iter(partial(take, 0), None)
        return
    order = [index for lane in lanes for index in lane]
    places = sorted(range(len(order)), key=order.__getitem__)
    schema: pa.Schema | None = None
    heads: list[Chunk | None] = [None] * len(lanes)
    while True:
        heads = [take(lane) if head is None else head for lane, head in enumerate(heads)]
        chunks = [head for head in heads if head is not None]
        if not chunks:
            return
        if len(chunks) < len(lanes) or len({chunk.start for chunk in chunks}) > 1:
            raise InternalError("the columns of a data file were read out of step")
        schema = schema or _schema(chunks, places)
        rows = min(chunk.rows.num_rows for chunk in chunks)
        columns = [column for chunk in chunks for column in _first(chunk, rows).columns]
        batch = pa.RecordBatch.from_arrays([columns[place] for place in places], schema=schema)
        yield Chunk(chunks[0].start, batch)
        heads = [_rest(chunk, rows) for chunk in chunks]


def _schema(chunks: Sequence[Chunk], places: Sequence[int]) -> pa.Schema:
    fields = [field for chunk in chunks for field in chunk.rows.schema]
    return pa.schema([fields[place] for place in places])


def _first(chunk: Chunk, rows: int) -> pa.RecordBatch:
    return chunk.rows if chunk.rows.num_rows == rows else chunk.rows.slice(0, rows)


def _rest(chunk: Chunk, rows: int) -> Chunk | None:
    if chunk.rows.num_rows == rows:
        return None
    return Chunk(chunk.start + rows, chunk.rows.slice(rows))

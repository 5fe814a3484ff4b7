"""A file read in several lanes of columns, put together again row by row.

PyIceberg writes one row group per file and rows come in order, so two threads can only share the work
on a large file by its columns. Lanes cut the file into the same rows unless a column's values overflow
an Arrow array; then the shorter chunk decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from pyiceberg.types import BinaryType, DecimalType, NestedField, StringType

from lakeport.catalog.iceberg.files.footer import Footer
from lakeport.catalog.iceberg.parts import MEBIBYTE, Chunk, DataFile, Kept
from lakeport.core.errors import InternalError

Lanes: TypeAlias = list[list[int]]

# Opening a file twice costs more than a second thread saves on a smaller one.
_SHARED_BYTES = 2 * MEBIBYTE
# A field with more of the work than this is worth as much as all lanes of two threads.
_MOST = 0.6
_FEW_GROUPS = 4
_FEW_FIELDS = 8


def share(
    file: DataFile, fields: Sequence[NestedField], most: int, work: Mapping[int, int] | None = None
) -> Lanes:
    """Which fields each lane reads, by their indices: about the same work for each.

    `work` says how much a field is, by its id; without it their types must do.
    """
    count = min(most, len(fields))
    if count < 2 or file.bytes < _SHARED_BYTES:
        return [list(range(len(fields)))]
    costs = [_cost(field) if work is None else work.get(field.field_id, 0) for field in fields]
    by_cost = sorted(range(len(fields)), key=lambda index: -costs[index])
    if work is None:  # a rough guess: at least as many fields for each
        return [by_cost[lane::count] for lane in range(count)]
    lanes: Lanes = [[] for _ in range(count)]
    for index in by_cost:
        min(lanes, key=lambda lane: (sum(costs[each] for each in lane), len(lane))).append(index)
    return lanes


def is_lopsided(footer: Footer, fields: Sequence[NestedField]) -> bool:
    """Whether one field is so much of the work that the other lanes would wait for it.

    Then threads share the row groups, where there are some. Three columns of lineitem, one of them the
    comment, took 0.24 s instead of 0.32; all sixteen, in which no column stands out, are better in lanes.
    """
    if len(footer.starts) <= _FEW_GROUPS or len(fields) > _FEW_FIELDS:
        return False
    work = footer.bytes_of([field.field_id for field in fields])
    return max(work, default=0) > _MOST * sum(work)


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
        count = min(chunk.count for chunk in chunks)
        firsts = [_first(chunk, count) for chunk in chunks]
        columns = [column for chunk in firsts for column in chunk.rows.columns]
        batch = pa.RecordBatch.from_arrays([columns[place] for place in places], schema=schema)
        yield Chunk(firsts[0].start, batch, firsts[0].kept)
        heads = [_rest(chunk, count) for chunk in chunks]


def _schema(chunks: Sequence[Chunk], places: Sequence[int]) -> pa.Schema:
    fields = [field for chunk in chunks for field in chunk.rows.schema]
    return pa.schema([fields[place] for place in places])


def _first(chunk: Chunk, count: int) -> Chunk:
    if chunk.count == count:
        return chunk
    kept = None if chunk.kept is None else chunk.kept[:count]
    return Chunk(chunk.start, chunk.rows.slice(0, _left(kept, count)), kept)


def _rest(chunk: Chunk, count: int) -> Chunk | None:
    if chunk.count == count:
        return None
    first = _first(chunk, count)
    kept = None if chunk.kept is None else chunk.kept[count:]
    return Chunk(chunk.start + count, chunk.rows.slice(first.rows.num_rows), kept)


def _left(kept: Kept | None, count: int) -> int:
    return count if kept is None else int(np.count_nonzero(kept))

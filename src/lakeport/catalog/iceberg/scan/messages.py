"""Batches of a good size out of batches of any: small neighbours are glued, large ones sliced.

One to two megabytes is what travels best. A selective condition leaves a few rows of every chunk;
they are held back until they are worth sending, but never for longer than a bounded number of rows
was read in vain, and the first ones not at all: somebody is waiting for them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from lakeport.catalog.arrays.glue import glue_rows
from lakeport.core.errors import LakeportError

# Rows read, not rows found: about what is decoded in a few tens of milliseconds.
_PATIENCE = 1 << 18


@dataclass(frozen=True, slots=True)
class Found:
    """What is left of so many rows that were read."""

    rows: pa.RecordBatch
    read: int


@dataclass(slots=True)
class _Waiting:
    """Rows held back, and how many were read since some were sent."""

    batches: list[pa.RecordBatch] = field(default_factory=list)
    bytes: int = 0
    read: int = 0

    def add(self, batch: pa.RecordBatch, held: int) -> None:
        self.batches.append(batch)
        self.bytes += held

    def taken(self) -> list[pa.RecordBatch]:
        batches, self.batches, self.bytes, self.read = self.batches, [], 0, 0
        return batches


def messages(
    pieces: Iterable[Found], schema: pa.Schema, size: int
) -> Generator[pa.RecordBatch, None, None]:
    """All rows in their order, in batches of about `size` bytes; those before a failure, then it."""
    waiting = _Waiting()
    is_first = True
    try:
        for piece in pieces:
            rows = piece.rows
            waiting.read += piece.read
            held = rows.get_total_buffer_size()
            if held >= size // 2:
                yield from _glued(waiting.taken(), schema)
                yield from _sliced(rows, round(held / size))
            elif rows.num_rows:
                waiting.add(rows, held)
                if is_first or waiting.bytes >= size // 2 or waiting.read >= _PATIENCE:
                    yield from _glued(waiting.taken(), schema)
            is_first = is_first and not rows.num_rows
    except LakeportError:
        yield from _glued(waiting.taken(), schema)
        raise
    yield from _glued(waiting.taken(), schema)


def _glued(batches: list[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    if len(batches) < 2:
        yield from batches
        return
    try:
        yield glue_rows(batches, schema)
    except pa.ArrowInvalid:
        # Together they have more values than the index of a dictionary can count.
        yield from batches


def _sliced(batch: pa.RecordBatch, pieces: int) -> Iterator[pa.RecordBatch]:
    count = -(-batch.num_rows // max(pieces, 1))
    for start in range(0, batch.num_rows, count):
        yield batch.slice(start, count)

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

    def add(self, batch: pa.RecordBatch) -> None:
        self.batches.append(batch)
        self.bytes += batch.nbytes

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
            if rows.nbytes >= size // 2:
                yield from _glued(waiting.taken(), schema)
                yield from _sliced(rows, size)
            elif rows.num_rows:
                waiting.add(rows)
                if is_first or waiting.bytes >= size // 2 or waiting.read >= _PATIENCE:
                    yield from _glued(waiting.taken(), schema)
            is_first = is_first and not rows.num_rows
    except LakeportError:
        yield from _glued(waiting.taken(), schema)
        raise
    yield from _glued(waiting.taken(), schema)


def _glued(batches: list[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    if len(batches) == 1:
        yield batches[0]
    elif batches:
        yield glue_rows(batches, schema)


def _sliced(batch: pa.RecordBatch, size: int) -> Iterator[pa.RecordBatch]:
    pieces = max(1, round(batch.nbytes / size))
    count = -(-batch.num_rows // pieces)
    for start in range(0, batch.num_rows, count):
        yield batch.slice(start, count)

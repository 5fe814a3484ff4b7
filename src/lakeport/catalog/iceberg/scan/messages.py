"""Batches of a good size out of batches of any: small neighbours are glued, large ones sliced.

One to two megabytes is what travels best. A selective condition leaves a few rows of every chunk;
they are held back until they are worth sending, but never for longer than a bounded number of rows
was read in vain, and the first ones not at all: somebody is waiting for them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from lakeport.catalog.arrays.glue import glue_rows

# Rows read, not rows found: about what is decoded in a few tens of milliseconds.
_PATIENCE = 1 << 18


@dataclass(frozen=True, slots=True)
class Found:
    """What is left of so many rows that were read."""

    rows: pa.RecordBatch
    read: int


def messages(
    pieces: Iterable[Found], schema: pa.Schema, size: int
) -> Generator[pa.RecordBatch, None, None]:
    """All rows in their order, in batches of about `size` bytes."""
    pending: list[pa.RecordBatch] = []
    held = read = 0
    is_first = True
    for piece in pieces:
        read += piece.read
        rows = piece.rows
        if not rows.num_rows and not pending:
            continue
        if rows.nbytes >= size // 2:
            yield from _glued(pending, schema)
            yield from _sliced(rows, size)
            pending, held, read = [], 0, 0
        elif rows.num_rows:
            pending.append(rows)
            held += rows.nbytes
        if is_first or held >= size // 2 or read >= _PATIENCE:
            yield from _glued(pending, schema)
            pending, held, read = [], 0, 0
        is_first = False
    yield from _glued(pending, schema)


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

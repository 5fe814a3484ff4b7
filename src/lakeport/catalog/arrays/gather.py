"""Many small batches as few large ones, in order: most of what is done with a batch has a price that
does not depend on its rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from lakeport.catalog.arrays.glue import glue_rows


def gathered(
    batches: Iterable[pa.RecordBatch], *, most_rows: int, most_bytes: int
) -> Iterator[pa.RecordBatch]:
    """Batches of one schema, glued until they have so many rows or bytes."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= most_rows or size >= most_bytes:
            yield from _glued(waiting)
            waiting, rows, size = [], 0, 0
    yield from _glued(waiting)


def _glued(waiting: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    if len(waiting) < 2:
        return waiting
    try:
        return [glue_rows(waiting, waiting[0].schema)]
    except pa.ArrowException:
        # Dictionaries: more different values than their indices can count, or nested ones that differ.
        return waiting

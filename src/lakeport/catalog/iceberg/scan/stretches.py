"""Chunks of one file gathered until there are enough rows to evaluate conditions over.

An engine has a fixed price per call, so small chunks are put together. The first stretches are short:
whoever asked is waiting for the first rows, which may come early.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lakeport.catalog.iceberg.parts import MEBIBYTE, Chunk
from lakeport.catalog.iceberg.scan.part import Part

_FIRST_ROWS = 1 << 12
_MOST_ROWS = 1 << 16
_MOST_BYTES = 8 * MEBIBYTE


def stretches(chunks: Iterable[tuple[Part, Chunk]]) -> Iterator[tuple[Part, list[Chunk]]]:
    enough = _FIRST_ROWS
    gathered: list[Chunk] = []
    rows = held = 0
    of: Part | None = None
    for part, chunk in chunks:
        if gathered and of is not None and part is not of:
            yield of, gathered
            gathered, rows, held = [], 0, 0
        of = part
        gathered.append(chunk)
        rows += chunk.rows.num_rows
        held += chunk.rows.nbytes
        if rows >= enough or held >= _MOST_BYTES:
            yield part, gathered
            gathered, rows, held = [], 0, 0
            enough = min(2 * enough, _MOST_ROWS)
    if gathered and of is not None:
        yield of, gathered
